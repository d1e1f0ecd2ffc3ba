#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Which libraries and folders a program trusts: nothing from its current folder, and in a set-user-ID program nothing that the
# environment names. A planted library or file leaves a mark when it is opened.

. "$top_srcdir/tests/tap/tap.sh"

# Nobody has to get in, and to own what is planted.
chmod 755 "$tap_folder"
program=$PWD/tests/security/rights evil=$tap_folder/evil
export MARK="$tap_folder/evil/mark"
mkdir -p "$evil/lib64" "$evil/home" "$evil/xdg"
cat >"$tap_folder/planted.c" <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void leave_mark(void)
{
    close(open(getenv("MARK"), O_WRONLY | O_CREAT, 0666));
}
END
"$CC" -shared -fPIC -o "$evil/libnvrtc.so" "$tap_folder/planted.c" || exit 1
for name in libcuda.so libcuda.so.1 libOpenCL.so libOpenCL.so.1 libnvrtc.so.13 libnvrtc.so.12 libnvrtc.so.11.2; do
    ln -s ../libnvrtc.so "$evil/lib64/$name"
    ln -s libnvrtc.so "$evil/$name"
done

# told VARIABLE=VALUE... COMMAND...: runs it in the evil folder, with what is set there and nothing else of Yoke's.
told() {
    rm -rf "$MARK" "$evil/trace" "$evil/cache" "$evil/xdg/yoke" "$evil/home/.cache"
    (cd "$evil" && env -u YOKE_NVRTC -u YOKE_TRACE -u YOKE_LOG -u YOKE_CACHE_DIR -u YOKE_CACHE -u CUDA_HOME -u LD_LIBRARY_PATH \
        "$@") >"$tap_folder/told" 2>&1 </dev/null
}

says() {
    grep -q -- "$1" "$tap_folder/told" || { cat "$tap_folder/told" && false; }
}

no_mark() {
    [ ! -e "$MARK" ] || { echo "a planted library was opened" && cat "$tap_folder/told" && false; }
}

# ---- As anybody ----

told YOKE_CACHE_DIR="$evil/cache" "$program"
tap_try "libraries in the folder that it is started in are not taken" no_mark
tap_try "  and its cache is where the environment says" says "cache: $evil/cache"
told YOKE_NVRTC=libnvrtc.so "$program"
tap_try "nor does YOKE_NVRTC take a relative path" no_mark
told CUDA_HOME=. "$program"
tap_try "nor CUDA_HOME" no_mark
told YOKE_CACHE_DIR=cache "$program"
tap_try "nor YOKE_CACHE_DIR" [ ! -e "$evil/cache" ]

# The same libraries are opened where the user says so, which shows that the mark works.
for order in YOKE_NVRTC="$evil/libnvrtc.so" LD_LIBRARY_PATH="$evil"; do
    told YOKE_CACHE=off "$order" "$program"
    tap_try "by ${order%%=*} they are opened" [ -e "$MARK" ]
done

# ---- The trace ----

told YOKE_CACHE=off YOKE_TRACE="$evil/trace" "$program"
tap_try "a trace is written where YOKE_TRACE says" says "trace: yes"
echo precious >"$tap_folder/precious"
ln -s "$tap_folder/precious" "$evil/link"
told YOKE_CACHE=off YOKE_LOG=error YOKE_TRACE="$evil/link" "$program"
tap_try "not through a link" says "there is no trace"
tap_try "  whose target stays as it is" grep -q precious "$tap_folder/precious"
mkfifo "$evil/pipe"
told YOKE_CACHE=off YOKE_TRACE="$evil/pipe" "$program"
tap_try "not into a pipe, which it would wait for" says "there is no trace"
told YOKE_CACHE=off YOKE_LOG=off YOKE_TRACE="$evil/pipe" "$program"
[ "$(grep -c "no trace" "$tap_folder/told")" -eq 0 ]
tap_ok $? "  of which nothing is said where YOKE_LOG is off"
told YOKE_CACHE=off YOKE_LOG=warn YOKE_TRACE="$evil/trace" "$program"
tap_try "a level of the log that is none is told" says "YOKE_LOG is 'warn'; it must be off, error, warning, info or debug"

# ---- With other rights than the user's ----

if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null; then
    tap_skip "set-user-id and set-group-id programs: only root can make them, with setpriv"
    tap_done
fi
echo precious >"$evil/foreign"
chown -hR 65534 "$evil"
told YOKE_CACHE=off YOKE_LOG=error YOKE_TRACE="$evil/foreign" "$program"
tap_try "no trace goes into somebody else's file" says "there is no trace"
for mode in 4755 2755; do
    cp "$program" "$tap_folder/raised"
    chmod "$mode" "$tap_folder/raised"
    told YOKE_NVRTC="$evil/libnvrtc.so" CUDA_HOME="$evil" LD_LIBRARY_PATH="$evil" YOKE_CACHE_DIR="$evil/cache" \
        YOKE_TRACE="$evil/trace" XDG_CACHE_HOME="$evil/xdg" HOME="$evil/home" \
        setpriv --reuid=65534 --regid=65534 --clear-groups "$tap_folder/raised"
    if says "other rights: no" >/dev/null; then
        tap_skip "mode $mode: programs in $tap_folder do not get other rights"
        continue
    fi
    tap_try "mode $mode: a program with other rights than its user's" says "other rights: yes"
    tap_try "  opens no library that the environment names" no_mark
    tap_try "  has no cache" says "cache: off"
    # A driver may be less careful: PoCL 3.1 takes XDG_CACHE_HOME.
    ls -d "$evil/cache" "$evil/xdg/yoke" "$evil/home/.cache/yoke" "$evil/trace" >"$tap_folder/made" 2>/dev/null
    tap_empty "  and makes nothing that the environment names" "$tap_folder/made"
done
tap_done
