"""docs/results.md, written from measurements."""
import textwrap

from results_claims import CLAIMS, METHODS, falling, judge, nearing, span, verdict

# Those that `simulate --mechanism all` compares: rappor is planned only where it is named.
MECHANISMS = ("local_hash", "grr", "aue", "murs", "mix_dump", "pure_dump", "correlated", "laplace")
SINGLE = ("local_hash", "grr", "murs")
SHUFFLED = tuple(name for name in MECHANISMS if name != "laplace")
NAMES = {"local_hash": ("HP-SM", "HP-SDP"), "grr": ("SH", "SH + POP"), "aue": ("AUE", "AUE + POP"),
         "murs": ("MURS", "MURS + POP"), "mix_dump": ("mixDUMP", "mixDUMP + POP"),
         "pure_dump": ("pureDUMP", "pureDUMP + POP"), "correlated": ("–", "–"),
         "laplace": ("Laplace", "Laplace + POP")}
RIVALS = (("SH", "grr"), ("MURS", "murs"), ("AUE", "aue"), ("mixDUMP", "mix_dump"),
          ("pureDUMP", "pure_dump"))
DELTAS = {1e-6: "10⁻⁶", 1e-9: "10⁻⁹"}

HEAD = """# Results: all mechanisms on the paper's data

The HP-SDP paper (see [errata.md](errata.md)) compares eight algorithms by their mean squared error
on four data sets, its Figures 3 to 6. This page repeats the comparison with Tombola's own
mechanisms, and says where the paper's claims hold. It is made by `./dev results{flag}` and not
edited by hand; every number is measured by `tombola simulate` with seed {seed}.

| paper | here | messages |
|---|---|---|
| HP-SDP | `local_hash`, post-processed by POP | 1 |
| HP-SM | `local_hash` without POP | 1 |
| SH | `grr` | 1 |
| MURS | `murs`; the shuffler adds a tenth as many fakes as there are users (the paper gives no number) | 1 |
| AUE, pureDUMP | `aue`, `pure_dump` | several |
| mixDUMP | `mix_dump`, with half of pureDUMP's dummies (the paper gives no number) | several |
| Laplace | `laplace`: central, needs a party that sees every value | |
| – | `correlated`: not in the paper | several |

Every mechanism is planned for the target with all users honest, under two accountants.
*Published*: the closed forms of the papers. *Tight*: Tombola's numerical accountants
([privacy.md](privacy.md)). All estimates are unbiased before post-processing; the paper's own
estimator is not ([errata.md](errata.md)) and is not used.

The error is the squared error of a frequency, averaged over the values and over independent batches
of the same users. Counts are drawn from their law instead of running devices
(`tombola simulate --real` runs them; tests hold the two together). For `local_hash` and `murs` the
values' counts are drawn independently of each other, which leaves the error before post-processing
exact in expectation and the one after it nearly so.
"""

CHECK = ("Over {cells:,} feasible cells the simulated error before post-processing is {low:.3f} to "
         "{high:.3f} times the predicted one. The largest standard error of a cell is {spread:.1f} "
         "% (before) and {spread_pop:.1f} % (after POP) of its value: ratios nearer to one than "
         "that say nothing.")

CLAIMS_ABOUT = (
    "The claims of its section 4, with what was measured under either accounting: in how many cells "
    "(data set, δ, ε) it holds, and the range of the ratio of the two errors. As in the paper only "
    "HP-SDP is post-processed. Five orders of magnitude are taken as 10^4.5 and more, and so on. "
    "Cells where one of the two is not feasible are left out.")

LEGEND = """`–`: not feasible, the closed form is not proven there or the mechanism has none. `†`: the
closed form gives nothing better than the target itself as the device's own budget, so what is
measured is local differential privacy without any help of the shuffle.
"""


def wrap(text, indent=""):
    return textwrap.fill(text, 100, subsequent_indent=indent, break_long_words=False,
                         break_on_hyphens=False)


def cell_text(row, member):
    if not row["feasible"]:
        return "–"
    return f"{row[member]:.2e}" + ("†" if row["reason"].startswith("local:") else "")


def table(measured, data, delta, member):
    epsilons = sorted({c[3] for c in measured.cells("tight", (data,), (delta,))})
    lines = ["| mechanism | accounting | " + " | ".join(f"ε = {e:g}" for e in epsilons) + " |",
             "|---|---|" + "---|" * len(epsilons)]
    for mechanism in MECHANISMS:
        for method in METHODS:
            rows = [measured.rows[data, method, delta, e, mechanism] for e in epsilons]
            if not any(row["feasible"] for row in rows) or \
                    (mechanism == "laplace" and method != "tight"):
                continue
            paper = NAMES[mechanism][member == "mse_pop"]
            shown = f"`{mechanism}`" if paper == "–" else f"{paper} (`{mechanism}`)"
            how = "–" if mechanism == "laplace" else method
            lines.append(f"| {shown} | {how} | " +
                         " | ".join(cell_text(row, member) for row in rows) + " |")
    return "\n".join(lines) + "\n"


def claims_table(measured):
    lines = ["| claim | published | ratio | tight | ratio |", "|---|---|---|---|---|"]
    curves = [falling(measured, method) for method in METHODS]
    lines.append("| Every error falls as ε grows | " +
                 " | ".join(f"{verdict(*found)} | –" for found in curves) + " |")
    for claim in CLAIMS:
        judged = [judge(claim, measured, method) for method in METHODS]
        lines.append(f"| {claim.text} | " + " | ".join(f"{v} | {r}" for v, r in judged) + " |")
    near = [nearing(measured, method) for method in METHODS]
    lines.append("| HP-SDP comes closer to Laplace as ε grows | " +
                 " | ".join(f"{verdict(*found)} | –" for found in near) + " |")
    return "\n".join(lines) + "\n"


def best(measured, cell, mechanisms, member):
    errors = {m: measured.rows[(*cell, m)][member] for m in mechanisms
              if measured.rows[(*cell, m)]["feasible"]}
    return min(errors, key=errors.get)


def tally(measured, mechanisms, member, data=None):
    """Which mechanism is the best in how many cells of tight accounting, as words."""
    cells = measured.cells("tight", data)
    wins = {}
    for cell in cells:
        name = best(measured, cell, mechanisms, member)
        wins[name] = wins.get(name, 0) + 1
    parts = [f"`{name}` in {wins[name]}" for name in sorted(wins, key=wins.get, reverse=True)]
    return f"{', '.join(parts)} of {len(cells)}"


def gains(measured, mechanism, member):
    """Published over tight error, by cell."""
    found = []
    for data, _, delta, epsilon in measured.cells("tight"):
        loose, tight = (measured.rows[data, m, delta, epsilon, mechanism] for m in METHODS)
        if loose["feasible"] and tight["feasible"]:
            found.append(loose[member] / tight[member])
    return found


def messages(measured, mechanism):
    rows = [measured.rows[(*cell, mechanism)] for cell in measured.cells("tight")]
    return span([row["messages_per_user"] for row in rows if row["feasible"]])


def over(measured, mechanism, base, member="mse_raw"):
    found = []
    for cell in measured.cells("tight"):
        rows = [measured.rows[(*cell, name)] for name in (mechanism, base)]
        if all(row["feasible"] for row in rows):
            found.append(rows[0][member] / rows[1][member])
    return span(found)


def unshuffled(measured, mechanism):
    rows = [measured.rows[(*cell, mechanism)] for cell in measured.cells("published")]
    return sum(row["reason"].startswith("local:") for row in rows), len(rows)


def fewer(measured, mechanism, method):
    """In how many cells `mechanism` has a smaller error than local_hash, both after POP."""
    good = all_ = 0
    for cell in measured.cells(method):
        ours, theirs = (measured.rows[(*cell, name)] for name in ("local_hash", mechanism))
        if ours["feasible"] and theirs["feasible"]:
            all_ += 1
            good += theirs["mse_pop"] < ours["mse_pop"]
    return f"{good} of {all_}"


def response_ratios(measured):
    """SH over HP-SM under published accounting: where the shuffle does not help SH, elsewhere."""
    alone, shuffled = [], []
    for cell in measured.cells("published"):
        ratio = measured.error(cell, "SH") / measured.error(cell, "HP-SM")
        local = measured.rows[(*cell, "grr")]["reason"].startswith("local:")
        (alone if local else shuffled).append(ratio)
    return alone, shuffled


def reading(measured):
    """What the tables come to, a paragraph each."""
    lost, of = unshuffled(measured, "grr")
    alone, shuffled = response_ratios(measured)
    tight = measured.ratios("SH", "HP-SM", method="tight")
    return [
        f"**SH against HP-SM is a matter of accounting.** In {lost} of {of} cells the published "
        "bound for SH asks for more users than there are, and what is left is randomised response "
        "with a local budget of ε, without the shuffle (†); the same befalls mixDUMP in "
        f"{unshuffled(measured, 'mix_dump')[0]}. In those cells SH has "
        f"{span(alone) if alone else 'no'} times the error of HP-SM, in the others "
        f"{span(shuffled) if shuffled else 'no'} times. With tight accounting it is {span(tight)} "
        f"times, and below one in {sum(r < 1 for r in tight)} of {len(tight)} cells.",
        "**Accounting matters more than the mechanism.** Tight instead of published accounting "
        f"divides the error of `local_hash` by {span(gains(measured, 'local_hash', 'mse_raw'))} "
        f"before POP and by {span(gains(measured, 'local_hash', 'mse_pop'))} after it, that of "
        f"`aue` by {span(gains(measured, 'aue', 'mse_raw'))}, of `pure_dump` by "
        f"{span(gains(measured, 'pure_dump', 'mse_raw'))} (before POP). The guarantee is the same.",
        "**POP helps where the noise exceeds what the values hold.** With tight accounting it "
        f"divides the error of `local_hash` by {pop_gain(measured, 'small')} over the domains of "
        f"at most 2,000 values, and by {pop_gain(measured, 'large')} over the larger ones. It "
        "helps every mechanism, Laplace too, so to compare one algorithm with it to others without, "
        "as the paper does, favours that one. With POP for all alike, a smaller error than HP-SDP "
        "have: published, " +
        ", ".join(f"{paper} in {fewer(measured, name, 'published')}" for paper, name in RIVALS) +
        " cells; tight, " +
        ", ".join(f"{paper} in {fewer(measured, name, 'tight')}" for paper, name in RIVALS) + ".",
        f"**The best with a single message**, tight: before POP "
        f"{tally(measured, SINGLE, 'mse_raw')} cells, after POP "
        f"{tally(measured, SINGLE, 'mse_pop')}.",
        "**The best of all without a trusted party**, tight: before POP "
        f"{tally(measured, SHUFFLED, 'mse_raw')} cells, after POP "
        f"{tally(measured, SHUFFLED, 'mse_pop')}. Before POP, against central Laplace: "
        f"`correlated` has {over(measured, 'correlated', 'laplace')} times the error for "
        f"{messages(measured, 'correlated')} messages a user, `pure_dump` "
        f"{over(measured, 'pure_dump', 'laplace')} times for {messages(measured, 'pure_dump')} "
        f"messages; with one message `grr` {over(measured, 'grr', 'laplace')} times and "
        f"`local_hash` {over(measured, 'local_hash', 'laplace')} times. The many messages are those "
        "of large domains: dummies are for each value.",
    ]


def pop_gain(measured, size):
    found = []
    for cell in measured.cells("tight"):
        if (measured.domain[cell[0]] <= 2000) == (size == "small"):
            row = measured.rows[(*cell, "local_hash")]
            found.append(row["mse_raw"] / row["mse_pop"])
    return span(found) if found else "(not measured)"


def check(measured):
    rows = [row for row in measured.rows.values() if row["feasible"]]
    ratios = [row["mse_raw"] / row["mse_predicted"] for row in rows]
    return wrap(CHECK.format(
        cells=len(rows), low=min(ratios), high=max(ratios),
        spread=100 * max(row["mse_raw_stderr"] / row["mse_raw"] for row in rows),
        spread_pop=100 * max(row["mse_pop_stderr"] / row["mse_pop"] for row in rows))) + "\n"


def chart_name(key, method, kind, delta):
    return f"{key}-{method}-{kind}-{delta:.0e}.svg"


def section(measured, data):
    parts = [f"## {data.title}\n",
             wrap(f"{data.about} {data.trials} batches a cell.") + "\n"]
    for delta, text in DELTAS.items():
        parts.append(f"### {data.title}, δ = {text}\n")
        for method in METHODS:
            raw, pop = (f"results/{chart_name(data.key, method, kind, delta)}"
                        for kind in ("raw", "pop"))
            parts.append(f"![{data.title}, delta {delta:g}, {method} accounting: mean squared error "
                         f"against epsilon]({raw})\n\n[All after POP, {method} accounting]({pop})\n")
        parts.append("Mean squared error before post-processing:\n")
        parts.append(table(measured, data.key, delta, "mse_raw"))
        parts.append("After POP:\n")
        parts.append(table(measured, data.key, delta, "mse_pop"))
    return "\n".join(parts)


def page(measured, datasets, seed):
    found = any(data.real for data in datasets)
    left_out = "" if found else (
        "\n" + wrap("The cities of 1940 and Kosarak are left out: this page was made without a data "
                    "folder (`./dev results --data DIR`). Claims about them are not measured.") +
        "\n")
    data_lines = ["| data | users | values |", "|---|---|---|"] + [
        f"| {d.title} | {measured.users[d.key]:,} | {measured.domain[d.key]:,} |" for d in datasets]
    return "\n".join([
        HEAD.format(seed=seed, flag=" --data DIR" if found else ""),
        "\n".join(data_lines) + "\n" + left_out, check(measured),
        "## Where the paper's claims hold\n", wrap(CLAIMS_ABOUT) + "\n",
        claims_table(measured), "### In short\n",
        "\n".join(wrap("- " + text, "  ") for text in reading(measured)) + "\n",
        "## The tables\n\n" + LEGEND, *(section(measured, data) for data in datasets)])
