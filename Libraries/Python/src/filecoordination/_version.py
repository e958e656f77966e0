# SPDX-License-Identifier: Apache-2.0
"""The version of this package, which is that of the C library inside it."""

VERSION = "0.2.0"
