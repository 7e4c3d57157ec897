"""docs/results-adult.md: a census counted as records by the real daemons, beside the truth.

The data file is `adult.data`: a person a line, with the age first, the education fourth and the hours of work
a week thirteenth, between commas; lines without them are left out.
"""
import collections
import dataclasses
import json
import pathlib
import sys
import tempfile

import adult_charts

HERE = pathlib.Path(__file__).resolve().parent
FILE = "adult.data"
EDUCATIONS = ["Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad",
              "Some-college", "Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate"]
DECADE, DECADES, FIRST_AGE = 10, 8, 15
YEARS = 2
EPSILON, DELTA = 1, 1e-6
SCHEMA = {
    "attributes": [{"name": "age", "low": FIRST_AGE, "high": FIRST_AGE + DECADE * DECADES,
                    "bins": DECADE * DECADES // YEARS},
                   {"name": "education", "labels": EDUCATIONS}],
    "measures": [{"name": "hours", "low": 0, "high": 100}],
    "max_records": 1,
    "questions": [{"attributes": ["age", "education"], "joined": [DECADE // YEARS, 1]},
                  {"attributes": ["age"], "measure": "hours"}],
}


@dataclasses.dataclass(frozen=True)
class Person:
    age: int
    education: str
    hours: int


def read(folder):
    """The people of the file. FileNotFoundError if it is not there."""
    people = []
    for line in (folder / FILE).read_text("utf-8").splitlines():
        fields = [field.strip() for field in line.split(",")]
        if len(fields) >= 13:
            people.append(Person(int(fields[0]), fields[3], int(fields[12])))
    return people


def ask(people, binaries):
    """(the task, the answer about the cross-table, that about the averages) of a deployment on this machine."""
    sys.path.insert(0, str(HERE.parent / "tests"))
    from support.deployment import Deployment
    with tempfile.TemporaryDirectory(prefix="tombola-adult-") as made:
        folder = pathlib.Path(made)
        (folder / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
        (folder / "people").write_text(
            "".join(f"{json.dumps([dataclasses.asdict(person)])}\n" for person in people), encoding="utf-8")
        deployment = Deployment(binaries, folder / "up")
        try:
            task = deployment.ask("task", "create", "--kind", "records", "--schema", folder / "schema.json",
                                  "--name", "adult", "--epsilon", EPSILON, "--delta", DELTA,
                                  "--users", len(people), "--min-batch", len(people))
            deployment.ask("report", "--task", task["task"], "--input", folder / "people")
            deployment.wait_for(task["task"], lambda s: s["counted_batches"] == 1, seconds=600)
            query = ("query", "--task", task["task"])
            return (task, deployment.ask(*query, "--by", "age,education", "--independence"),
                    deployment.ask(*query, "--by", "age", "--measure", "hours"))
        finally:
            deployment.stop()


def cross_table(people, answer):
    """{(decade, education): (estimate, truth)}, decades by their first age."""
    truth = collections.Counter(
        (FIRST_AGE + (p.age - FIRST_AGE) // DECADE * DECADE, p.education) for p in people)
    table = {}
    for cell in answer["cells"]:
        key = (int(cell["low_edges"][0]), cell["values"][1])
        table[key] = (cell["count"], truth[key])
    return table


def averages(people, answer):
    """[(low, high, estimate, truth)] of hours by age; both are None where nobody is, or too few to tell."""
    rows = []
    for cell in answer["cells"]:
        low, high = cell["low_edges"][0], cell["high_edges"][0]
        hours = [p.hours for p in people if low <= p.age < high]
        rows.append((low, high, cell["avg"], sum(hours) / len(hours) if hours else None))
    return rows


def inside(pairs):
    """How many of (estimate, truth) have the truth in their interval, of how many."""
    known = [(e, t) for e, t in pairs if e is not None and t is not None]
    return sum(e["low"] <= t <= e["high"] for e, t in known), len(known)


def page(people, task, table, crossed, rows):
    held, cells = inside(table.values())
    right, bins = inside((e, t) for _, _, e, t in rows)
    test = crossed["independence"]
    p_value = "below 10⁻⁴" if test["p_value"] < 1e-4 else f"{test['p_value']:.3g}"
    guarantee = crossed["guarantee"]
    deviation = next(iter(table.values()))[0]["stderr"]
    text = [f"""# A census as records: age, education and hours of work

{len(people):,} people of the census extract *Adult* (Becker and Kohavi 1996), each a device of a task of the kind
[`records`](records.md) that holds one record: an age, an education and the hours of work a week. Two questions were
asked of them, age by education and hours by age, through a shuffler and a collector on this machine. This page is
made by `./dev results --pages adult --data DIR` and not edited by hand; another run draws other noise.

The mechanism is `{task['mechanism']}`, with {task['messages_per_user']:.3g} messages a device. What the collector saw is
(ε, δ) = ({guarantee['epsilon']:.3g}, {guarantee['delta']:.1g}) differentially private for a person with all that they said,
in both answers together.

## Age by education

![People by age and education: estimated, and the truth](results-adult/education.svg)

Each of the {cells} cells is off by a standard deviation of {deviation:.3g} people. {held} of {cells} intervals of 95 %
hold the truth. That age and education are independent is refuted: chi-square {test['statistic']:,.0f} with
{test['degrees_of_freedom']} degrees of freedom, p-value {p_value}, by a test that does not take the noise for dependence.
Small cells are estimated at a few people more or fewer than none: without bias, and with their errors.

Estimated people, and in brackets the truth:
"""]
    decades = sorted({decade for decade, _ in table})
    text.append("| education | " + " | ".join(f"{d} to {d + DECADE - 1}" for d in decades) + " |")
    text.append("|---|" + "---|" * len(decades))
    for education in EDUCATIONS:
        text.append(f"| {education} | " + " | ".join(
            f"{table[d, education][0]['value']:.0f} ({table[d, education][1]})" for d in decades) + " |")
    text.append(f"""
## Hours of work by age

![Hours of work a week by age: estimates with intervals, and the truth](results-adult/hours.svg)

{right} of {bins} intervals of 95 % hold the truth. Where an age has too few people for the noise, no average is
printed: {len(rows) - bins} of {len(rows)} bins of {YEARS} years.

| age | estimate | 95 % interval | truth |
|---|---|---|---|""")
    for low, high, estimate, truth in rows:
        if estimate is None:
            continue
        text.append(f"| {low:.0f} to {high - 1:.0f} | {estimate['value']:.1f} | "
                    f"{estimate['low']:.1f} to {estimate['high']:.1f} | "
                    + (f"{truth:.1f} |" if truth is not None else "nobody |"))
    text.append(f"""
## The same by hand

`adult.json` is the schema, a device's line is `{{"age": 39, "education": "Bachelors", "hours": 40}}`:

```json
{json.dumps(SCHEMA)}
```

<!-- not run: needs the data -->
```sh
tombola task create --config $C --kind records --schema adult.json --name adult --users {len(people)} --epsilon {EPSILON} --delta {DELTA:g}
tombola report --config $C --task $ID --input people
tombola query --config $C --task $ID --by age,education --independence
tombola query --config $C --task $ID --by age --measure hours
```
""")
    return "\n".join(text)


def make(options):
    """Writes the page and its charts; 2 if the data are not there."""
    if options.data is None:
        print("results: the page adult needs --data, a folder with adult.data", file=sys.stderr)
        return 2
    try:
        people = read(options.data)
    except FileNotFoundError as error:
        print(f"results: {error}", file=sys.stderr)
        return 2
    print(f"{len(people)} people report", file=sys.stderr)
    task, crossed, hours = ask(people, options.build / "bin")
    table, rows = cross_table(people, crossed), averages(people, hours)
    charts = options.docs / "results-adult"
    charts.mkdir(exist_ok=True)
    (charts / "education.svg").write_text(adult_charts.heat_maps(table, EDUCATIONS, DECADE), encoding="utf-8")
    (charts / "hours.svg").write_text(adult_charts.averages(rows), encoding="utf-8")
    (options.docs / "results-adult.md").write_text(page(people, task, table, crossed, rows),
                                                   encoding="utf-8")
    print(f"made: {options.docs / 'results-adult.md'}", file=sys.stderr)
    return 0
