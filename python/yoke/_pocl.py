# SPDX-License-Identifier: Apache-2.0
"""PoCL, an OpenCL driver for CPUs, as pip installs it beside the package: `pip install "yoke-gpu[pocl]"`."""

import os
import sys
from collections.abc import Iterable

VENDORS = "/etc/OpenCL/vendors"


def installed(folders: Iterable[str], vendors: str = VENDORS) -> str | None:
    """PoCL's library below one of the folders, where OpenCL's loader has no driver of the system's; else None. A loader is told of
    it by OCL_ICD_VENDORS, which hides the system's drivers, so that it is for machines without."""
    try:
        if any([name.endswith(".icd") for name in os.listdir(vendors)]):
            return None
    except OSError:
        pass
    for folder in folders:
        place = os.path.join(folder, "pyopencl", ".libs")
        try:
            with open(os.path.join(place, "pocl.icd")) as file:
                library = os.path.join(place, os.path.basename(file.read().strip()))
        except (OSError, UnicodeDecodeError):
            continue
        if os.path.isfile(library):
            return library
    return None


def use() -> None:
    """Name it to OpenCL's loader, unless the environment names drivers."""
    if "OCL_ICD_VENDORS" not in os.environ:
        library = installed([each for each in sys.path if each.endswith("-packages")])
        if library:
            os.environ["OCL_ICD_VENDORS"] = library
