"""From a record to the reports of a submission, for every mechanism of docs/wire-format.md."""

import hashlib
import math
import secrets
import struct
from dataclasses import dataclass
from typing import Callable

from count_tables import logarithmic, poisson
from placing import cell_count, cells_said, level_cells
from string_cells import encode_string
from wire_messages import Refused, messages, require

# --- What a device refuses ------------------------------------------------------------------------


def check_mechanism(mechanism, size, levels=()):
    """Refused if a field of `mechanism` is out of its bounds for a table of that many cells.
    `levels`: how many cells each level has, where a device says one of each."""
    kind = mechanism.WhichOneof("kind")
    require(kind in MECHANISMS, "the mechanism is unknown")
    MECHANISMS[kind].check(getattr(mechanism, kind), size)
    if kind == "pure_dump" and mechanism.pure_dump.level_rates:
        require(len(mechanism.pure_dump.level_rates) == len(levels) > 1,
                "there is not one rate for each of several levels that are all said")


def check_local_hash(hashing, size):
    require(hashing.blanket_threshold >= 1, "blanket_threshold is 0")
    if hashing.family == messages("task").HASH_FAMILY_PLANE:
        require(hashing.range < 1 << 31 and is_prime(hashing.range), "range is no prime below 2^31")
        require(hashing.range ** 2 >= size, "range is below the root of domain.size")
        require(hashing.lane_bits == 0, "lane_bits is not 0")
    elif hashing.family == messages("task").HASH_FAMILY_AFFINE:
        buckets = hashing.range
        require(2 <= buckets <= 1 << 31 and buckets & (buckets - 1) == 0,
                "range is no power of two from 2 to 2^31")
        require(hashing.lane_bits in (32, 64), "lane_bits is neither 32 nor 64")
        require(hashing.lane_bits >= (size - 1).bit_length() + buckets.bit_length() - 1,
                "lane_bits is too small for domain.size and range")
    else:
        raise Refused("the hash family is unknown")


def is_prime(number):
    if number < 2:
        return False
    divisor = 2
    while divisor * divisor <= number:
        if number % divisor == 0:
            return False
        divisor += 1
    return True


def check_grr(grr, _size):
    require(grr.blanket_threshold >= 1, "blanket_threshold is 0")


def check_spread(honest, most):
    require(1 <= honest <= 1 << 40, "honest is not 1 to 2^40")
    require(1 <= most <= 65534, "the most reports beside the device's own are not 1 to 65534")


def check_rate(rate):
    require(0 < rate <= 1 << 54, "a rate is not above 0 and at most 2^54")


def check_aue(aue, _size):
    require(1 <= aue.coin_threshold <= 1 << 63, "coin_threshold is not 1 to 2^63")
    check_spread(aue.honest, aue.max_dummies)


def check_dummies(dummies):
    check_rate(dummies.rate)
    check_spread(dummies.honest, dummies.max)


def check_pure_dump(pure_dump, _size):
    if not pure_dump.level_rates:
        check_dummies(pure_dump.dummies)
        return
    require(pure_dump.dummies.rate == 0, "there is a rate beside level_rates")
    for rate in (*pure_dump.level_rates, sum(pure_dump.level_rates)):
        check_rate(rate)
    check_spread(pure_dump.dummies.honest, pure_dump.dummies.max)


def check_mix_dump(mix_dump, size):
    check_grr(mix_dump.response, size)
    check_dummies(mix_dump.dummies)


def check_murs(murs, size):
    check_local_hash(murs.local_hash, size)
    require(1 <= murs.fakes <= 1 << 32, "fakes is not 1 to 2^32")


def check_correlated(correlated, size):
    check_spread(correlated.honest, correlated.max_noise)
    for rate, success in ((correlated.noise_rate, correlated.noise_success),
                          (correlated.flood_rate, correlated.flood_success)):
        check_rate(rate)
        require(1 << 44 <= success <= (1 << 64) - (1 << 52),
                "a success is not 2^44 to 2^64 - 2^52")
        least = 2**40 * size * -math.log1p(-success / 2**64)
        require(correlated.honest * rate >= least, "a rate is too small for honest and the domain")


def check_rappor(rappor, size):
    require(size <= rappor.bits <= 256, "bits are not domain.size to 256")
    require(1 <= rappor.hashes <= min(16, rappor.bits), "hashes are not 1 to 16 and at most bits")
    require(rappor.cohorts == 1, "cohorts is not 1")
    require(rappor.prr_threshold >= 1, "prr_threshold is 0")
    require(rappor.irr_p_threshold < rappor.irr_q_threshold, "irr_p is not below irr_q")
    rows = [sum(1 << bit for bit in bits_of(rappor, value)) for value in range(size)]
    require(full_rank(rows, rappor.bits), "the values' bits do not tell them apart")


def bits_of(rappor, value):
    """The bits that a value sets, its own first."""
    bits, j = [value], 0
    while len(bits) < rappor.hashes:
        text = b"tombola/v1/bloom" + struct.pack(">III", rappor.seed, value, j)
        bit = int.from_bytes(hashlib.sha256(text).digest()[:8], "big") % rappor.bits
        if bit not in bits:
            bits.append(bit)
        j += 1
    return bits


def full_rank(rows, width):
    """Whether rows of zeros and ones are independent, over a prime field in which no determinant
    of theirs vanishes by chance."""
    prime = (1 << 521) - 1
    matrix = [[row >> bit & 1 for bit in range(width)] for row in rows]
    done = 0
    for column in range(width):
        pivot = next((i for i in range(done, len(matrix)) if matrix[i][column]), None)
        if pivot is None:
            continue
        matrix[done], matrix[pivot] = matrix[pivot], matrix[done]
        inverse = pow(matrix[done][column], -1, prime)
        for i in range(done + 1, len(matrix)):
            factor = matrix[i][column] * inverse % prime
            if factor:
                matrix[i] = [(a - factor * b) % prime for a, b in zip(matrix[i], matrix[done])]
        done += 1
    return done == len(rows)


# --- The plaintext reports ------------------------------------------------------------------------


def plane_report(function, bucket):
    return serialised(messages("report").PlaneReport(function=function, bucket=bucket))


def affine_report(multiplier, offset, bucket):
    return serialised(messages("report").AffineReport(multiplier=multiplier, offset=offset,
                                                      bucket=bucket))


def value_report(value):
    return serialised(messages("report").ValueReport(value=value))


def signed_report(sign, value):
    return serialised(messages("report").SignedReport(change=sign * (value + 1)))


def serialised(report):
    return report.SerializeToString(deterministic=True)


# --- Encoding -------------------------------------------------------------------------------------


def encode(task, record, random=secrets, mechanism=None, task_id=None):
    """The reports of one fresh submission of `record`, serialised, in an order that says nothing;
    of a stream those by one node's mechanism. Strings need the task's id. Tests pass a `random` that
    they can predict."""
    if task.HasField("strings"):
        reports = encode_string(task.strings, task_id, record, random)
    else:
        mechanism = mechanism or task.mechanism
        cells = cells_said(task, record, random)
        kind = mechanism.WhichOneof("kind")
        one = getattr(mechanism, kind)
        if kind == "pure_dump" and one.level_rates:
            reports = encode_levels(one, level_cells(task), cells, random)
        else:
            reports = MECHANISMS[kind].encode(one, cell_count(task), cells, random)
    for last in range(len(reports) - 1, 0, -1):  # Fisher and Yates
        chosen = random.randbelow(last + 1)
        reports[last], reports[chosen] = reports[chosen], reports[last]
    return reports


def most_reports(mechanism, sent=1):
    """The most reports that a submission of that many cells can have."""
    kind = mechanism.WhichOneof("kind")
    return sent + MECHANISMS[kind].most_noise(getattr(mechanism, kind))


def hash_value(local_hash, size, function, value):
    """H(value); `function` is the slope for the plane, (multiplier, offset) for affine."""
    if local_hash.family == messages("task").HASH_FAMILY_PLANE:
        q = local_hash.range
        v1, v0 = divmod(value, ceil_sqrt(size))
        return v1 if function == q else (function * v1 + v0) % q
    multiplier, offset = function
    width = local_hash.lane_bits
    shift = width - (local_hash.range.bit_length() - 1)
    return ((multiplier * value + offset) % (1 << width)) >> shift


def ceil_sqrt(number):
    return math.isqrt(number - 1) + 1


def randomised(own, choices, threshold, random):
    """`own`, or one of `choices` drawn uniformly with probability threshold / 2^64."""
    return random.randbelow(choices) if random.randbits(64) < threshold else own


def encode_local_hash(hashing, size, cells, random):
    [value] = cells
    plane = hashing.family == messages("task").HASH_FAMILY_PLANE
    if plane:
        function = random.randbelow(hashing.range + 1)
    else:
        function = (random.randbits(hashing.lane_bits), random.randbits(hashing.lane_bits))
    own = hash_value(hashing, size, function, value)
    bucket = randomised(own, hashing.range, hashing.blanket_threshold, random)
    return [plane_report(function, bucket) if plane else affine_report(*function, bucket)]


def encode_murs(murs, size, cells, random):
    return encode_local_hash(murs.local_hash, size, cells, random)


def encode_grr(grr, size, cells, random):
    return [value_report(randomised(cell, size, grr.blanket_threshold, random)) for cell in cells]


def encode_aue(aue, size, cells, random):
    while True:
        named = [other for other in range(size) if random.randbits(64) < aue.coin_threshold]
        if len(named) <= aue.max_dummies:
            return [value_report(value) for value in (*cells, *named)]


def draw_dummies(dummies, size, random):
    number = min(poisson(dummies.rate).draw(random), dummies.max)
    return [value_report(random.randbelow(size)) for _ in range(number)]


def encode_pure_dump(pure_dump, size, cells, random):
    return [*map(value_report, cells), *draw_dummies(pure_dump.dummies, size, random)]


def encode_levels(pure_dump, levels, cells, random):
    """Dummies of a level by the levels' rates, and of any of its cells."""
    total, named = sum(pure_dump.level_rates), []
    for _ in range(min(poisson(total).draw(random), pure_dump.dummies.max)):
        drawn, level = random.randbelow(total), 0
        while drawn >= pure_dump.level_rates[level]:
            drawn -= pure_dump.level_rates[level]
            level += 1
        named.append(sum(levels[:level]) + random.randbelow(levels[level]))
    return [*map(value_report, (*cells, *named))]


def encode_mix_dump(mix_dump, size, cells, random):
    return [*encode_grr(mix_dump.response, size, cells, random),
            *draw_dummies(mix_dump.dummies, size, random)]


def draw_clusters(rate, success, size, random):
    """The values of Poisson many clusters, each as often as its logarithmic size says."""
    values = []
    for _ in range(poisson(rate).draw(random)):
        values += logarithmic(success).draw(random) * [random.randbelow(size)]
    return values


def encode_correlated(correlated, size, cells, random):
    noise = (correlated.noise_rate, correlated.noise_success, size, random)
    flood = (correlated.flood_rate, correlated.flood_success, size, random)
    while True:
        more, less = draw_clusters(*noise), draw_clusters(*noise)
        pairs = draw_clusters(*flood)
        if len(more) + len(less) + 2 * len(pairs) <= correlated.max_noise:
            return [*(signed_report(1, v) for v in (*cells, *more, *pairs)),
                    *(signed_report(-1, v) for v in (*less, *pairs))]


def encode_rappor(rappor, _size, cells, random):
    [value] = cells
    own = bits_of(rappor, value)
    memo = [random.randbits(1) if random.randbits(64) < rappor.prr_threshold else bit in own
            for bit in range(rappor.bits)]
    report = bytearray(1 + (rappor.bits + 7) // 8)
    for bit, one in enumerate(memo):
        threshold = rappor.irr_q_threshold if one else rappor.irr_p_threshold
        if random.randbits(64) < threshold:
            report[1 + bit // 8] |= 1 << bit % 8
    return [bytes(report)]


@dataclass(frozen=True)
class Mechanism:
    """What differs between the kinds; `most_noise` are the reports beside the device's own."""
    check: Callable
    encode: Callable
    most_noise: Callable = lambda _: 0


MECHANISMS = {
    "local_hash": Mechanism(check_local_hash, encode_local_hash),
    "grr": Mechanism(check_grr, encode_grr),
    "aue": Mechanism(check_aue, encode_aue, lambda aue: aue.max_dummies),
    "pure_dump": Mechanism(check_pure_dump, encode_pure_dump, lambda dump: dump.dummies.max),
    "mix_dump": Mechanism(check_mix_dump, encode_mix_dump, lambda dump: dump.dummies.max),
    "murs": Mechanism(check_murs, encode_murs),
    "correlated": Mechanism(check_correlated, encode_correlated, lambda c: c.max_noise),
    "rappor": Mechanism(check_rappor, encode_rappor),
}
