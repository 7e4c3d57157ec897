"""The data sets of docs/results.md, each as arguments of `tombola simulate`.

A data folder may hold two public files:
  us_city_population_1940.tsv  a heading, then a city's name, a tab and its population a line
  kosarak_first100k.csv        a user a line: the items that were clicked, numbered from 1, with
                               commas between them
"""
import dataclasses
import math
import pathlib
import random

CITIES = "us_city_population_1940.tsv"
KOSARAK = "kosarak_first100k.csv"
SMALLEST_CITY = 10000
SAMPLED_SHARE = 0.01


@dataclasses.dataclass(frozen=True)
class DataSet:
    key: str          # in file names
    title: str
    about: str        # one sentence for the page
    arguments: tuple  # of `tombola simulate`
    trials: int
    real: bool        # not drawn from a law


def synthetic():
    size = ("--users", "600000", "--domain", "600")
    return [
        DataSet("normal", "Normal",
                "600,000 users over 600 values, normal with mean 300 and standard deviation 100, "
                "rounded down; who falls outside is drawn again. The paper does not say which "
                "normal law it used.", ("--data", "normal", *size), 200, False),
        DataSet("zipf-1.1", "Zipf(1.1)",
                "600,000 users over 600 values, the frequency of the k-th proportional to k^-1.1. "
                "The paper does not say which exponent it used.",
                ("--data", "zipf:1.1", *size), 200, False),
        DataSet("zipf-1.5", "Zipf(1.5)", "The same with exponent 1.5.",
                ("--data", "zipf:1.5", *size), 200, False),
        DataSet("large", "Zipf(1.1), large",
                "1,000,000 users over 42,178 values: the size of all of Kosarak.",
                ("--data", "zipf:1.1", "--users", "1000000", "--domain", "42178"), 20, False),
    ]


def sample_people(population, share, draw):
    """How many of `population` people are in a sample that takes each with probability `share`."""
    taken, position = 0, 0
    while True:
        position += 1 + int(math.log(1.0 - draw.random()) / math.log1p(-share))
        if position > population:
            return taken
        taken += 1


def cities(folder, scratch, seed):
    draw = random.Random(seed)
    rows = [line.split("\t") for line in (folder / CITIES).read_text("utf-8").splitlines()[1:]]
    large = [int(population) for _, population in rows if int(population) >= SMALLEST_CITY]
    values = scratch / "cities.txt"
    users = 0
    with values.open("w", encoding="utf-8") as out:
        for city, population in enumerate(large):
            taken = sample_people(population, SAMPLED_SHARE, draw)
            users += taken
            out.write(f"{city}\n" * taken)
    return DataSet("cities", "Cities of 1940",
                   f"1 % of the people of the {len(large):,} cities of the United States that had "
                   f"{SMALLEST_CITY:,} inhabitants or more in 1940: {users:,} users. It stands in "
                   "for the paper's IPUMS data (602,325 users, 915 cities), which are not freely to "
                   "be had.", ("--data", f"file:{values}", "--domain", str(len(large))), 200,
                   True)


def kosarak(folder, scratch, seed):
    draw = random.Random(seed)
    values, items, users = scratch / "kosarak.txt", 0, 0
    with (folder / KOSARAK).open(encoding="utf-8") as lines, \
            values.open("w", encoding="utf-8") as out:
        for line in lines:
            clicked = [int(item) for item in line.split(",")]
            items = max(items, *clicked, 0)
            users += 1
            out.write(f"{draw.choice(clicked) - 1}\n")
    return DataSet("kosarak", "Kosarak",
                   f"The first {users:,} users of the click stream, {items:,} values; of each user "
                   "one clicked item, drawn uniformly. The paper has all 1,000,000 users and "
                   "42,178 values.", ("--data", f"file:{values}", "--domain", str(items)), 50, True)


def real(folder, scratch, seed):
    """The data sets of a folder; FileNotFoundError names what it lacks."""
    for name in (CITIES, KOSARAK):
        if not (folder / name).is_file():
            raise FileNotFoundError(f"--data: there is no {name} in {folder}")
    return [cities(pathlib.Path(folder), scratch, seed), kosarak(pathlib.Path(folder), scratch, seed)]
