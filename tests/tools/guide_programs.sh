#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What guide.sh cannot run of the guide, because it takes more than a program without arguments on one device: a library of C with
# the Python program that calls it, the halo exchange on two devices, and a race with its report. And the guide as it is installed:
# every link, with its heading, leads somewhere; and the messages that troubleshooting.md quotes are those of the library.
#
# A file of a page is the first block behind a line `<!-- ... the file NAME of tests/tools/guide_programs -->`, or a block that
# opens with ```LANGUAGE NAME.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"
build=$PWD
# shellcheck source=tests/tools/run.sh
. "$top_srcdir/tests/tools/run.sh"
export LD_LIBRARY_PATH="$build/.libs${LD_LIBRARY_PATH+:$LD_LIBRARY_PATH}"
unset MAKEFLAGS MFLAGS MAKELEVEL

# file PAGE NAME: take the file out of the page, into the current folder.
file() {
    "$AWK" -v name="$2" '
        /^<!-- .* -->$/ { marked = index($0, "the file " name " of tests/tools/guide_programs") }
        /^```/ && inside { exit }
        /^```/ { inside = marked || $2 == name; marked = 0; next }
        inside' "$source/doc/$1" >"$2" && [ -s "$2" ]
}

# compile FILE PROGRAM OPTION...
compile() {
    from=$1 to=$2
    shift 2
    # $CC may come with options of its own.
    # shellcheck disable=SC2086
    $CC -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror ${YOKE_SANITIZER-} -I "$source/include" "$@" "$from" -o "$to" \
        -L "$build/.libs" -lyoke -lpthread -lm
}

# quoted FILE: what of the file, without what differs from machine to machine, troubleshooting.md does not have.
quoted() {
    sed "s|$tap_folder/icds/|/etc/OpenCL/vendors/|g; s/ OCL_ICD_FILENAMES=.*//" "$1" |
        sed 's/^YOKE_BACKEND=opencl cannot be satisfied: //' | while read -r message; do
        grep -qF -- "$message" "$source/doc/troubleshooting.md" || echo "not quoted: $message"
    done
}

# ---- Programs and messages, on PoCL ----

tap_try "from-python.md has scaler.c" file from-python.md scaler.c
tap_try "from-python.md has scaler.py" file from-python.md scaler.py
tap_try "scaler.c compiles" compile scaler.c libscaler.so -shared -fPIC
"$AWK" '/^```/ && inside { exit } /^```c$/ { inside = 1; next } inside' "$source/doc/several-devices.md" >halo.c
tap_try "the halo exchange compiles" compile halo.c halo
for name in race.c mend.c report; do
    tap_try "finding-races.md has $name" file finding-races.md $name
done
tap_try "race.c compiles" compile race.c race
sed '/here/r mend.c' race.c >mended.c
tap_try "so it does with its mend" compile mended.c mended

if [ ! -f "$vendors/pocl.icd" ]; then
    tap_skip "what runs on PoCL: there is no $vendors/pocl.icd"
else
    use pocl
    if [ -n "${YOKE_SANITIZER-}" ] || ! command -v python3 >/dev/null; then
        tap_skip "scaler.py: no python3, or one that is not sanitized"
    else
        tap_try "scaler.py runs" python3 scaler.py
    fi
    tap_try "the halo exchange runs on two devices" env POCL_DEVICES="pthread pthread" ./halo
    run 1 "the program with a race" validate ./race
    says "$(tr -s ' \n' ' ' <report)"
    run 0 "the program with its mend" validate ./mended
    "$build/tests/tools/guide_messages" >messages
    quoted messages >wrong
    [ "$(wc -l <messages)" -eq 8 ] || { echo "not the 8 messages:" && cat messages; } >>wrong
    tap_empty "messages of mistakes are quoted as they are" wrong
    if [ -f "$bad" ]; then
        use pocl crash
        mv icds/crash.icd icds/bad.icd
        YOKE_CACHE=off "$build/tests/tools/guide_messages" >messages
        quoted messages >wrong
        tap_empty "so is the message of a driver that crashes" wrong
    fi
fi

# ---- The guide, installed ----

cd "$build" || exit 1
tap_try "the guide and the examples are installed" cp -R "$build/tests/installed" "$tap_folder/root"
guide=$(find "$tap_folder/root" -type d -name guide) && [ -n "$guide" ] && cd "$guide" || exit 1
for page in *.md; do
    # The anchors of a page, as GitHub and the HTML pages make them.
    sed -n '/^ *```/,/^ *```/!s/^##* //p' "$page" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g' >"$page.anchors"
done
for page in *.md; do
    sed '/^ *```/,/^ *```/d; s/`[^`]*`//g' "$page" | grep -o '](\([^) ]*\)' | sed 's/^](//' | grep -v '^https\{0,1\}:' |
        while read -r link; do
            target=${link%%#*}
            : "${target:=$page}"
            [ -e "$target" ] || echo "$page: there is no $link"
            case $link in
            *.md#* | \#*)
                grep -qxF -- "${link#*#}" "$target.anchors" || echo "$page: there is no heading for $link"
                ;;
            esac
        done
    grep -qF "]($page)" README.md || [ "$page" = README.md ] || echo "README.md: no link to $page"
done >"$tap_folder/links" 2>&1
tap_empty "links of the installed guide lead somewhere, and its index has every page" "$tap_folder/links"
tap_done
