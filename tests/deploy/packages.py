"""What tests do with Debian packages besides installing them."""
import re
import tempfile
import pathlib

from support.programs import run


def newer(package, folder):
    """The same package with a later version, made in a folder; its path."""
    with tempfile.TemporaryDirectory() as scratch:
        run("dpkg-deb", "--raw-extract", package, f"{scratch}/files")
        control = pathlib.Path(scratch) / "files/DEBIAN/control"
        text = control.read_text(encoding="utf-8")
        version = re.search(r"^Version: (.*)$", text, re.M)[1] + ".1"
        control.write_text(re.sub(r"^Version: .*$", f"Version: {version}", text, flags=re.M),
                           encoding="utf-8")
        path = pathlib.Path(folder) / f"{package.name.split('_')[0]}_{version}.deb"
        run("dpkg-deb", "--root-owner-group", "-Znone", "--build", f"{scratch}/files", path)
    return path
