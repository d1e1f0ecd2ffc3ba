# SPDX-License-Identifier: Apache-2.0
#
# The kernels that a C file holds as a string: awk -v form=cuda -f texts.awk, over a file whose macros have been expanded. Prints
# the literals that follow "cuda = " or "cuda[] = ", put together and without escapes, as they are in the program.

{ text = text $0 "\n" }

END {
    if (!match(text, "[ .]" form "(\\[\\])? = *\n? *\""))
        exit 1
    text = substr(text, RSTART + RLENGTH - 1)
    while (match(text, /^[ \n]*"/)) {
        text = substr(text, RLENGTH + 1)
        while ((c = substr(text, 1, 1)) != "\"") {
            if (c == "\\") {
                text = substr(text, 2)
                c = substr(text, 1, 1)
                if (c == "n")
                    c = "\n"
            }
            printf "%s", c
            text = substr(text, 2)
        }
        text = substr(text, 2)
    }
}
