# SPDX-License-Identifier: Apache-2.0
"""The library's messages, as its source has them: Python puts its own words for each name that is C's alone."""

import re

import tree
import yoke
from yoke._core import errors

IN_C = re.compile(r"\b(?:yoke_[a-z]|YOKE_[A-Z])\w*")
STRING = r'"(?:[^"\\\n]|\\.)*"'
MESSAGE = re.compile(rf"{STRING}(?:\s*{STRING})*")  # C makes one of those that stand side by side

# Variables of the environment, which are those of Python's, too.
VARIABLES = re.compile(r"YOKE_(?:BLAS|BLOCKING|CACHE(?:_SIZE|_DIR)?|COMM(?:_TIMEOUT|_PINNED)?|OPS_EXACT|RECORD(?:_KERNELS|_LIMIT)?|"
                       r"TRACE|VALIDATE(?:_JSON)?|WATCHDOG)$")

# What Python has checked before, or passes by itself.
NEVER_IN_PYTHON = [re.compile(each) for each in (
    r"start from YOKE_\w+_INIT",                                    # the sizes of structs
    r"make it with YOKE_ARGS|use YOKE_NUMBER|write yoke_half_from",  # values, which have a type
    r"flags is (?:0x)?%|is not a YOKE_|is %d[:;,]|%d is not|YOKE_INTERVAL_|needs a depth|the direction of %s is %d",  # enumerators
    r"record an event behind the first|write or fill them before|it is released, and look|release it with",  # the validator's log
)]


def messages():
    """(file, text) of each string that is one of words, and not a kernel's text."""
    for folder in ("src", "ops", "comm"):
        for file in sorted((tree.source_tree() / folder).rglob("*.c")):
            text = re.sub(r"/\*.*?\*/", " ", file.read_text(), flags=re.S)
            for found in MESSAGE.findall(text):
                words = "".join(each[1:-1] for each in re.findall(STRING, found)).replace('\\"', '"')
                if " " in words and IN_C.search(words) and not is_of_a_kernel(words):
                    yield file.name, words


def is_of_a_kernel(words):
    """Whether this is text in the languages of kernels."""
    return re.search(r"[{}#]|\\n|; $|\byoke_[iu](?:32|64|%s)|YOKE_(?:GLOBAL|SHARED|FUNCTION|RESTRICT)\b|yoke_float2\(", words)


def test_no_message_has_words_of_c():
    left, seen = [], 0
    for file, words in messages():
        text = words if words.startswith("yoke_") else "yoke_some: " + words.removeprefix("%s: ")
        told = errors.text_for_python(text, yoke.KernelArgumentError if file == "arguments.c" else yoke.Error)
        names = [each for each in IN_C.findall(told) if not VARIABLES.match(each)]
        seen += 1
        if names and not any(each.search(words) for each in NEVER_IN_PYTHON):
            left.append((file, told))
    assert left == [] and seen > 80
