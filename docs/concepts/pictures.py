"""The pictures of docs/concepts.md, each a function of what `tombola` says."""
import math
import pathlib
import sys

from canvas import Canvas, Plot

TREE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(TREE / "bench"), str(TREE / "python" / "tombola_query")]
import chart  # noqa: E402
from rounding import rounded_up  # noqa: E402

DELTA = 1e-6


def parties(_):
    """Who gets what."""
    canvas = Canvas(900, 330, "Three parties, and what each of them learns")
    boxes = ((24, "device", ("randomises its value,", "seals it for the collector"),
              "knows", ("its own value",), "does not know", ("anybody else's",)),
             (250, "shuffler", ("gathers sealed reports,", "waits, then permutes"),
              "knows", ("who reported, and when",), "does not know", ("what: it is sealed",)),
             (476, "collector", ("opens, counts,", "estimates the shares"),
              "knows", ("the randomised reports",), "does not know", ("whose they are",)),
             (702, "analyst", ("asks for the histogram",), "knows",
              ("shares, errors, guarantee",), "does not know", ("a single report",)))
    for x, name, does, knows, known, lacks, lacking in boxes:
        canvas.rect(x, 62, 174, 232, "box", 8)
        canvas.text(x + 87, 90, name, "strong", "middle")
        canvas.lines(x + 87, 114, does, "small", "middle")
        canvas.text(x + 87, 172, knows, "small soft", "middle")
        canvas.lines(x + 87, 192, known, "small", "middle")
        canvas.text(x + 87, 234, lacks, "small soft", "middle")
        canvas.lines(x + 87, 254, lacking, "small", "middle")
    for x, label in ((198, "TLS"), (424, "mTLS"), (650, "TLS")):
        canvas.arrow(x + 2, 140, x + 50)
        canvas.text(x + 26, 130, label, "small soft", "middle")
    canvas.text(24, 318, "The shuffler and the collector should belong to different owners: together "
                "they could undo the shuffle.", "small soft")
    return canvas.svg()


def denial(ask):
    """What one report says about its device: alone, and with a crowd to hide in."""
    values, users = ("red", "green", "blue"), 5000
    shuffled = candidate(ask.plan(users, len(values), 1), "grr")["local_epsilon"]
    canvas = Canvas(900, 372, "What a device says, by what it holds")
    for x, local, head in ((24, 1.0, "alone: local epsilon 1"),
                           (474, shuffled, f"in a crowd of {users:,}: local epsilon "
                                           f"{rounded_up(shuffled, 3)}")):
        weight = math.exp(local)
        right, wrong = (part / (weight + len(values) - 1) for part in (weight, 1.0))
        canvas.text(x, 66, head, "strong")
        for row, holds in enumerate(("red", "blue")):
            top = 92 + 128 * row
            canvas.text(x, top, f"holds {holds}, says", "soft")
            for index, says in enumerate(values):
                share, y = (right if says == holds else wrong), top + 14 + 28 * index
                canvas.text(x, y + 15, says)
                canvas.rect(x + 52, y, 280 * share, 20, f"b{(1, 2, 0)[index]}", 2)
                canvas.text(x + 60 + 280 * share, y + 15, percent(share))
        canvas.text(x, 350, f"hearing “red” favours red over blue {times(weight)} : 1", "small soft")
    return canvas.svg()


def odds(_):
    """Epsilon as a bet."""
    canvas = Canvas(760, 372, "A coin-toss guess, after the answer is published")
    left, width = 190, 440
    canvas.text(24, 62, "epsilon", "soft")
    canvas.text(left + width / 2, 62, "how sure an observer can become of one device, from 50 %",
                "soft", "middle")
    for row, epsilon in enumerate((0.1, 0.5, 1, 2, 4, 8)):
        y, factor = 80 + 38 * row, math.exp(epsilon)
        high = factor / (1 + factor)
        canvas.text(24, y + 17, f"{epsilon:g}", "strong")
        canvas.text(82, y + 17, f"odds × {times(factor)}", "small soft")
        canvas.rect(left, y, width, 24, "box", 3)
        canvas.rect(left + width * (1 - high), y, width * (2 * high - 1), 24, "b0", 3)
        canvas.text(left + width + 12, y + 17, f"{percent(1 - high)} to {percent(high)}", "small")
    y = 80 + 38 * 6
    for share in (0, 0.25, 0.5, 0.75, 1):
        canvas.path(f"M{left + width * share:.1f} 76V{y}", "grid")
        canvas.text(left + width * share, y + 18, percent(share), "small soft", "middle")
    canvas.text(24, y + 48, "The bar is everything the observer's belief can become (with "
                "delta 0).", "small soft")
    return canvas.svg()


def shuffle(ask):
    """What a crowd adds, by its size."""
    sizes = [10 ** (exponent / 2) for exponent in range(2, 15)]
    series = [(f"local epsilon {local}",
               [(round(size), ask.account("grr", round(size), local, 20)) for size in sizes], False)
              for local in (2, 4, 6, 8)]
    return chart.draw("Epsilon of a batch falls as its crowd grows (delta 1e-6, 20 values)",
                      "devices in the batch", "epsilon", series)


def wait(ask):
    """Why a batch waits."""
    smallest, planned = 4500, 5000
    local = candidate(ask.plan(smallest, 3, 1), "grr")["local_epsilon"]
    counts = range(2500, 6001, 250)
    points = [(count, ask.account("grr", count, local, 3)) for count in counts]
    canvas = Canvas(760, 410, "A batch waits until its guarantee holds")
    plot = Plot(canvas, (70, 76, 730, 340), (2500, 6000), (0.75, 1.6))
    canvas.rect(plot.x(2500), 76, plot.x(smallest) - plot.x(2500), 264, "bad")
    canvas.rect(plot.x(smallest), 76, plot.x(6000) - plot.x(smallest), 264, "good")
    plot.axes([(count, f"{count:,}") for count in range(2500, 6001, 500)],
              [(step / 4, f"{step / 4:.2f}") for step in range(3, 7)],
              f"devices held (planned {planned:,}, smallest batch {smallest:,})",
              "epsilon if it left now")
    plot.curve([(2500, 1), (6000, 1)], 1, dashed=True)
    plot.curve(points, 0)
    for count, epsilon in points:
        canvas.dot(plot.x(count), plot.y(epsilon), "b0")
    canvas.text(plot.x(2560), plot.y(1) + 20, "the task's target: epsilon 1", "small")
    canvas.text(plot.x(3600), 100, "held back", "strong", "middle")
    canvas.text(plot.x(5300), 100, "may leave", "strong", "middle")
    return canvas.svg()


def error(ask):
    """What a frequency is off by, against the crowd."""
    sizes = [round(10 ** (exponent / 2)) for exponent in range(6, 15)]
    lines = {"trusted curator": [], "correlated": [], "grr": [], "local_hash": [],
             "no shuffler": []}
    for size in sizes:
        plan = ask.plan(size, 20, 1)
        for name, mechanism in (("trusted curator", "laplace"), ("correlated",) * 2, ("grr",) * 2,
                                ("local_hash",) * 2):
            lines[name].append((size, math.sqrt(candidate(plan, mechanism)["mse"])))
        alone = ask.plan(size, 20, 1, "--max-local-epsilon", "1")
        lines["no shuffler"].append((size, math.sqrt(candidate(alone, "local_hash")["mse"])))
    return chart.draw("How far a frequency is off (epsilon 1, delta 1e-6, 20 values)",
                      "devices", "standard deviation of one frequency",
                      [(name, points, name in ("trusted curator", "no shuffler"))
                       for name, points in lines.items()])


def collusion(ask):
    """What is left when part of the crowd is the observer's own."""
    users = 100_000
    local = candidate(ask.plan(users, 20, 1), "grr")["local_epsilon"]
    shares = [step / 20 for step in range(20)] + [0.97, 0.98, 0.99, 0.995]
    points = [(share, ask.account("grr", users, local, 20, "--colluding", str(share)))
              for share in shares]
    canvas = Canvas(760, 410, "What is left if some of the crowd is not a crowd")
    plot = Plot(canvas, (70, 76, 730, 340), (0, 1), (0, 8))
    plot.axes([(step / 10, f"{10 * step} %") for step in range(0, 11, 2)],
              [(step, str(step)) for step in range(0, 9, 2)],
              "share of the reports that are the observer's own", "epsilon")
    plot.curve([(0, local), (1, local)], 1, dashed=True)
    plot.curve([*points, (1, local)], 0)
    canvas.text(plot.x(0.02), plot.y(local) + 20,
                f"local epsilon {rounded_up(local, 3)}: all others are, or shuffler and collector collude",
                "small")
    for share, epsilon in points:
        if share in (0, 0.1, 0.5, 0.9):
            canvas.dot(plot.x(share), plot.y(epsilon), "b0")
            canvas.text(plot.x(share) + 4, plot.y(epsilon) - 12, rounded_up(epsilon, 3), "small")
    return canvas.svg()


def candidate(plan, mechanism):
    return next(found for found in plan["candidates"] if found["mechanism"] == mechanism)


def percent(share):
    text = f"{100 * share:.1f}" if 0.001 <= share <= 0.999 else f"{100 * share:.2f}"
    return text.rstrip("0").rstrip(".") + " %" if "." in text else text + " %"


def times(factor):
    return f"{math.ceil(factor):,}" if factor >= 100 else rounded_up(factor, 3)


PICTURES = (parties, denial, odds, shuffle, wait, error, collusion)
