"""What can be wrong with a document without running it: each yields the problems, in words."""
import pathlib
import re

COMMAND = re.compile(r"^\s*(?:\$ +)?(?:tombola(?:-shuffler|-collector)?|\./dev) ")
MARKERS = {"needs", "run by", "not run", "fails", "numbers", "file"}


def escapes(document, source):
    """Commands that no test would run, and markers that say nothing."""
    for block in document.blocks:
        where = f"{document.name}:{block.line}"
        for name in block.markers.keys() - MARKERS:
            yield f"{where}: `{name}` is no marker; there are {', '.join(sorted(MARKERS))}"
        runs = block.kind == "sh" or (block.kind.startswith("sh ") and
                                      "run by" in document.markers)
        if runs or "not run" in block.markers:
            continue
        for line in block.body.splitlines():
            if COMMAND.match(line):
                yield (f"{where}: nobody runs `{line.strip()}`: make it a ```sh block, or say "
                       "<!-- not run: why -->")
    for number, line in document.prose:
        if line.startswith("    ") and COMMAND.match(line):
            yield f"{document.name}:{number}: a command in indented text: make it a fenced block"
    by = document.markers.get("run by")
    name = pathlib.PurePath(document.name).name
    if by and not ((source / by).is_file() and
                   name in (source / by).read_text(encoding="utf-8")):
        yield f"{document.name}: {by} does not run this document"


def spans(document, helps):
    """Inline commands and flags that the programs do not know. A flag of another tool stands in one
    of the document's blocks as well."""
    own = " ".join(block.body for block in document.blocks)
    for number, span in document.spans():
        if document.name == "docs/cli.md" and span.split()[0] in helps.commands():
            span = "tombola " + span.replace("\\|", "|")
        if "COMMAND" in span or "|" in span.split("--")[0]:
            continue
        problem = helps.problem(span)
        if span.startswith("--") and not problem:
            problem = next((f"no program has {flag}" for flag in helps.flags(span)
                            if flag not in helps.known() and flag not in own), None)
        if problem:
            yield f"{document.name}:{number}: `{span}`: {problem}"


def links(document, documents):
    for link in document.links():
        where = f"{document.name}:{link.line}"
        if link.picture and not link.text.strip():
            yield f"{where}: the picture {link.target} has no text for who cannot see it"
        if re.match(r"[a-z]+:", link.target):
            continue
        path, _, anchor = link.target.partition("#")
        target = (document.path.parent / path).resolve() if path else document.path
        if not target.exists():
            yield f"{where}: there is no {link.target}"
        elif anchor and target in documents and anchor not in documents[target].anchors():
            yield f"{where}: {path or document.name} has no heading #{anchor}"


def contents(book):
    """Every document of the book's folder stands in its contents."""
    listed = {(book.path.parent / link.target.partition("#")[0]).resolve()
              for link in book.links()}
    for path in sorted(book.path.parent.glob("*.md")):
        if path != book.path and path.resolve() not in listed:
            yield f"{book.name} does not list {path.name}"
