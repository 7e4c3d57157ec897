"""Builds tombola_query. What the package is stands in pyproject.toml; here is only the step that
setuptools does not know: the modules of the wire messages are generated from the .proto files of
the tree, into the build and never into the sources.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from setuptools import setup
from setuptools.command.build_py import build_py

TREE = pathlib.Path(__file__).resolve().parent.parent
# Folder and file: what CollectorQuery needs, and the details of a refused call.
PROTOS = [("proto", "tombola/v1/collector.proto"), ("proto", "tombola/v1/report.proto"),
          ("proto", "tombola/v1/task.proto"), ("common/rpc", "status_details.proto")]


def tool(name, package):
    """The path of a program. protoc itself, because the one in Debian 12's python3-grpc-tools is
    too old for `optional` in proto3."""
    found = shutil.which(name)
    if not found:
        sys.exit(f"tombola-query: {name} is missing: apt-get install {package}")
    return found


def generate(directory):
    """The modules of the .proto files in `directory`, a package that imports its own."""
    protoc = tool("protoc", "protobuf-compiler")
    plugin = tool("grpc_python_plugin", "protobuf-compiler-grpc")
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        compile_protos(protoc, plugin, scratch)
        for path in sorted(pathlib.Path(scratch).rglob("*_pb2*")):
            text = path.read_text(encoding="utf-8")
            text = re.sub(r"^from tombola\.v1 import ", "from . import ", text, flags=re.M)
            (directory / path.name).write_text(text, encoding="utf-8")


def compile_protos(protoc, plugin, out):
    for folder, file in PROTOS:
        if not (TREE / folder / file).is_file():
            sys.exit(f"tombola-query: {TREE / folder / file} is missing: build in the whole tree")
        done = subprocess.run(
            [protoc, f"-I{TREE / folder}", f"--plugin=protoc-gen-grpc_python={plugin}",
             f"--python_out={out}", f"--pyi_out={out}", f"--grpc_python_out={out}", file],
            check=False)
        if done.returncode != 0:
            sys.exit(f"tombola-query: protoc refused {file} (google/protobuf/*.proto come with "
                     "libprotobuf-dev)")


class BuildWithStubs(build_py):
    """build_py, and then the generated modules."""

    def run(self):
        super().run()
        generate(pathlib.Path(self.build_lib) / "tombola_query" / "wire")

    def get_outputs(self, include_bytecode=True):
        wire = os.path.join(self.build_lib, "tombola_query", "wire")
        generated = [os.path.join(wire, pathlib.Path(file).stem + suffix) for _, file in PROTOS
                     for suffix in ("_pb2.py", "_pb2.pyi", "_pb2_grpc.py")]
        return [*super().get_outputs(include_bytecode), *generated]


# Nothing is left in the sources, which may be read-only or used by two builds at once.
with tempfile.TemporaryDirectory(prefix="tombola-query-") as build:
    setup(cmdclass={"build_py": BuildWithStubs},
          options={"build": {"build_base": build}, "egg_info": {"egg_base": build}})
