"""What these tests need beyond Python itself: Debian's python3-grpcio, python3-protobuf and
python3-cryptography, protoc, and grpc_python_plugin of protobuf-compiler-grpc."""

import importlib
import os
import shutil
import sys

import wire_messages

SKIPPED = 77  # CMakeLists.txt names it as SKIP_RETURN_CODE.


def exit_if_missing():
    """Ends the program with SKIPPED, saying what is missing."""
    for module in ("grpc", "google.protobuf", "cryptography.hazmat.primitives.ciphers.aead"):
        try:
            importlib.import_module(module)
        except ImportError as error:
            print(f"skipped: {error}")
            sys.exit(SKIPPED)
    for tool in ("protoc", "grpc_python_plugin"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            sys.exit(SKIPPED)


def generate_stubs(proto_dir, out_dir):
    """The modules of all .proto files, in `out_dir` and importable from now on."""
    here = os.path.dirname(os.path.abspath(__file__))
    wire_messages.generate_stubs(proto_dir, out_dir)
    wire_messages.compile_protos(here, out_dir, ["health.proto"])
    sys.path.insert(0, out_dir)
