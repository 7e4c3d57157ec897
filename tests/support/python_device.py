"""The Python device of tests/interop, for tests that send what the SDK would not. Import it before
`tombola_client`: it ends the program, as skipped, where something that the device needs is missing.
"""
import pathlib
import tempfile

import requirements

requirements.exit_if_missing()
STUBS = tempfile.TemporaryDirectory(prefix="tombola_stubs_")
requirements.generate_stubs(str(pathlib.Path(__file__).resolve().parents[2] / "proto"), STUBS.name)

ACCEPTED, DUPLICATE, REJECTED = 1, 2, 3
