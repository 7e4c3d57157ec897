"""Numbers as the page writes them, computed once more from the answer."""
import math


def decimals_for(size, digits=2):
    size = abs(size)
    if size == 0:
        return digits
    return min(9, max(0, digits - 1 - math.floor(math.log10(size))))


def percent(share, decimals):
    return plain(share * 100, decimals) + " %"


def row(a_bin):
    """The cells of a bin: value, share, raw, half the interval, the interval."""
    half = (a_bin["high"] - a_bin["low"]) / 2
    decimals = decimals_for(half * 100)
    return [str(a_bin["value"]), percent(a_bin["frequency"], decimals),
            percent(a_bin["raw"], decimals), f"{half * 100:.{decimals}f}",
            f"{percent(a_bin['low'], decimals)} to {percent(a_bin['high'], decimals)}"]


def plain(number, decimals):
    text = f"{number:.{decimals}f}".replace("-", "−")
    return text[1:] if float(text.replace("−", "-")) == 0 and text[0] == "−" else text


def mean(a_bin):
    """The further cells of a key: its mean, the wider half of the interval, the interval."""
    if a_bin["mean"] is None:
        return ["too few holders", "–", "–"]
    half = max(a_bin["mean_high"] - a_bin["mean"], a_bin["mean"] - a_bin["mean_low"])
    decimals = decimals_for(half)
    return [plain(a_bin["mean"], decimals), f"{half:.{decimals}f}",
            f"{plain(a_bin['mean_low'], decimals)} to {plain(a_bin['mean_high'], decimals)}"]


def largest_first(bins, by="frequency"):
    """Equal ones by their raw estimate, then in the answer's order."""
    return sorted(bins, key=lambda a_bin: (-a_bin[by], -a_bin["raw"]))
