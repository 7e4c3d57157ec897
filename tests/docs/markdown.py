"""What the tests need of a Markdown document: its fenced blocks with the markers above them, its
headings' anchors, its links and pictures, and its inline code."""
import dataclasses
import re

FENCE = re.compile(r"^ {0,3}```(.*)$")
MARKER = re.compile(r"^<!-- ([a-z][a-z ]*): (.*) -->$")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")


@dataclasses.dataclass(frozen=True)
class Block:
    """A fenced block: its kind is all that stands after the fence, `line` the fence's."""
    kind: str
    body: str
    line: int
    markers: dict


@dataclasses.dataclass(frozen=True)
class Link:
    text: str
    target: str
    line: int
    picture: bool


class Document:
    def __init__(self, path, name):
        self.path, self.name = path, name
        self.blocks, self.markers, self.prose = [], {}, []
        self._read(path.read_text(encoding="utf-8").splitlines())

    def _read(self, lines):
        """Prose is kept as (line, text), without the blocks and the markers."""
        markers, opened, body = {}, None, []
        for number, line in enumerate(lines, start=1):
            fence = FENCE.match(line)
            if opened is not None:
                if fence and not fence.group(1).strip():
                    self.blocks.append(Block(opened[1], "".join(body), opened[0], markers))
                    opened, body, markers = None, [], {}
                else:
                    body.append(line + "\n")
                continue
            marker = MARKER.match(line)
            if marker:
                markers[marker.group(1)] = marker.group(2)
                self.markers.setdefault(marker.group(1), marker.group(2))
            elif fence:
                opened = (number, fence.group(1).strip())
            else:
                markers = {}
                self.prose.append((number, line))
        if opened is not None:
            raise ValueError(f"{self.name}:{opened[0]}: the block does not end")

    def anchors(self):
        """As GitHub names them."""
        found = []
        for _, line in self.prose:
            heading = re.match(r"^#+ +(.*?) *$", line)
            if heading:
                text = LINK.sub(r"\2", heading.group(1)).replace("`", "").lower()
                anchor = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
                repeated = sum(1 for other in found if re.fullmatch(
                    re.escape(anchor) + r"(-\d+)?", other))
                found.append(f"{anchor}-{repeated}" if repeated else anchor)
        return set(found)

    def links(self):
        text = "\n".join(SPAN.sub(lambda span: "`" + "x" * len(span.group(1)) + "`", line)
                         for line in self._lines())
        return [Link(found.group(2), found.group(3), text.count("\n", 0, found.start()) + 1,
                     bool(found.group(1))) for found in LINK.finditer(text)]

    def spans(self):
        """[(line, inline code)]; a span may go on over the end of a line."""
        text = "\n".join(self._lines())
        return [(text.count("\n", 0, found.start()) + 1, " ".join(found.group(1).split()))
                for found in SPAN.finditer(text) if "\n\n" not in found.group(1)]

    def _lines(self):
        """The prose, each line at its place."""
        lines = [""] * (max((number for number, _ in self.prose), default=0) + 1)
        for number, line in self.prose:
            lines[number - 1] = line
        return lines
