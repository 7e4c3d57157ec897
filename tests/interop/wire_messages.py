"""The messages of the .proto files, and the one error for whatever breaks a rule of the page.

The stubs are generated: put the result of `generate_stubs` on sys.path before `messages`.
"""

import importlib
import shutil
import subprocess


class Refused(Exception):
    """What the other side sent does not keep the rules; nothing was encoded or sent."""


def require(condition, message):
    if not condition:
        raise Refused(message)


def generate_stubs(proto_dir, out_dir, files=("report", "shuffler", "task", "collector")):
    """Compiles tombola/v1/<file>.proto under `proto_dir` into Python modules under `out_dir`."""
    compile_protos(proto_dir, out_dir, [f"tombola/v1/{name}.proto" for name in files])


def compile_protos(proto_dir, out_dir, files):
    # protoc itself: the one inside Debian 12's grpc_tools is too old for `optional` in proto3.
    plugin = shutil.which("grpc_python_plugin")
    subprocess.run(["protoc", f"-I{proto_dir}", f"--plugin=protoc-gen-grpc_python={plugin}",
                    f"--python_out={out_dir}", f"--grpc_python_out={out_dir}", *files], check=True)


def messages(name):
    """The generated module of tombola/v1/<name>.proto."""
    return importlib.import_module(f"tombola.v1.{name}_pb2")


def parse(message_type, data, what):
    try:
        return message_type.FromString(data)
    except Exception as error:  # DecodeError's home differs between versions of protobuf.
        raise Refused(f"the {what} does not parse") from error
