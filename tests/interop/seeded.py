"""Randomness that is the same in every run."""

import random


class Seeded:
    """Stands for `secrets` where draws must be repeatable: never in a device."""

    def __init__(self, seed):
        generator = random.Random(seed)
        self.randbelow, self.randbits = generator.randrange, generator.getrandbits
