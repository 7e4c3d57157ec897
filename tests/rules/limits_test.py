#!/usr/bin/env python3
"""What other languages spell is what C++ and the wire have: the largest domain, and the ways of
post-processing.

usage: limits_test.py SOURCE_DIR [unittest arguments]
"""
import json
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))


def read(path):
    return (SOURCE / path).read_text(encoding="utf-8")


def largest():
    power = re.search(r"kLargestDomain = int64_t\{1\} << (\d+);", read("common/table/domain_size.h"))
    return int(power[1])


def parameters(name):
    """The schemas of the HTTP interface's query parameters of this name."""
    described = json.loads(read("collector/http/openapi.json"))
    lists = [call.get("parameters", ()) for path in described["paths"].values()
             for call in path.values() if isinstance(call, dict)]
    lists.append(described.get("components", {}).get("parameters", {}).values())
    return [parameter["schema"] for some in lists for parameter in some
            if parameter.get("name") == name]


class LargestDomain(unittest.TestCase):
    def test_messages_say_it(self):
        text = read("common/table/domain_size.h")
        self.assertEqual(set(re.findall(r"2\^(\d+)", text)), {str(largest())})

    def test_the_page_asks_for_no_more(self):
        domain = re.search(r"\bdomain: \{.*?to: 1 << (\d+),", read("web/src/plan/settings.ts"))
        self.assertEqual(int(domain[1]), largest())

    def test_the_http_interface_describes_it(self):
        most = {schema["maximum"] for name in ("domain", "top") for schema in parameters(name)}
        self.assertEqual(most, {1 << largest()})

    def test_the_wire_is_described_with_it(self):
        self.assertIn(f"2 <= size <= 2^{largest()}", read("proto/tombola/v1/task.proto"))
        self.assertIn(f"2 to 2^{largest()}", read("docs/wire-format.md"))


class Postprocessing(unittest.TestCase):
    """common/json/answer.cc reads its names from the wire's, as this does."""

    def setUp(self):
        names = re.findall(r"^  POSTPROCESS_(\w+) = [1-9]", read("proto/tombola/v1/collector.proto"),
                           re.MULTILINE)
        self.names = [name.lower() for name in names]
        self.assertGreaterEqual(len(self.names), 5)

    def test_the_page_offers_each_for_a_histogram(self):
        offered = re.search(r"const postprocesses.*?= \[(.*?)\n\];",
                            read("web/src/task/choices.ts"), re.DOTALL)
        # Shares of a histogram sum to one: it is not for them.
        meant = set(self.names) - {"clip"}
        self.assertEqual(set(re.findall(r'\["(\w+)", ', offered[1])), meant)

    def test_the_page_offers_for_shares_what_the_collector_takes(self):
        offered = re.search(r"const shareWays.*?= \[(.*?)\n\];", read("web/src/task/choices.ts"), re.DOTALL)
        taken = re.search(r"absl::StatusOr.* ProcessShares\(.*?\{(.*?)\n  \}", read("collector/answer/items.cc"),
                          re.DOTALL)
        ways = [re.sub(r"(?<=.)([A-Z])", r"_\1", way).lower()
                for way in re.findall(r"how != Postprocess::k(\w+)", taken[1])]
        self.assertEqual(sorted(re.findall(r'\["(\w+)", ', offered[1])), sorted(ways))
        self.assertLessEqual(set(ways), set(self.names))

    def test_the_http_interface_describes_each(self):
        described = parameters("postprocess")
        self.assertTrue(described)
        for schema in described:
            self.assertEqual(schema["enum"], self.names)
            self.assertEqual(schema["default"], self.names[0])

    def test_the_documents_list_each(self):
        flag = re.search(r"--postprocess ([\w\\|]+)\]", read("docs/cli.md"))
        self.assertEqual(flag[1].split("\\|"), self.names)
        for document in ("docs/query.md", "docs/mechanisms.md"):
            for name in self.names:
                self.assertIn(f"| `{name}`", read(document), document)


if __name__ == "__main__":
    unittest.main()
