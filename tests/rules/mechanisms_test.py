#!/usr/bin/env python3
"""Every mechanism of common/mechanism/every.h stands in each list that no compiler compares with it.

usage: mechanisms_test.py SOURCE_DIR [unittest arguments]
"""
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
# Where each must be named, as code.
DOCUMENTS = ("docs/cli.md", "docs/mechanisms.md", "docs/plan.md", "docs/privacy.md",
             "docs/wire-format.md")
# Where each must be tried or drawn.
TESTS = ("bench/results_page.py", "tests/e2e/mechanisms_test.py", "tests/interop/mechanisms.py",
         "tests/interop/mechanism_cases.py")


def read(path):
    return (SOURCE / path).read_text(encoding="utf-8")


def snake(name):
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def listed():
    """The classes of the list, in its order."""
    return re.search(r"using Every\s*=\s*Mechanisms<([^>]+)>", read("common/mechanism/every.h"))[1] \
        .replace("\n", " ").replace(" ", "").split(",")


def names():
    """Their names, each from the file of the same name."""
    return [re.search(r'kName = "(\w+)"', read(f"common/mechanism/{snake(one)}.h"))[1]
            for one in listed()]


class Mechanisms(unittest.TestCase):
    def test_a_mechanism_is_a_file_of_its_name(self):
        self.assertEqual(names(), [snake(one) for one in listed()])
        for name in names():
            for file in (f"common/mechanism/{name}.cc", f"common/plan/{name}.cc"):
                self.assertTrue((SOURCE / file).is_file(), file)

    def test_the_wire_has_a_field_for_each(self):
        oneof = re.search(r"message Mechanism \{\s*oneof kind \{([^}]*)\}", read("proto/tombola/v1/task.proto"))
        self.assertEqual(re.findall(r"(\w+) = \d+;", oneof[1]), names())

    def test_the_page_draws_each(self):
        array = re.search(r"const names = \[([^\]]*)\]", read("web/src/plan/mechanisms.ts"))
        self.assertEqual(re.findall(r'"(\w+)"', array[1]), names() + ["laplace"])

    def test_the_charts_have_a_face_for_each(self):
        faces = re.search(r"kFaces\[\] = \{(.*?)\n\};", read("cli/simulate/output.cc"), re.S)
        self.assertEqual(re.findall(r'\{"(\w+)"', faces[1]), names() + ["laplace"])

    def test_the_documents_name_each(self):
        for document in DOCUMENTS:
            text = read(document)
            for name in names():
                self.assertRegex(text, rf"\b{name}\b", f"{name} is missing in {document}")

    def test_each_is_tried(self):
        for test in TESTS:
            text = read(test)
            for name in names():
                self.assertRegex(text, rf"\b{name}\b", f"{name} is missing in {test}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
