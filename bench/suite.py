"""What ./dev bench measures: each figure beside its baseline, and how far it has to come."""
import collections

# Two benchmarks of one binary, run in turns; rates, so a ratio above 1 is faster.
Pair = collections.namedtuple("Pair", "name binary ours baseline unit")
# The slowest of the benchmarks whose names begin so, against a number of seconds; the ratio is
# limit / value.
Limit = collections.namedtuple("Limit", "name binary prefix seconds unit")
# A command that prints {"results": [...]} itself; {build} is the build's folder.
Program = collections.namedtuple("Program", "names command")
# The worst of others, under a name of its own.
Worst = collections.namedtuple("Worst", "name of")

PAIRS = [
    Pair("encode_seal", "report_benchmark", "EncodeSeal", "EvpKeygenAndDerive", "reports/s"),
    Pair("open", "report_benchmark", "OpenReports/real_time", "EvpDeriveParsedPeer/real_time",
         "reports/s"),
    Pair("permute_1e6", "permute_benchmark", "PermuteAll16/1000000/real_time",
         "StdShuffle16/1000000/real_time", "records/s"),
    Pair("permute_1e7", "permute_benchmark", "PermuteAll16/10000000/real_time",
         "StdShuffle16/10000000/real_time", "records/s"),
    Pair("permute_1e8", "permute_benchmark", "PermuteAll16/100000000/real_time",
         "StdShuffle16/100000000/real_time", "records/s"),
    Pair("store_log_1", "store_benchmark", "DurableLog/1/real_time", "DurableSqlite/1/real_time",
         "records/s"),
    Pair("store_log_1000", "store_benchmark", "DurableLog/1000/real_time",
         "DurableSqlite/1000/real_time", "records/s"),
    Pair("aggregate_grr", "aggregate_benchmark", "CountGrr", "MapGrr", "reports/s"),
    Pair("aggregate_local_hash", "aggregate_benchmark", "CountPlane", "MapPlane", "reports/s"),
    Pair("aggregate_memcpy", "aggregate_benchmark", "CountGrr", "CopyGrr", "reports/s"),
    Pair("decode_plane", "plane_benchmark", "DecodePlane", "DecodeByXxh3", "evaluations/s"),
    Pair("decode_affine", "affine_benchmark", "DecodeAffine/lane_bits:32/values:42178",
         "MixerKernel32", "evaluations/s"),
    Pair("decode_strings", "decode_benchmark", "DecodeSixBytes", "BareGather", "tests/s"),
    Pair("decode_strings_all", "decode_benchmark", "SumAllFunctions", "BareGather", "tests/s"),
    Pair("pop_1e6", "pop_benchmark", "Pop1e6", "Sort1e6", "runs/s"),
    Pair("least_squares_pass", "ranges_benchmark", "LeastSquares1e6", "PlainPass1e6", "runs/s"),
]
LIMITS = [
    Limit("plan", "plan_benchmark", "PlanAt1e8/", 2, "s"),
    Limit("least_squares_1e6", "ranges_benchmark", "LeastSquares1e6", 0.05, "s"),
    Limit("grid_answer", "grid_benchmark", "GridAnswer", 0.05, "s"),
]
PROGRAMS = [
    Program(["ingest_unary", "ingest_bulk", "end_to_end_1e6"],
            ["{bench}/ingest", "--build", "{build}"]),
    Program(["startup_shuffler", "startup_collector", "query"],
            ["{bench}/daemon_latency", "{build}/bin", "{build}/bench"]),
    Program(["stream_totals", "stream_totals_state"], ["{bench}/stream_totals", "{build}/bin"]),
]
WORST = [
    Worst("aggregate", ["aggregate_grr", "aggregate_local_hash"]),
]

# name: what is measured, what stands beside it, the ratio that is wanted.
GOALS = {
    "encode_seal": ("SDK: value to sealed report, one core", "bare X25519 keygen + derive", 0.90),
    "ingest_unary": ("durable submissions over TLS, one a call",
                     "the same server acknowledging and discarding", 0.70),
    "ingest_bulk": ("durable reports over TLS, 1,000 a call", "`open` on the same cores", 10),
    "permute_1e6": ("the shuffle of 10^6 records of 16 bytes, all cores",
                    "`std::shuffle`, mt19937_64", None),
    "permute_1e7": ("the same of 10^7", "`std::shuffle`, mt19937_64", 1.2),
    "permute_1e8": ("the same of 10^8", "`std::shuffle`, mt19937_64", 2.0),
    "open": ("HPKE open, all cores", "bare X25519 derive, peers parsed, all cores", 0.80),
    "store_log_1": ("the shuffler's log, one record a commit", "SQLite, synchronous", None),
    "store_log_1000": ("the same, 1,000 a commit", "SQLite, synchronous", None),
    "aggregate_grr": ("`grr` reports into counts, one core", "into an `absl::flat_hash_map`", None),
    "aggregate_local_hash": ("`local_hash` reports, plane, d = 600, into counts, one core",
                             "into an `absl::flat_hash_map`", None),
    "aggregate_memcpy": ("`grr` reports into counts", "memcpy of their bytes: the limit", None),
    "aggregate": ("reports into counts, the worse of `grr` and `local_hash`, one core",
                  "the same into an `absl::flat_hash_map`", 3),
    "decode_plane": ("`local_hash`, plane, n = 6·10^5, d = 600, reports to estimates",
                     "n·d calls of xxHash", 100),
    "decode_affine": ("`local_hash`, affine family, n·d evaluations, one core",
                      "the same with a murmur mixer, vectorised", 2.5),
    "decode_strings": ("strings nobody listed, counts to estimates, 256 tests a candidate, one core",
                       "as many looks into a bitmap", 0.8),
    "decode_strings_all": ("the same with no candidate dropped early, its inner loop",
                           "as many looks into a bitmap", 0.8),
    "pop_1e6": ("POP at d = 10^6", "projection by sorting", 3),
    "least_squares_1e6": ("least squares over a tree of 10^6 cells", "limit of 50 ms", 1),
    "grid_answer": ("every cell of a grid of 125 x 125 records, with its error, to JSON",
                    "limit of 50 ms", 1),
    "least_squares_pass": ("the same as the next", "one pass over as much memory", None),
    "plan": ("all mechanisms planned for 10^8 users", "limit of 2 s", 1),
    "end_to_end_1e6": ("a million sealed reports through both daemons to the answer",
                       "HPKE open of a million, all cores", 0.70),
    "query": ("histogram of 42,178 values over RPC, median", "limit of 20 ms", 1),
    "startup_shuffler": ("start with an empty store, median", "limit of 100 ms", 1),
    "startup_collector": ("start with an empty store, median", "limit of 100 ms", 1),
    "stream_totals": ("10^6 lines through `tombola stream`, the slowest structure", "limit of 1 s",
                      1),
    "stream_totals_state": ("the same with `--state`, on disk", "limit of 1 s", 1),
}


def names():
    """Of everything that can be asked for, in the order in which it is run."""
    found = [entry.name for entry in PAIRS + LIMITS]
    for program in PROGRAMS:
        found += program.names
    return found + [worst.name for worst in WORST]
