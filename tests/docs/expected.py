"""Whether a command printed what its document shows.

Lines are compared one by one, any run of blanks as one blank. In the document `…` stands for
anything within a line, and alone on a line for any lines. Ids of 16 hexadecimal digits and more may
differ, and so may the length of bars. Numbers must be the same, or, loosened, any or within a share
of the shown.
"""
import re

BARS = re.compile(r"[█▉▊▋▌▍▎▏├┤─◆]+(?: +[├┤─◆]+)*")
ID = re.compile(r"\b[0-9a-f]{16,}\b")
NUMBER = re.compile(r"(?<![\w.])[-−]?\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][-+]?\d+)?")
GAP = "…"


def tolerance(marker):
    """None: the same. A marker is `any` or `within N %`."""
    if marker is None or marker == "any":
        return None if marker is None else float("inf")
    within = re.fullmatch(r"within ([\d.]+) %", marker)
    if not within:
        raise ValueError(f"numbers: {marker}: say `any` or `within N %`")
    return float(within.group(1)) / 100


def tidy(line):
    return " ".join(BARS.sub("█", line).split())


def value(text):
    return float(text.replace(",", "").replace("−", "-"))


def pattern(line, loose):
    out, shown = [], []
    for part in re.split(f"({GAP}|{ID.pattern}" + (f"|{NUMBER.pattern}" if loose else "") + ")",
                         line):
        if part == GAP:
            out.append(".*")
        elif ID.fullmatch(part):
            out.append(f"[0-9a-f]{{{len(part)}}}")
        elif loose and NUMBER.fullmatch(part):
            out.append(f"({NUMBER.pattern})")
            shown.append(value(part))
        else:
            out.append(re.escape(part))
    return re.compile("".join(out)), shown


def line_agrees(shown, printed, allowed):
    compiled, numbers = pattern(tidy(shown), allowed is not None)
    found = compiled.fullmatch(tidy(printed))
    if not found:
        return False
    return all(abs(value(text) - number) <= allowed * abs(number) or allowed == float("inf")
               for text, number in zip(found.groups(), numbers))


def difference(shown, printed, marker=None):
    """None if they agree, else the first lines that do not, in words."""
    allowed = tolerance(marker)
    want, got = shown.rstrip("\n").split("\n"), printed.rstrip("\n").split("\n")
    reached = {0}  # how many printed lines the shown ones so far can account for
    for line in want:
        if line.strip() == GAP:
            reached = set(range(min(reached), len(got) + 1))
            continue
        after = {at + 1 for at in reached
                 if at < len(got) and line_agrees(line, got[at], allowed)}
        if not after:
            at = min(reached)
            return f"shown:   {line}\nprinted: {got[at] if at < len(got) else '(nothing more)'}"
        reached = after
    if len(got) in reached:
        return None
    return f"printed and not shown: {got[max(reached)]}"
