# SPDX-License-Identifier: Apache-2.0
"""python -m yoke: the version, the devices, and why others are missing."""

import yoke

if __name__ == "__main__":
    print(yoke.info())
