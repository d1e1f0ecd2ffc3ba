# SPDX-License-Identifier: Apache-2.0
# For the modules beside it, which have stubs.
from typing import Any

def __getattr__(name: str) -> Any: ...
