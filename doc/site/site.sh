#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The web site, in site/ of the build folder, from README.md, doc/, examples/ and the reference: make site. Its pages are static,
# and all links are relative, so that they can be read from any folder. Runs in the build folder.
#     sh site.sh SOURCE CMARK-GFM AWK VERSION
set -eu

source=$(cd "$1" && pwd) cmark=$2 awk=$3 version=$4
build=$PWD
site=$source/doc/site
out=$build/site
work=$build/doc/doxygen
names=$work/names.tsv
export LC_ALL=C

rm -rf "$out" "$work/body"
mkdir -p "$out/guide" "$out/pictures" "$out/reference"
cd "$source"
examples=$(cd examples && echo *.c)
: >"$work/headings.tsv"

# body TEXT FILE PAGE: Markdown becomes HTML, for framed. FILE is where the links of the text begin.
body() {
    "$cmark" -e table --unsafe "$1" | "$awk" -v file="$2" -v page="$3" -v names="$names" -v examples="$examples" \
        -v contents="$work/headings.tsv" -f "$site/page.awk" >>"$work/body"
}

# framed PAGE CLASS: the body of a page gets the bar, for a page of the guide its navigation, and the foot.
framed() {
    root=$(echo "$1" | sed 's,[^/]*/,../,g; s,[^/]*$,,')
    title=$(sed -n '/^<h1>/ { s/<[^>]*>//g; p; q; }' "$work/body")
    [ "$title" = Yoke ] || title="$title - Yoke"
    {
        sed "s|@title@|$title|; s|@root@|$root|g" "$site/bar.html"
        echo "<div class=\"page $2\">"
        [ "$2" = wide ] || cat "$work/guide.html"
        echo "<main>"
        cat "$work/body"
        sed "s|@root@|$root|g; s|@version@|$version|" "$site/foot.html"
    } >"$out/$1"
    rm "$work/body"
}

# The parts of the guide are those of its first page.
"$awk" '/^## / { if (shown) print "</details>"; print "<details open><summary>" substr($0, 4) "</summary>"; shown = 1 }
    shown && match($0, /^- \[[^]]*\]\([a-z-]*\.md\)/) {
        split(substr($0, 4, RLENGTH - 4), parts, /\]\(|\.md/)
        print "<a href=\"" parts[2] ".html\">" parts[1] "</a>"
    }
    BEGIN { print "<nav class=\"side\"><a href=\"index.html\">The guide</a>" }
    END { print "</details></nav>" }' doc/README.md >"$work/guide.html"
for file in doc/*.md; do
    name=${file##*/}
    name=${name%.md}
    [ "$name" != README ] || name=index
    body "$file" "$file" "guide/$name.html"
    framed "guide/$name.html" guide
done

# Pages of their own. A line "@file PATH LANGUAGE" stands for the file as a block.
"$awk" '/^@file / {
        print "```" $3
        while ((getline line < $2) > 0)
            if (line !~ /SPDX/)
                print line
        print "```"
        next
    }
    { print }' "$site/start.md" >"$work/start.md"
body "$work/start.md" doc/site/start.md index.html
framed index.html wide
sed '/^# /d' examples/README.md >"$work/gallery.md"
body "$site/gallery.md" doc/site/gallery.md gallery.html
body "$work/gallery.md" examples/README.md gallery.html
framed gallery.html wide
body "$site/performance.md" doc/site/performance.md performance.html
"$awk" -f "$site/charts.awk" "$site/figures.tsv" >>"$work/body"
framed performance.html wide

# What the guide says of drivers, as a page.
page=doc/where-it-runs.md
"$awk" '/^## / { inside = /^## Drivers$|another driver/; if (/Drivers/) { print "# Drivers"; found = 1; next } }
    inside
    END { if (!found) { print "the page has no section about drivers" > "/dev/stderr"; exit 1 } }' $page >"$work/drivers.md"
body "$work/drivers.md" $page drivers.html
framed drivers.html wide
for page in CHANGELOG CONTRIBUTING SECURITY; do
    name=$(echo $page | tr '[:upper:]' '[:lower:]')
    body $page.md $page.md "$name.html"
    framed "$name.html" wide
done

# The reference, with the bar of the site.
sed -n '/^<header/,/^<\/header/p' "$site/bar.html" | sed 's|@root@|../|g' >"$work/bar.html"
for page in "$build"/doc/html/*.html; do
    "$awk" -v bar="$work/bar.html" '/^<header class="bar"/ { while ((getline line < bar) > 0) print line; skip = 1 }
        !skip {
            gsub(/"style\.css"/, "\"../style.css\"")
            gsub(/"names\.js"/, "\"../names.js\"")
            gsub(/"search\.js"/, "\"../search.js\"")
            print
        }
        /^<\/header/ { skip = 0 }' "$page" >"$out/reference/${page##*/}"
done

cp "$site/style.css" "$site/search.js" "$out"
cp doc/pictures/* "$site"/pictures/* "$out/pictures"
"$awk" -F '\t' 'BEGIN { print "var names = [" }
    { gsub(/["\\]/, "\\\\&"); gsub(/&amp;/, "\\&"); gsub(/&lt;/, "<"); gsub(/&gt;/, ">"); gsub(/&quot;/, "\\\"")
      printf "[\"%s\",\"%s\",\"%s\"],\n", $1, (FILENAME ~ /names/ ? "reference/" : "") $2, $3 }
    END { print "];" }' "$names" "$work/headings.tsv" >"$out/names.js"
