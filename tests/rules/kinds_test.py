#!/usr/bin/env python3
"""Every kind of proto/tombola/v1/task.proto stands in each list that no compiler compares with it; those of
C++ are compared by tests/kind.

usage: kinds_test.py SOURCE_DIR [unittest arguments]
"""
import json
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
# Where a kind has a file of its name.
FILES = ("common/kind/{}.h", "client/place/{}.h", "collector/answer/{}.h", "common/json/{}.h",
         "cli/query/{}.h", "cli/report/{}_line.h",
         "python/tombola_query/{}.py", "web/src/task/{}_body.ts")


def read(path):
    return (SOURCE / path).read_text(encoding="utf-8")


def names():
    """Their names, in the wire's order."""
    listed = re.search(r"enum Kind \{(.*?)\n\}", read("proto/tombola/v1/task.proto"), re.S)[1]
    return [name.lower() for name in re.findall(r"KIND_(\w+) = [1-9]", listed)]


class Kinds(unittest.TestCase):
    def test_a_kind_has_a_file_of_its_name_wherever_kinds_differ(self):
        self.assertIn("histogram", names())
        for name in names():
            for file in FILES:
                self.assertTrue((SOURCE / file.format(name)).is_file(), file.format(name))

    def test_the_wire_has_a_question_and_a_body_for_each(self):
        text = read("proto/tombola/v1/collector.proto")
        for oneof in ("question", "body"):
            fields = re.search(rf"oneof {oneof} \{{(.*?)\n  \}}", text, re.S)[1]
            self.assertEqual(re.findall(r"(\w+) = \d+;", fields), names(), oneof)

    def test_python_asks_each(self):
        table = re.search(r"KINDS: .*? = \{(.*?)\n\}", read("python/tombola_query/kinds.py"), re.S)
        self.assertEqual(re.findall(r'"(\w+)": Kind', table[1]), names())
        for name in names():
            self.assertRegex(read("python/tombola_query/client.py"), rf"def {name}\(self")

    def test_the_page_shows_each(self):
        table = re.search(r"const kinds: .*? = \{(.*?)\n\};", read("web/src/task/kinds.ts"), re.S)
        self.assertEqual(re.findall(r"^  (\w+):", table[1], re.M), names())

    def test_http_describes_each(self):
        schemas = json.loads(read("collector/http/openapi.json"))["components"]["schemas"]
        for schema in ("Task", "WholeTask"):
            self.assertEqual(schemas[schema]["properties"]["kind"]["enum"], names(), schema)

    def test_the_documents_name_each(self):
        for name in names():
            for document, word in (("docs/cli.md", name), ("docs/wire-format.md", f"KIND_{name.upper()}")):
                self.assertTrue(re.search(rf"\b{word}\b", read(document)), f"{word} in {document}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
