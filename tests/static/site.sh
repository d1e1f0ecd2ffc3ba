#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The reference in HTML and the web site: no warning of Doxygen's, no link that leads nowhere, and in a browser, on a telephone's
# screen and on a desk's, no error, nothing that is wider than the screen, and no text that is too small to read.

. "$top_srcdir/tests/tap/tap.sh"
export LC_ALL=C

[ "$DOXYGEN" != no ] || tap_skip_all "configure found no doxygen"
for program in cmark-gfm chromium; do
    command -v $program >/dev/null || tap_skip_all "$program is not installed (package $program)"
done
# A make inside a make: the outer one's job server is none of its business.
unset MAKEFLAGS MFLAGS MAKELEVEL

source=$(cd "$top_srcdir" && pwd)

# links FOLDER: what its pages say that is not there.
links() {
    (cd "$1" && find . -type f >"$tap_folder/files" &&
        find . -name '*.html' -exec "$AWK" -v files="$tap_folder/files" -f "$source/tests/static/links.awk" {} +)
}

# browse FOLDER: what a browser finds in its pages. Its own complaints about this machine are none of theirs.
browse() {
    {
        printf '<!DOCTYPE html><meta charset="utf-8"><body><script>var base = "file://%s/", pages = [\n' "$(cd "$1" && pwd)"
        (cd "$1" && find . -name '*.html') | sed 's/^\.\/\(.*\)/"\1",/'
        printf '];</script><script src="file://%s/tests/static/pages.js"></script>\n' "$source"
    } >"$tap_folder/all.html"
    timeout 300 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --allow-file-access-from-files \
        --enable-logging=stderr --user-data-dir="$tap_folder/browser" --virtual-time-budget=3000000 \
        --dump-dom "file://$tap_folder/all.html" 2>"$tap_folder/browser.log" >"$tap_folder/seen.html"
    grep CONSOLE "$tap_folder/browser.log"
    if ! grep -q '<p>done: ' "$tap_folder/seen.html"; then
        echo "the browser did not come to the end"
        tail -n 5 "$tap_folder/browser.log"
    fi
    sed 's/<p>/\n/g' "$tap_folder/seen.html" | sed -n '/^[^<].*<\/p>/ { s/<\/p>.*//; /^done: /!p; }'
}

# looked_at FOLDER WORDS
looked_at() {
    links "$1" >"$tap_folder/wrong"
    tap_empty "$2: every link leads somewhere" "$tap_folder/wrong"
    if command -v chromium >/dev/null; then
        browse "$1" >"$tap_folder/wrong"
        tap_empty "$2: a browser finds nothing wrong" "$tap_folder/wrong"
    else
        tap_skip "$2: chromium is not installed"
    fi
}

tap_try "Doxygen has nothing to say" "$MAKE" html
looked_at doc/html "reference"
tap_try "make install-html" "$MAKE" install-html DESTDIR="$tap_folder/root"
find "$tap_folder/root" -name index.html >"$tap_folder/installed"
diff -r doc/html "$(dirname "$(cat "$tap_folder/installed")")" >"$tap_folder/wrong" 2>&1
tap_empty "the whole reference is installed" "$tap_folder/wrong"

# Each has a place, which the search knows.
grep -v '^#' "$top_srcdir/tests/static/symbols.txt" | while read -r name; do
    cut -f 1 doc/doxygen/names.tsv | grep -qx "$name" || echo "$name"
done >"$tap_folder/wrong"
tap_empty "every public function is in the reference" "$tap_folder/wrong"

if [ "$CMARK" != no ]; then
    tap_try "make site" "$MAKE" site
    looked_at site "site"
else
    tap_skip "configure found no cmark-gfm"
fi
tap_done
