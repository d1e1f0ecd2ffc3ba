#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# examples/photos with good, odd and bad pictures: bad pictures are reported with the reason and a non-zero exit status, and all
# others are written. Runs on the device that the environment chooses.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"

photos=$PWD/examples/photos/photos
make_png=$PWD/tests/make_png
[ -x "$photos" ] || tap_skip_all "examples/photos/photos is not built: configure found no libpng"
cd "$tap_folder" || exit 1

# photos ARGUMENT...: run it; sets `code`, and leaves what it said in the files out and err.
photos() {
    "$photos" "$@" >out 2>err </dev/null
    code=$?
}

# exits CODE TEXT
exits() {
    [ "$code" -eq "$1" ]
    tap_ok $? "$2 (exit code $code)"
    [ "$code" -eq "$1" ] || { tap_tell out; tap_tell err; }
}

# says WORDS: it printed them, on either output.
says() {
    grep -qF -- "$1" out err
    tap_ok $? "says: $1"
}

# written FOLDER NAME...: the folder holds these files, whole, and nothing else.
written() {
    folder=$1
    shift
    printf '%s\n' "$@" | sort >expected
    (cd "$folder" && find . -mindepth 1 -maxdepth 1 | sed 's|^\./||' | sort) >found
    cmp -s expected found
    tap_ok $? "$folder holds $*, and nothing else"
    cmp -s expected found || tap_tell found
}

# No device at all is no fault of photos.
mkdir in
"$make_png" rgb 70 50 in/rgb.png
photos --out probe in/rgb.png
[ "$code" -ne 3 ] || tap_skip_all "$(cat err)"
exits 0 "one picture"
says "pixels against the CPU"
written probe rgb.png

for kind in rgba grey grey1 grey16 rgb16 palette interlaced; do
    "$make_png" $kind 70 50 "in/$kind.png"
done
"$make_png" rgb 1 1 in/one.png
"$make_png" rgb 1 300 in/thin.png
"$make_png" rgb 300 1 in/flat.PNG
photos --out odd in
exits 0 "every kind of PNG in a folder"
says "11 of 11"
written odd rgb.png rgba.png grey.png grey1.png grey16.png rgb16.png palette.png interlaced.png one.png thin.png flat.png
"$make_png" same odd/rgb.png odd/interlaced.png
tap_ok $? "an interlaced picture gives the same result"

photos --out serial --serial in
exits 0 "the same, one after the other"
for file in odd/*.png; do
    "$make_png" same "$file" "serial/${file#odd/}" || echo "$file"
done >different
tap_empty "the results are the same" different

photos --out weak --sigma 0.1 in/rgba.png in/rgb.png
exits 0 "a blur that blurs nothing"
"$make_png" same in/rgb.png weak/rgb.png
tap_ok $? "leaves the picture as it was"
photos --out strong --sigma 64 --streams 64 in/one.png in/rgb.png
exits 0 "a blur that is wider than the picture, in more streams than pictures"

# Bad ones among good ones.
echo "this is no picture" >text.png
: >empty.png
head -c 3000 in/rgb.png >truncated.png
{ head -c 2000 in/rgb.png; printf 'xxxxxxxx'; tail -c +2009 in/rgb.png; } >damaged.png
"$make_png" header 0 0 zero.png
"$make_png" header 60000 60000 huge.png
"$make_png" header 70 50 headed.png
mkdir nothing folder.png
mkfifo pipe.png
photos --out bad in/rgb.png text.png empty.png truncated.png damaged.png zero.png huge.png headed.png absent.png nothing \
    folder.png pipe.png in/grey.png
exits 1 "bad pictures among good ones"
says "photos: text.png: is not a PNG file"
says "photos: empty.png: is not a PNG file"
says "photos: truncated.png: the file is truncated"
says "photos: damaged.png: IDAT: CRC error"
says "photos: zero.png: "
says "photos: huge.png: 60000 x 60000 pixels are more than"
says "photos: headed.png: the file is truncated"
says "photos: absent.png: No such file or directory"
says "photos: nothing: there is no .png file in this folder"
says "photos: folder.png: there is no .png file in this folder"
says "photos: pipe.png: is no regular file"
says "11 of 13 pictures failed"
written bad rgb.png grey.png
photos --out none absent.png
exits 1 "no good picture at all"
says "0 of 1"
! grep -q checked out
tap_ok $? "nothing is said to be checked"

cp in/rgb.png locked.png
chmod 0 locked.png
if [ -r locked.png ]; then
    tap_skip "an unreadable file: this user may read everything"
else
    photos --out locked locked.png in/rgb.png
    exits 1 "an unreadable file"
    says "photos: locked.png: Permission denied"
    written locked rgb.png
fi

# Names.
mkdir again
cp in/rgb.png again/rgb.png
photos --out names in/rgb.png again/rgb.png in/rgb.png
exits 0 "three inputs of one name"
written names rgb.png rgb-2.png rgb-3.png
cp in/rgb.png kept.png
photos --out again again/rgb.png in/grey.png
exits 1 "results that would overwrite their pictures"
says "would overwrite the picture again/rgb.png"
cmp -s again/rgb.png kept.png
tap_ok $? "the picture is still there"
written again rgb.png grey.png

# Outputs that cannot be had. A limit on the size of files stands for a full disk: as there, some of a picture can be written. It
# leaves PoCL's compiler room for its temporary files, so the picture that is too large has to be a large one.
photos --out kept.png in/rgb.png
exits 1 "--out is a file"
says "kept.png: cannot make this folder: there is a file of this name"
photos --out no/such/folder in/rgb.png
exits 1 "--out is in a folder that is not there"
says "no/such/folder: cannot make this folder: No such file or directory"
mkdir full full/grey.png
"$make_png" rgb 2500 2500 large.png
(
    trap '' XFSZ
    ulimit -f 16384
    "$photos" --sigma 0.1 --out full large.png in/rgb.png in/grey.png
) >out 2>err </dev/null
code=$?
exits 1 "no space for one picture, a folder in the way of another"
says "photos: large.png: full/large.png: File too large"
says "photos: in/grey.png: full/grey.png: Is a directory"
written full rgb.png grey.png

# The command line.
for arguments in "--sigma 0" "--sigma x" "--sigma nan" "--streams 0" "--streams 65" "--streams 2.5" "--nonsense" "--out=" \
    "--device a --backend b"; do
    # shellcheck disable=SC2086
    photos $arguments in/rgb.png
    exits 2 "photos $arguments"
done
photos --help
exits 0 "photos --help"
photos --device opencl:999 in/rgb.png
exits 3 "a device that is not there"
photos --quiet --out quiet in/rgb.png
exits 0 "--quiet"
[ ! -s out ] && [ ! -s err ]
tap_ok $? "prints nothing"
tap_done
