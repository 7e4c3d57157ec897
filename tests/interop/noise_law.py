"""How many reports a submission has beside the device's own, by the laws that the page names.

Computed with floating point from the laws themselves, not from the tables or the encoders, so that
both can be tested against it.
"""

import math


def noise_law(mechanism, size):
    """The probabilities of 0, 1, ... reports beside the device's own."""
    kind = mechanism.WhichOneof("kind")
    if kind == "aue":
        coin = mechanism.aue.coin_threshold / 2**64
        law = [math.comb(size, k) * coin**k * (1 - coin)**(size - k) for k in range(size + 1)]
        return drawn_again_above(mechanism.aue.max_dummies, law)
    if kind in ("pure_dump", "mix_dump"):
        dummies = getattr(mechanism, kind).dummies
        rate = dummies.rate or sum(mechanism.pure_dump.level_rates)
        law = compound_poisson({1: rate / 2**40}, dummies.max)
        return law[:-1] + [1 - sum(law[:-1])]
    if kind == "correlated":
        most = mechanism.correlated.max_noise
        return drawn_again_above(most, compound_poisson(jumps(mechanism.correlated), most))
    return [1.0]


def drawn_again_above(most, law):
    kept = law[:most + 1]
    return [share / sum(kept) for share in kept]


def jumps(correlated):
    """Expected clusters by the number of their reports: singles of either sign, and pairs."""
    rates = {}
    for each, rate, success in ((1, 2 * correlated.noise_rate, correlated.noise_success),
                                (2, correlated.flood_rate, correlated.flood_success)):
        p = success / 2**64
        scale = rate / 2**40 / -math.log1p(-p)
        for k in range(1, correlated.max_noise // each + 1):
            rates[each * k] = rates.get(each * k, 0) + scale * p**k / k
    # Larger clusters never fit; they only lower all other probabilities by one factor.
    return rates


def compound_poisson(rates, most):
    """P(0), ..., P(most) of a sum of Poisson many jumps, by Panjer's recursion."""
    law = [math.exp(-sum(rates.values()))]
    for k in range(1, most + 1):
        law.append(sum(jump * rate * law[k - jump] for jump, rate in rates.items() if jump <= k)
                   / k)
    return law


def mean_of(law):
    return sum(k * share for k, share in enumerate(law))


def bounds_of_sum(law, terms, failure):
    """An interval that a sum of independent terms of this law leaves with probability `failure`.

    Chernoff: with K(s) = ln E exp(s X), P(S >= t) <= exp(terms K(s) - s t) for every s > 0, and
    P(S <= t) <= exp(terms K(-s) + s t). Each side gets half of `failure`, and the best of a fixed
    set of s, any of which is valid.
    """
    log_failure = math.log(failure / 2)
    low, high = 0.0, math.inf
    s = 600 / len(law)
    for _ in range(80):
        low = max(low, (log_failure - terms * log_mean_exponential(law, -s)) / s)
        high = min(high, (terms * log_mean_exponential(law, s) - log_failure) / s)
        s /= 1.2
    return low, high


def log_mean_exponential(law, s):
    return math.log(sum(share * math.exp(s * k) for k, share in enumerate(law)))
