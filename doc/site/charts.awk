# SPDX-License-Identifier: Apache-2.0
#
# Draws figures.tsv: for each machine how long Yoke takes as a share of what the driver's own calls take, on a scale on which half
# and twice are equally far from 1. Widths are shares of the page's, so that text keeps its size on every screen.

BEGIN {
    FS = "\t"
    LOW = -9 # the ends of the scale, as powers of two
    HIGH = 1
}

function percent(power) {
    power = power < LOW ? LOW : power > HIGH ? HIGH : power
    return 100 * (power - LOW) / (HIGH - LOW)
}

function escaped(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    return text
}

# The lines of the scale, and at the top of a chart what they mean.
function scale(height, with_words,    power, x) {
    printf "<svg class=\"bars\" aria-hidden=\"true\" width=\"100%%\" height=\"%d\">", height
    for (power = LOW + 1; power <= 0; power += 2) {
        x = percent(power)
        printf "<line%s x1=\"%.1f%%\" x2=\"%.1f%%\" y1=\"%d\" y2=\"%d\"/>", (power == 0 ? " class=\"one\"" : ""), x, x, \
            (with_words ? height - 4 : 0), height
        if (with_words)
            printf "<text x=\"%.1f%%\" y=\"15\" text-anchor=\"middle\">%s</text>", x, (power == 0 ? "driver" : "1/" 2 ^ -power)
    }
}

function in_words(ratio) {
    if (ratio > 0.995 && ratio < 1.005)
        return "the same"
    if (ratio > 1)
        return sprintf("%.2f times as long", ratio)
    return ratio > 0.667 ? sprintf("%.2f of the time", ratio) : sprintf("%.*f times faster", (ratio > 0.1), 1 / ratio)
}

# What is faster has the same colour everywhere, for times and for rates.
function row(what, unit, yoke, driver,    ratio, from, to, look) {
    ratio = unit ~ /\/s$/ ? driver / yoke : yoke / driver
    from = percent(0)
    to = percent(log(ratio) / log(2))
    look = ratio > 0.95 && ratio < 1.07 ? "same" : ratio < 1 ? "less" : "more"
    print "<div class=\"figure\"><span>" escaped(what) "</span><span class=\"value\">" yoke " " unit ", driver " driver " " unit \
        ": " in_words(ratio) "</span></div>"
    scale(22, 0)
    printf "<rect class=\"%s\" x=\"%.2f%%\" width=\"%.2f%%\" y=\"4\" height=\"12\" rx=\"2\"/></svg>\n", look, \
        (from < to ? from : to) - 0.25, (from < to ? to - from : from - to) + 0.5
}

/^#/ || /^$/ { next }
NF == 2 {
    if (charts++)
        print "</div>"
    print "<h2>" escaped($1) "</h2>\n<p class=\"small\">" escaped($2) "</p>\n<div class=\"card chart\">"
    scale(24, 1)
    print "</svg>"
    next
}
NF == 4 {
    row($1, $2, $3, $4)
    next
}
{
    print "figures.tsv:" FNR ": four columns, or two" > "/dev/stderr"
    exit 1
}
END { print "</div>" }
