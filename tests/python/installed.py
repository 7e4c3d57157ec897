"""tombola-query, installed from the tree into a scratch folder as docs/query.md has it."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77  # CMakeLists.txt names it as SKIP_RETURN_CODE.
# Without what this machine's user has set for pip and Python.
ENVIRONMENT = {key: value for key, value in os.environ.items()
               if not key.startswith(("PIP_", "PYTHON"))}


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def exit_if_missing(*modules):
    """Ends the program with SKIPPED, saying what is missing to build and run the package."""
    for module in ("pip", "setuptools", "wheel", "grpc", "google.protobuf", *modules):
        try:
            found = importlib.util.find_spec(module)
        except ModuleNotFoundError:
            found = None
        if found is None:
            skip(f"the Python module {module} is not installed")
    for tool in ("protoc", "grpc_python_plugin"):
        if not shutil.which(tool):
            skip(f"{tool} is not installed")


def install(source, target):
    """Installs `source`/python into the folder `target`."""
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
                    "--no-build-isolation", "--root-user-action=ignore",
                    "--disable-pip-version-check", "--target", str(target),
                    str(pathlib.Path(source) / "python")], check=True, env=ENVIRONMENT)


class Package:
    """A scratch folder with the package, importable from now on; `cleanup` removes it."""

    def __init__(self, source):
        self.folder = tempfile.TemporaryDirectory(prefix="tombola_python_")
        self.site = os.path.join(self.folder.name, "site")
        install(source, self.site)
        sys.path.insert(0, self.site)

    def cleanup(self):
        sys.path.remove(self.site)
        self.folder.cleanup()
