#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The reference as HTML, from the public headers and the examples, with Doxygen: make html. Runs in build/doc, and leaves html/ and
# doxygen/names.tsv, which says what page tells of each name of the interface.
#     sh reference.sh SOURCE DOXYGEN AWK VERSION HEADER...
set -eu

source=$(cd "$1" && pwd) doxygen=$2 awk=$3 version=$4
shift 4
site=$source/doc/site
export LC_ALL=C

rm -rf html doxygen
mkdir doxygen
examples=$(cd "$source/examples" && echo *.c)
(cd "$source" && "$awk" -v nav="$OLDPWD/doxygen/topics.html" -v folder=examples -v examples="$examples" -f doc/site/topics.awk \
    -f build-aux/headers.awk "$@") >doxygen/reference.dox
{
    sed '/@topics@/,$d' "$site/header.html"
    cat doxygen/topics.html
    sed '1,/@topics@/d' "$site/header.html"
} | sed "s/@version@/$version/" >doxygen/header.html
{
    cat Doxyfile
    for header; do printf 'INPUT += "%s/%s"\n' "$source" "$header"; done
    echo 'INPUT += doxygen/reference.dox'
} >doxygen/Doxyfile
"$doxygen" doxygen/Doxyfile

# What nothing leads to: lists that the first page replaces, and what Doxygen's own style needs.
cd html
rm -f -- *.png *.svg tabs.css jquery.js dynsections.js annotated.html classes.html dir_*.html examples.html files.html \
    functions*.html globals*.html modules.html
sed -i 's|<a class="el" href="dir_[^"]*">\([^<]*\)</a>|\1|g' ./*_8h.html
cd ..
"$awk" -f "$site/names.awk" doxygen/reference.tag >doxygen/names.tsv

# Names on the first page lead to what tells of them; a script searches the same list.
"$awk" -F '\t' 'NR == FNR { if (!($1 in place)) place[$1] = $2; next }
    match($0, /^<dt><code>[a-z0-9_]*/) {
        name = substr($0, 11, RLENGTH - 10)
        if (name in place)
            $0 = "<dt><a href=\"" place[name] "\"><code>" name "</code></a>" substr($0, index($0, "</dt>"))
    }
    { print }' doxygen/names.tsv html/index.html >doxygen/index.html
mv doxygen/index.html html/index.html
"$awk" -F '\t' 'BEGIN { print "var names = [" } { printf "[\"%s\",\"%s\",\"%s\"],\n", $1, $2, $3 } END { print "];" }' \
    doxygen/names.tsv >html/names.js
