"""Whether a command in running text names a command and flags that the programs know."""
import functools
import re
import subprocess

FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
PROGRAMS = ("tombola", "tombola-shuffler", "tombola-collector")


class Helps:
    """`tools` are scripts whose text tells their flags; the first is ./dev."""

    def __init__(self, binaries, tools=()):
        self.binaries, self.tools = binaries, tools

    @staticmethod
    def flags(text):
        return FLAG.findall(text)

    @functools.lru_cache(maxsize=None)
    def text(self, program, *words):
        done = subprocess.run([self.binaries / program, *words, "--help"], capture_output=True,
                              text=True, timeout=30, check=False)
        return done.stdout if done.returncode == 0 else ""

    @functools.lru_cache(maxsize=None)
    def commands(self, *words):
        """The commands below a command."""
        listed = self.text("tombola", *words).partition("Subcommands:")[2]
        return re.findall(r"^  ([a-z]+) ", listed, re.M)

    @functools.lru_cache(maxsize=None)
    def known(self, *words):
        """The flags of a command and of those below it; of everything, without words."""
        if not words:
            found = {flag for tool in self.tools
                     for flag in self.flags(tool.read_text(encoding="utf-8"))}
            return found.union(*(self.known(program) for program in PROGRAMS))
        found = set(self.flags(self.text(*words)))
        for command in self.commands(*words[1:]) if words[0] == "tombola" else ():
            found |= self.known(*words, command)
        return found

    def problem(self, span):
        """What is wrong with inline code such as `tombola task create --name S`, or None."""
        words = span.split()
        if words[0] == "./dev" and len(words) > 1:
            known = re.findall(r"^  ([a-z]+)\)$", self.tools[0].read_text(encoding="utf-8"), re.M)
            return None if words[1] in known else f"./dev has no {words[1]}"
        if words[0] not in PROGRAMS:
            return None
        chosen = [words[0]]
        for word in words[1:] if words[0] == "tombola" else ():
            below = self.commands(*chosen[1:])
            if not below or not re.fullmatch(r"[a-z]+", word):
                break
            if word not in below:
                return f"there is no command `{' '.join([*chosen, word])}`"
            chosen.append(word)
        return next((f"`{' '.join(chosen)}` has no {flag}" for flag in self.flags(span)
                     if flag not in self.known(*chosen)), None)
