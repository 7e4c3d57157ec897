"""The claims of the HP-SDP paper's section 4, each set beside what was measured."""
import dataclasses

METHODS = ("published", "tight")
# The paper's algorithms: mechanism, and which error. Only HP-SDP is post-processed.
ALGORITHMS = {
    "HP-SDP": ("local_hash", "mse_pop"), "HP-SM": ("local_hash", "mse_raw"),
    "SH": ("grr", "mse_raw"), "AUE": ("aue", "mse_raw"), "MURS": ("murs", "mse_raw"),
    "mixDUMP": ("mix_dump", "mse_raw"), "pureDUMP": ("pure_dump", "mse_raw"),
    "Laplace": ("laplace", "mse_raw"),
}
OTHERS = ("SH", "MURS", "AUE", "mixDUMP", "pureDUMP")
SMALL = (0.1, 0.2, 0.3, 0.4, 0.5)


class Measurements:
    """The rows of all runs, by data set, method, delta, epsilon and mechanism."""

    def __init__(self):
        self.rows = {}
        self.users = {}
        self.domain = {}

    def add(self, data, answer):
        self.users[data], self.domain[data] = answer["users"], answer["domain"]
        for row in answer["rows"]:
            self.rows[data, row["method"], row["delta"], row["epsilon"], row["mechanism"]] = row

    def cells(self, method, data=None, deltas=None, epsilons=None):
        """The (data, method, delta, epsilon) that were measured and are asked for."""
        seen = dict.fromkeys(key[:4] for key in self.rows)
        return [cell for cell in seen if cell[1] == method and (data is None or cell[0] in data) and
                (deltas is None or cell[2] in deltas) and (epsilons is None or cell[3] in epsilons)]

    def error(self, cell, algorithm):
        """None where the algorithm is not feasible."""
        mechanism, member = ALGORITHMS.get(algorithm, (algorithm, "mse_raw"))
        return self.rows[(*cell, mechanism)][member]

    def ratios(self, over, under, **where):
        found = []
        for cell in self.cells(**where):
            above, below = self.error(cell, over), self.error(cell, under)
            if above is not None and below is not None:
                found.append(above / below)
        return found


@dataclasses.dataclass(frozen=True)
class Claim:
    """That the error of `over` is between `low` and `high` times that of `under`."""
    text: str
    over: str
    under: str
    low: float
    high: float
    data: tuple = None
    deltas: tuple = None
    epsilons: tuple = None


def order(orders):
    """Five orders of magnitude: 10^4.5 and more, so that roundings are on the claim's side."""
    return 10 ** (orders - 0.5)


ANY = float("inf")
REAL = ("cities", "kosarak")
ZIPF = ("zipf-1.1", "zipf-1.5")
CLAIMS = [
    *(Claim(f"HP-SM is better than {other}", other, "HP-SM", 1, ANY) for other in OTHERS),
    *(Claim(f"HP-SDP is better than {other}", other, "HP-SDP", 1, ANY) for other in OTHERS),
    Claim("HP-SDP is close to Laplace (taken as: at most twice its error)", "HP-SDP", "Laplace", 0,
          2),
    Claim("MURS is close to HP-SM (taken as: within a factor 1.5)", "MURS", "HP-SM", 1 / 1.5, 1.5),
    Claim("SH is 5 orders above HP-SM on Normal, δ = 10⁻⁶, ε ≤ 0.5", "SH", "HP-SM", order(5), ANY,
          ("normal",), (1e-6,), SMALL),
    Claim("SH is 6 orders above HP-SM on Zipf, δ = 10⁻⁶, ε ≤ 0.5", "SH", "HP-SM", order(6), ANY,
          ZIPF, (1e-6,), SMALL),
    Claim("SH is 6 orders above HP-SDP on Normal, δ = 10⁻⁶, ε ≤ 0.5", "SH", "HP-SDP", order(6), ANY,
          ("normal",), (1e-6,), SMALL),
    Claim("SH is 7 orders above HP-SDP on Zipf, δ = 10⁻⁶, ε ≤ 0.5", "SH", "HP-SDP", order(7), ANY,
          ZIPF, (1e-6,), SMALL),
    Claim("SH is 5 orders above HP-SM on cities and Kosarak", "SH", "HP-SM", order(5), ANY, REAL),
    Claim("HP-SDP is about 1.7 times as accurate as SH on cities and Kosarak (taken as: 1.2 to "
          "2.4)", "SH", "HP-SDP", 1.2, 2.4, REAL),
    Claim("SH is 6 orders above HP-SDP on cities and Kosarak, δ = 10⁻⁶, ε ≤ 0.5", "SH", "HP-SDP",
          order(6), ANY, REAL, (1e-6,), SMALL),
    Claim("mixDUMP is 3 orders above HP-SDP on cities and Kosarak, δ = 10⁻⁶, ε ≤ 0.5", "mixDUMP",
          "HP-SDP", order(3), ANY, REAL, (1e-6,), SMALL),
    Claim("HP-SDP is about 3 times as accurate as MURS on cities and Kosarak (taken as: 2 to 4.5)",
          "MURS", "HP-SDP", 2, 4.5, REAL),
]


def number(value):
    """Three digits, without an exponent where a person reads it without."""
    if 0.01 <= value < 10000:
        return f"{value:.3g}" if value < 1000 else f"{value:.0f}"
    return f"{value:.1e}"


def span(values):
    low, high = number(min(values)), number(max(values))
    return low if low == high else f"{low} to {high}"


def verdict(good, all_):
    if all_ == 0:
        return "not measured"
    if good == all_:
        return "holds"
    return "does not hold" if good == 0 else f"in {good} of {all_}"


def judge(claim, measured, method):
    """The verdict and the range of the ratio."""
    ratios = measured.ratios(claim.over, claim.under, method=method, data=claim.data,
                             deltas=claim.deltas, epsilons=claim.epsilons)
    good = sum(claim.low <= ratio <= claim.high for ratio in ratios)
    return verdict(good, len(ratios)), span(ratios) if ratios else "–"


def falling(measured, method):
    """How many curves of the paper's algorithms fall with every step of epsilon, and how many there
    are. A step counts as a fall if it is no rise by over 4 standard errors."""
    good = all_ = 0
    curves = dict.fromkeys((data, delta) for data, _, delta, _ in measured.cells(method))
    for data, delta in curves:
        for mechanism, member in ALGORITHMS.values():
            points = []
            for cell in sorted(measured.cells(method, (data,), (delta,)), key=lambda c: c[3]):
                row = measured.rows[(*cell, mechanism)]
                if row["feasible"]:
                    points.append((row[member], row[member + "_stderr"]))
            if len(points) < 2:
                continue
            all_ += 1
            good += all(b <= a + 4 * (ea + eb) for (a, ea), (b, eb) in zip(points, points[1:]))
    return good, all_


def nearing(measured, method):
    """In how many data sets and deltas HP-SDP is nearer to Laplace at the largest epsilon than at
    the smallest, out of how many."""
    good = all_ = 0
    for data, delta in dict.fromkeys((c[0], c[2]) for c in measured.cells(method)):
        cells = sorted(measured.cells(method, (data,), (delta,)), key=lambda c: c[3])
        first, last = (measured.error(c, "HP-SDP") / measured.error(c, "Laplace")
                       for c in (cells[0], cells[-1]))
        all_ += 1
        good += last < first
    return good, all_
