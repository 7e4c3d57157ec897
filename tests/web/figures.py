"""Numbers as the page writes them, computed once more from the answer."""
import decimal
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
    """What lies in the middle of two decimals becomes the larger, as a browser has it; 66.25 is such."""
    rounded = decimal.Decimal(number).quantize(decimal.Decimal(1).scaleb(-decimals), decimal.ROUND_HALF_UP)
    text = f"{rounded:,f}"
    return text.lstrip("-") if float(text.replace(",", "")) == 0 else text.replace("-", "−")


def mean(a_bin):
    """The further cells of a key."""
    if a_bin["mean"] is None:
        return ["too few holders", "–", "–"]
    return cells({"value": a_bin["mean"], "low": a_bin["mean_low"], "high": a_bin["mean_high"]})


def cells(one):
    """An estimate's value, the wider half of its interval to two digits, and the interval."""
    half = max(one["high"] - one["value"], one["value"] - one["low"])
    decimals = decimals_for(half)
    tens = 1 if half < 100 else 10 ** (math.floor(math.log10(half)) - 1)

    def words(number):
        return plain(number if tens == 1 else math.floor(number / tens + 0.5) * tens, decimals)

    return [words(one["value"]), words(half), f"{words(one['low'])} to {words(one['high'])}"]


def estimate(one):
    """Such as 41.27 ± 0.31."""
    value, half, _ = cells(one)
    return f"{value} ± {half}"


def share(one):
    """Such as 24.61 % ± 0.28."""
    value, half, _ = cells({name: one[name] * 100 for name in ("value", "low", "high")})
    return f"{value} % ± {half}"


def largest_first(bins, by="frequency"):
    """Equal ones by their raw estimate, then in the answer's order."""
    return sorted(bins, key=lambda a_bin: (-a_bin[by], -a_bin["raw"]))


def domain(task):
    """What a task asks for; ranges are whole numbers here."""
    numbers = task["numbers"]
    if task["records"] is not None:
        most = task["records"]["max_records"]
        return f"up to {most} record{'' if most == 1 else 's'}"
    if task.get("strings") is not None:
        strings = task["strings"]
        return (f"strings of up to {strings['length']} characters of an alphabet of "
                f"{len(strings['alphabet'])}, found {strings['step']} at a time")
    if numbers is None:
        return f"{task['domain']:,} values"
    words = f"numbers from {plain(numbers['low'], 0)} to {plain(numbers['high'], 0)}"
    return f"mean of {words}" if numbers["dithered"] else f"{words} in {numbers['bins']:,} bins"
