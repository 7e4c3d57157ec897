"""Strings, as docs/wire-format.md has them: how a text is spelled, which symbols it becomes, and the cells
of its prefixes under the task's public functions."""

import hashlib
import struct
import unicodedata

from count_tables import poisson
from wire_messages import messages, require

FUNCTIONS = 256
END = 0
MOST_SPELLED = 4096
MOST_CELLS = 1 << 24
UNICODE = "15.0"
WAYS = ("one_message", "dummies", "every_level")


# --- What a device refuses ------------------------------------------------------------------------


def check_strings(task, check_dummies):
    """Refused if what the task says of its strings is out of its bounds."""
    strings = task.strings
    require(not any(task.HasField(field) for field in
                    ("mechanism", "items", "levels", "numbers", "records", "stream")),
            "strings have a mechanism, or what belongs to another kind")
    require(not task.domain.labels and not task.domain.HasField("other"),
            "strings have labels or other")
    check_alphabet(strings)
    require(task.domain.size == symbol_count(strings), "domain.size is not the number of symbols")
    require(1 <= strings.length <= 255, "strings.length is not 1 to 255")
    require(1 <= strings.step <= strings.length and strings.length % strings.step == 0,
            "strings.step does not divide strings.length")
    require(symbol_count(strings) ** strings.step <= 1 << 32, "symbols^step is above 2^32")
    require(1 << 6 <= strings.range <= 1 << 24 and strings.range & (strings.range - 1) == 0,
            "strings.range is no power of two from 2^6 to 2^24")
    require(1 <= strings.least_holders <= 1 << 40, "strings.least_holders is not 1 to 2^40")
    way = strings.WhichOneof("messages")
    require(way in WAYS, "strings.messages are unknown")
    if way == "one_message":
        require(strings.one_message.blanket_threshold >= 1, "blanket_threshold is 0")
    else:
        check_dummies(getattr(strings, way))
    if way == "every_level":
        require(level_count(strings) * strings.range <= MOST_CELLS,
                "all levels together have more than 2^24 buckets")


def check_alphabet(strings):
    pb = messages("task")
    characters = strings.alphabet
    require(len(characters) <= 254 and len(set(characters)) == len(characters)
            and not {"\0", "\ufffd"} & set(characters),
            "strings.alphabet is not up to 254 different characters")
    if strings.spelling == pb.SPELLING_AS_IT_IS:
        require(not characters, "characters are not spelled")
        require(not strings.unicode, "strings.unicode is there for what is not spelled")
        return
    require(strings.spelling in (pb.SPELLING_COMPOSED, pb.SPELLING_FOLDED),
            "strings.spelling is unknown")
    require(strings.unicode == UNICODE, "strings.unicode is another version")
    require(all(spelled(strings, character.encode()) == character.encode()
                for character in characters), "a character is not as it is spelled")


def symbol_count(strings):
    """With "end" and "other"."""
    return len(strings.alphabet) + 2 if strings.alphabet else 256


def level_count(strings):
    return 1 if strings.whole else strings.length // strings.step


def most_reports_of_strings(strings):
    """Of one submission."""
    way = strings.WhichOneof("messages")
    if way == "one_message":
        return 1
    return (level_count(strings) if way == "every_level" else 1) + getattr(strings, way).max


# --- From a text to symbols -----------------------------------------------------------------------


def spelled(strings, text):
    """The bytes of a text (bytes, too) as the task spells it."""
    pb = messages("task")
    if strings.spelling == pb.SPELLING_AS_IT_IS:
        return text
    try:
        characters = text.decode("utf-8")[:MOST_SPELLED]
    except UnicodeDecodeError:
        require(False, "the text is not UTF-8")
    # What Unicode 15.0 lacks would become U+FFFD. Python's tables are of another version, so that this
    # device cannot tell and says nothing.
    require(all(unicodedata.category(character) != "Cn" for character in characters),
            "the text has a character that is unknown here")
    if strings.spelling == pb.SPELLING_FOLDED:
        characters = unicodedata.normalize("NFD", characters).casefold()
    return unicodedata.normalize("NFC", characters).encode()


def symbols_of(strings, text):
    """`length` symbols of a text, which is bytes."""
    text = spelled(strings, text)
    other = symbol_count(strings) - 1
    if strings.alphabet:
        number = {character: place for place, character in enumerate(strings.alphabet, 1)}
        symbols = [number.get(character, other) for character in text.decode()]
    else:
        symbols = [byte or other for byte in text]
    return (symbols + [END] * strings.length)[:strings.length]


# --- Keys and buckets -----------------------------------------------------------------------------


def first_eight(*parts):
    return int.from_bytes(hashlib.sha256(b"".join(parts)).digest()[:8], "big")


def key_of(strings, task_id, level, symbols):
    """The key of a string's prefix at a level."""
    through = strings.length if strings.whole else (level + 1) * strings.step
    parent = symbols[:through - strings.step]
    first = first_eight(b"tombola/v1/prefix", task_id, bytes((level, len(parent))), bytes(parent))
    own = 0
    for symbol in symbols[len(parent):through]:
        own = own * symbol_count(strings) + symbol
    return (first + own) % (1 << 64)


def function_of(task_id, j):
    """Multiplier and offset of public function j."""
    digest = hashlib.sha256(b"tombola/v1/function" + task_id + j.to_bytes(2, "big")).digest()
    return int.from_bytes(digest[:8], "big"), int.from_bytes(digest[8:16], "big")


def bucket_of(strings, task_id, j, key):
    multiplier, offset = function_of(task_id, j)
    bits = strings.range.bit_length() - 1
    return (multiplier * key + offset) % (1 << 64) >> (64 - bits)


# --- Reports --------------------------------------------------------------------------------------


def string_report(level, function, bucket):
    return struct.pack("<BBI", level, function, bucket)


def encode_string(strings, task_id, text, random):
    """The reports of one fresh submission of a text (bytes), in no order yet."""
    symbols = symbols_of(strings, text)
    way = strings.WhichOneof("messages")
    every = range(level_count(strings))
    levels = every if way == "every_level" else [random.randbelow(len(every))]
    reports = []
    for level in levels:
        function = random.randbelow(FUNCTIONS)
        bucket = bucket_of(strings, task_id, function, key_of(strings, task_id, level, symbols))
        if (way == "one_message"
                and random.randbits(64) < strings.one_message.blanket_threshold):
            bucket = random.randbelow(strings.range)
        reports.append(string_report(level, function, bucket))
    if way != "one_message":
        dummies = getattr(strings, way)
        reports += [string_report(random.randbelow(len(every)), random.randbelow(FUNCTIONS),
                                  random.randbelow(strings.range))
                    for _ in range(min(poisson(dummies.rate).draw(random), dummies.max))]
    return reports
