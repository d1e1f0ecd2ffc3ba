#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Which variables the library's source reads, and which files and libraries it opens. A new entry needs a decision, and then goes
# into the lists below and into SECURITY.md.
# shellcheck disable=SC2086 # $sources are folders

. "$top_srcdir/tests/tap/tap.sh"
export LC_ALL=C
cd "$top_srcdir" || exit 1

sources='base src backends ops comm'

# Variables that name nothing to be opened, so that it does no harm when somebody else has set them.
harmless='POCL_KERNEL_CACHE YOKE_BACKEND YOKE_BLAS YOKE_BLOCKING YOKE_COMM YOKE_COMMAND_BUFFERS YOKE_COMM_PINNED
YOKE_COMM_TIMEOUT YOKE_COPY_THREADS YOKE_DEVICE YOKE_FILL_KERNEL YOKE_LOG YOKE_OPS_EXACT YOKE_RECORD_LIMIT
YOKE_STAGING YOKE_TRUST_DRIVERS YOKE_WATCHDOG'

grep -rhoE '(^|[^_])getenv\("[A-Z_]*"\)' $sources | sed 's/.*"\(.*\)".*/\1/' | sort -u >"$tap_folder/read"
for name in $harmless; do
    echo "$name"
done | sort >"$tap_folder/harmless"
comm -23 "$tap_folder/read" "$tap_folder/harmless" >"$tap_folder/strange"
tap_empty "only harmless variables are read with getenv, all others with yk_environment" "$tap_folder/strange"

grep -rhoE 'YOKE_[A-Z_]+' doc/environment*.md | sort -u >"$tap_folder/documented"
# inject.c is in no build that is installed.
variables() {
    grep -rhoE --exclude=inject.c '(getenv|variable|yk_environment)\("[A-Z_]*"\)|"YOKE_NCCL"' $sources |
        sed 's/.*"\(.*\)".*/\1/' | sort -u
}
variables | grep YOKE |
    comm -23 - "$tap_folder/documented" >"$tap_folder/unknown"
tap_empty "doc/environment*.md have every variable" "$tap_folder/unknown"
variables | comm -23 - "$tap_folder/harmless" | while read -r name; do
    grep -q "\`$name\`" SECURITY.md || echo "$name"
done >"$tap_folder/unknown"
tap_empty "SECURITY.md has every variable that is not harmless" "$tap_folder/unknown"

# Files are opened in one place, which follows links only where it is told to, and leaves none to programs that are started.
grep -rnE '[^a-z_>.](fopen|freopen|creat|open(at|dir)?|mkstemp|tmpfile)\(' $sources | grep -vE '"/dev/null"|"/proc/' |
    grep -vE '^base/system/posix/(file|folder)\.c:' >"$tap_folder/opened"
tap_empty "files are opened in base/system alone" "$tap_folder/opened"
grep -rnE '[^a-z_>.]open(at)?\(' $sources | grep -v 'O_CLOEXEC' >"$tap_folder/opened"
tap_empty "no file is left to programs that are started" "$tap_folder/opened"
# The files that name OpenCL drivers are often links; loaders follow them, too. The folders of Python's packages are the user's own
# paths, and environments are often links.
grep -rnE 'YK_FILE_FOLLOW\)|yk_folder_open\(.*true\)' $sources | grep -vE '^(backends/opencl/icds|base/library_search)\.c:' \
    >"$tap_folder/opened"
tap_empty "and none is opened through a link" "$tap_folder/opened"

grep -rnE '(system|popen|execl?p?|posix_spawnp?)\(' $sources |
    grep -vE '[a-z_>.](system|popen|exec)|/\*' >"$tap_folder/started"
tap_empty "no program is started" "$tap_folder/started"

{
    grep -rhE '\.soname = *"|SONAMES\("|sonames\[\] = \{ "' backends ops/library
    sed -n 's/^#define YK_NAMES*_//p' base/system/names.h | grep -oE '"[^"]*"' | tr -d '"' |
        grep -vE '^(lib[A-Za-z]+\.so\.[0-9.]+|[A-Za-z0-9_]+\.dll)$'
    sed -n 's/^#define YK_TOOLKIT "\(.*\)"$/\1/p' base/system/names.h | grep -vE '^(/usr/|C:/Program Files/)'
} >"$tap_folder/libraries"
tap_empty "libraries are named by soname or absolute path" "$tap_folder/libraries"
grep -rlE '[^a-z_]dlopen\(' $sources |
    grep -vE '^(base/system/posix/loader)\.c$' >"$tap_folder/openers"
tap_empty "and opened in one place only" "$tap_folder/openers"
tap_done
