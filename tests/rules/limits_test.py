#!/usr/bin/env python3
"""The largest domain of common/table/domain_size.h is the one that other languages spell.

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


class LargestDomain(unittest.TestCase):
    def test_messages_say_it(self):
        text = read("common/table/domain_size.h")
        self.assertEqual(set(re.findall(r"2\^(\d+)", text)), {str(largest())})

    def test_the_page_asks_for_no_more(self):
        domain = re.search(r"\bdomain: \{.*?to: 1 << (\d+),", read("web/src/plan/settings.ts"))
        self.assertEqual(int(domain[1]), largest())

    def test_the_http_interface_describes_it(self):
        paths = json.loads(read("collector/http/openapi.json"))["paths"]
        most = {parameter["schema"]["maximum"]
                for path in paths.values() for call in path.values() if isinstance(call, dict)
                for parameter in call.get("parameters", ())
                if parameter.get("name") in ("domain", "top")}
        self.assertEqual(most, {1 << largest()})

    def test_the_wire_is_described_with_it(self):
        self.assertIn(f"2 <= size <= 2^{largest()}", read("proto/tombola/v1/task.proto"))
        self.assertIn(f"2 to 2^{largest()}", read("docs/wire-format.md"))


if __name__ == "__main__":
    unittest.main()
