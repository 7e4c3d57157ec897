#!/usr/bin/env python3
"""The table of log events in docs/operate.md says what the sources log, and nothing else.

usage: log_events_test.py SOURCE_DIR [unittest arguments]
"""
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
LEVELS = {"Debug": "debug", "Info": "info", "Warning": "warning", "Error": "error"}
ROOMS = ("common", "shuffler", "collector")


def call(text, start):
    """The text of a call from its opening parenthesis to the closing one."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[start:at + 1]
    raise ValueError("a call does not end")


def logged(text):
    """[(event, levels, fields)] of one source."""
    found = []
    for match in re.finditer(r"\blog::(Debug|Info|Warning|Error|Write)\(", text):
        words = call(text, match.end() - 1)
        name = re.search(r'"([a-z_]+)"', words)
        levels = {LEVELS[match[1]]} if match[1] != "Write" else \
            {word.lower() for word in re.findall(r"Level::k(\w+)", words)}
        fields = tuple(re.findall(r'\{\s*"([a-z_]+)",', words[name.end():]))
        found.append((name[1], levels, fields))
    return found


def events():
    """event -> (levels, fields), of all sources but tests."""
    table = {}
    for room in ROOMS:
        for path in sorted((SOURCE / room).rglob("*.cc")):
            if path.name.endswith("_test.cc") or path.parent == SOURCE / "common/log":
                continue
            for name, levels, fields in logged(path.read_text(encoding="utf-8")):
                known_levels, known_fields = table.setdefault(name, (set(), set()))
                known_levels |= levels
                known_fields |= set(fields)
    return table


def documented(guide):
    """The same, of the table."""
    rows = re.findall(r"^\| `([a-z_]+)` \| ((?:debug|info|warning|error)[a-z, ]*) \|([^|]*)\|([^|]*)\|",
                      guide, re.M)
    return {name: (set(levels.split(", ")), set(re.findall(r"`([a-z_]+)`", fields)))
            for name, levels, _, fields in rows}


class LogEvents(unittest.TestCase):
    def test_the_table_and_the_sources_agree(self):
        guide = (SOURCE / "docs/operate.md").read_text(encoding="utf-8")
        sources, table = events(), documented(guide)
        self.assertGreater(len(sources), 20)
        self.assertEqual(sorted(table), sorted(sources))
        for name, found in sources.items():
            self.assertEqual(table[name], found, name)

    def test_a_call_is_read_whole(self):
        text = '''log::Write(bad ? log::Level::kWarning : log::Level::kInfo, "a_b",
            {{"one", f(x, ")"[0])}, {"two", 2}});'''.replace('")"[0]', "y")
        self.assertEqual(logged(text), [("a_b", {"warning", "info"}, ("one", "two"))])

    def test_no_field_is_of_a_sender(self):
        for name, (_, fields) in events().items():
            for word in ("address", "peer", "ip", "device", "sender", "submission_id", "report"):
                self.assertNotIn(word, fields, name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
