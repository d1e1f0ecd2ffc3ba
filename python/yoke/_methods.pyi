# SPDX-License-Identifier: Apache-2.0
# What this gives to Array is in the stub of that, _core/__init__.pyi.
