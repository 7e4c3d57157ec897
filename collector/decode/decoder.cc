#include "collector/decode/decoder.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "collector/decode/capped_cells.h"
#include "collector/decode/level_search.h"
#include "common/base/encoding.h"
#include "common/base/parallel.h"
#include "common/base/status_macros.h"

namespace tombola::collector {
namespace {

using strings::Alphabet;
using strings::Symbols;

absl::Status ValidateOptions(const DecodeOptions& options) {
  const auto refused = [](absl::string_view field, absl::string_view bound, auto value) {
    return absl::InvalidArgumentError(absl::StrCat(field, " must be ", bound, ", is ", value));
  };
  if (!(options.alpha > 0 && options.alpha < 1))
    return refused("alpha", "in (0, 1)", options.alpha);
  if (options.most_survivors < 1) {
    return refused("most_survivors", "at least 1", options.most_survivors);
  }
  if (options.most_tests < 1) return refused("most_tests", "at least 1", options.most_tests);
  if (!(options.least_holders >= 0)) {
    return refused("least_holders", "at least 0", options.least_holders);
  }
  if (options.threads < 1) return refused("threads", "at least 1", options.threads);
  return absl::OkStatus();
}

bool Ended(const Symbols& symbols) {
  return std::find(symbols.begin(), symbols.end(), Alphabet::kEnd) != symbols.end();
}

// What is found, and what it is estimated among.
struct Outcome {
  std::vector<LiveString> live;
  std::vector<int64_t> statistics;  // of `live`; 0 of those that are prefixes only
};

void AddLive(Symbols symbols, int64_t first, int64_t last, int64_t statistic, Outcome* outcome) {
  outcome->live.push_back({.symbols = std::move(symbols), .first = first, .last = last});
  outcome->statistics.push_back(statistic);
}

void Report(const StringBatch& batch, const DecodeOptions& options, const Outcome& outcome,
            DecodedStrings* decoded) {
  const std::vector<HolderEstimate> estimates = EstimateHolders(batch, outcome.live);
  for (size_t i = 0; i < estimates.size(); ++i) {
    if (outcome.statistics[i] == 0 || estimates[i].holders < options.least_holders) continue;
    decoded->strings.push_back({.symbols = outcome.live[i].symbols,
                                .statistic = outcome.statistics[i],
                                .holders = estimates[i].holders,
                                .stderr_of = estimates[i].stderr_of});
  }
  std::sort(decoded->strings.begin(), decoded->strings.end(),
            [](const FoundString& a, const FoundString& b) {
              return a.holders != b.holders ? a.holders > b.holders : a.symbols < b.symbols;
            });
}

class Descent {
 public:
  Descent(const StringBatch& batch, const DecodeOptions& options)
      : batch_(batch), options_(options), shape_(batch.counts->shape()) {}

  absl::StatusOr<DecodedStrings> Run() {
    std::vector<FoundPrefix> parents = {FoundPrefix{}};
    for (int64_t level = 0; level < shape_.levels() && !parents.empty(); ++level) {
      KeepWithinTests(&parents);
      if (parents.empty()) break;
      TOMBOLA_ASSIGN_OR_RETURN(std::vector<FoundPrefix> found, Search(level, parents));
      parents = SetAside(level, std::move(found));
    }
    Report(batch_, options_, outcome_, &decoded_);
    return std::move(decoded_);
  }

 private:
  // As many of the parents as there are tests for.
  void KeepWithinTests(std::vector<FoundPrefix>* parents) {
    const int64_t of_one = strings::kFunctions * shape_.children();
    const auto affordable = static_cast<size_t>((options_.most_tests - decoded_.tests) / of_one);
    if (parents->size() <= affordable) return;
    parents->resize(affordable);
    decoded_.complete = false;
  }

  absl::StatusOr<std::vector<FoundPrefix>> Search(int64_t level,
                                                  const std::vector<FoundPrefix>& parents) {
    const CellHistogram histogram(*batch_.counts, level);
    const double candidates =
        static_cast<double>(parents.size()) * static_cast<double>(shape_.valid_children());
    const double alpha = options_.alpha / static_cast<double>(shape_.levels());
    const CappedCells cells(*batch_.counts, level, CapFor(histogram, candidates, alpha));
    NullLaw law;
    law.Add(histogram, cells.cap());
    const int64_t threshold = std::max<int64_t>(1, law.Threshold(candidates, alpha));
    const int64_t all =
        static_cast<int64_t>(parents.size()) * strings::kFunctions * shape_.children();
    std::atomic<int64_t> done = 0;
    TOMBOLA_ASSIGN_OR_RETURN(
        std::vector<FoundPrefix> found,
        SearchLevel({.functions = batch_.functions,
                     .cells = &cells,
                     .level = level,
                     .threshold = threshold,
                     .parents = parents,
                     .threads = options_.threads,
                     .advance = [&](int64_t tests) {
                       done += tests;
                       return options_.progress == nullptr ||
                              options_.progress({.level = level, .tests = done, .all = all});
                     }}));
    decoded_.tests += all;
    decoded_.levels.push_back({.candidates = candidates,
                               .cap = cells.cap(),
                               .threshold = threshold,
                               .survivors = static_cast<int64_t>(found.size())});
    if (static_cast<int64_t>(found.size()) > options_.most_survivors) {
      found.resize(static_cast<size_t>(options_.most_survivors));
      decoded_.complete = false;
    }
    return found;
  }

  // Puts whole strings among what is found, and returns what has extensions.
  std::vector<FoundPrefix> SetAside(int64_t level, std::vector<FoundPrefix> found) {
    const int64_t last = shape_.levels() - 1;
    std::vector<FoundPrefix> extended;
    for (FoundPrefix& prefix : found) {
      if (level == last || Ended(prefix.symbols)) {
        prefix.symbols.resize(static_cast<size_t>(shape_.length()), Alphabet::kEnd);
        AddLive(std::move(prefix.symbols), level, last, prefix.statistic, &outcome_);
      } else {
        AddLive(prefix.symbols, level, level, 0, &outcome_);
        extended.push_back(std::move(prefix));
      }
    }
    return extended;
  }

  const StringBatch& batch_;
  const DecodeOptions& options_;
  strings::Shape shape_;
  Outcome outcome_;
  DecodedStrings decoded_;
};

// The level from which on a string's prefix is the string.
int64_t CompleteAt(const Symbols& symbols, const strings::Shape& shape) {
  if (shape.whole()) return 0;
  const auto end = std::find(symbols.begin(), symbols.end(), Alphabet::kEnd);
  return std::min<int64_t>(end - symbols.begin(), shape.length() - 1) / shape.step();
}

absl::Status ValidateString(const Symbols& symbols, const strings::Shape& shape) {
  if (static_cast<int64_t>(symbols.size()) != shape.length()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a string of the dictionary must have ", shape.length(), " symbols, has ", symbols.size()));
  }
  bool ended = false;
  for (const uint8_t symbol : symbols) {
    if (symbol >= shape.symbols()) {
      return absl::InvalidArgumentError(absl::StrCat("a symbol of the dictionary must be below ",
                                                     shape.symbols(), ", is ", symbol));
    }
    if (ended && symbol != Alphabet::kEnd) {
      return absl::InvalidArgumentError(
          "a string of the dictionary must have nothing but the end after its end");
    }
    ended = ended || symbol == Alphabet::kEnd;
  }
  return absl::OkStatus();
}

uint32_t InCell(const CellRows& rows, size_t function, uint32_t bucket) {
  const uint64_t bit = uint64_t{bucket} << rows.cell_bits_log;
  const uint32_t mask = (1u << (1u << rows.cell_bits_log)) - 1;
  return rows.Row(function)[bit >> 5] >> (bit & 31) & mask;
}

class Lookup {
 public:
  Lookup(const StringBatch& batch, absl::Span<const Symbols> dictionary,
         const DecodeOptions& options)
      : batch_(batch),
        options_(options),
        shape_(batch.counts->shape()),
        strings_(dictionary.begin(), dictionary.end()) {
    std::sort(strings_.begin(), strings_.end(), [](const Symbols& a, const Symbols& b) {
      return AsView(a) < AsView(b);  // where GCC 12 warns of the vectors' own comparison
    });
    strings_.erase(std::unique(strings_.begin(), strings_.end()), strings_.end());
  }

  absl::StatusOr<DecodedStrings> Run() {
    KeepWithinTests();
    TOMBOLA_RETURN_IF_ERROR(SumUp());
    const std::vector<int64_t> thresholds = Thresholds();
    Outcome outcome;
    std::vector<Symbols> found;
    for (size_t i = 0; i < strings_.size(); ++i) {
      const int64_t complete = CompleteAt(strings_[i], shape_);
      if (sums_[i] < thresholds[static_cast<size_t>(complete)]) continue;
      ++decoded_.levels[static_cast<size_t>(complete)].survivors;
      AddLive(strings_[i], complete, shape_.levels() - 1, sums_[i], &outcome);
      found.push_back(strings_[i]);
    }
    AddPrefixes(found, &outcome);
    Report(batch_, options_, outcome, &decoded_);
    return std::move(decoded_);
  }

 private:
  static constexpr size_t kStringsAtOnce = 4096;

  void KeepWithinTests() {
    const auto affordable =
        static_cast<size_t>(options_.most_tests / strings::kFunctions / shape_.levels());
    if (strings_.size() <= affordable) return;
    strings_.resize(affordable);
    decoded_.complete = false;
  }

  // A level at a time, so that only one level's cells are in memory.
  absl::Status SumUp() {
    sums_.assign(strings_.size(), 0);
    laws_.resize(static_cast<size_t>(shape_.levels()));
    const auto count = static_cast<int64_t>(strings_.size());
    std::atomic<bool> stopped = false;
    for (int64_t level = 0; level < shape_.levels(); ++level) {
      const CellHistogram histogram(*batch_.counts, level);
      const int64_t cap = CapFor(histogram, static_cast<double>(count), options_.alpha);
      const CappedCells cells(*batch_.counts, level, cap);
      for (int64_t first = 0; first <= level; ++first) {
        laws_[static_cast<size_t>(first)].Add(histogram, cap);
      }
      caps_ = std::max(caps_, cells.cap());
      std::atomic<int64_t> done = 0;
      const size_t pieces = (strings_.size() + kStringsAtOnce - 1) / kStringsAtOnce;
      ForEachIndex(pieces, options_.threads, [&](size_t piece) {
        if (stopped) return;
        const size_t begin = piece * kStringsAtOnce;
        const size_t end = std::min(strings_.size(), begin + kStringsAtOnce);
        for (size_t i = begin; i < end; ++i) AddLevel(level, cells.rows(), i);
        done += static_cast<int64_t>(end - begin) * strings::kFunctions;
        if (options_.progress != nullptr &&
            !options_.progress(
                {.level = level, .tests = done, .all = count * strings::kFunctions})) {
          stopped = true;
        }
      });
      if (stopped) return absl::CancelledError("decoding was cancelled");
      decoded_.tests += count * strings::kFunctions;
    }
    return absl::OkStatus();
  }

  void AddLevel(int64_t level, const CellRows& rows, size_t i) {
    if (level < CompleteAt(strings_[i], shape_)) return;
    const uint64_t key = batch_.functions->Key(level, strings_[i]);
    for (int64_t j = 0; j < strings::kFunctions; ++j) {
      sums_[i] += InCell(rows, static_cast<size_t>(j), batch_.functions->Bucket(j, key));
    }
  }

  // Of strings that are complete at each level.
  std::vector<int64_t> Thresholds() {
    std::vector<int64_t> thresholds;
    const auto candidates = static_cast<double>(strings_.size());
    for (const NullLaw& law : laws_) {
      thresholds.push_back(std::max<int64_t>(1, law.Threshold(candidates, options_.alpha)));
      decoded_.levels.push_back(
          {.candidates = candidates, .cap = caps_, .threshold = thresholds.back()});
    }
    return thresholds;
  }

  // The prefixes of what was found lie in cells of the levels before.
  void AddPrefixes(absl::Span<const Symbols> found, Outcome* outcome) const {
    for (int64_t level = 0; level + 1 < shape_.levels(); ++level) {
      const auto size = static_cast<size_t>(shape_.Through(level));
      std::vector<Symbols> prefixes;
      for (const Symbols& symbols : found) {
        if (level >= CompleteAt(symbols, shape_)) continue;
        prefixes.emplace_back(symbols.begin(), symbols.begin() + static_cast<ptrdiff_t>(size));
      }
      // Strings are in order, so equal prefixes follow each other.
      prefixes.erase(std::unique(prefixes.begin(), prefixes.end()), prefixes.end());
      for (Symbols& prefix : prefixes) AddLive(std::move(prefix), level, level, 0, outcome);
    }
  }

  const StringBatch& batch_;
  const DecodeOptions& options_;
  strings::Shape shape_;
  std::vector<Symbols> strings_;
  std::vector<int64_t> sums_;
  std::vector<NullLaw> laws_;  // [the level from which on a string is complete]
  int64_t caps_ = 0;
  DecodedStrings decoded_;
};

}  // namespace

absl::StatusOr<DecodedStrings> DecodeStrings(const StringBatch& batch,
                                             const DecodeOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(Validate(batch));
  TOMBOLA_RETURN_IF_ERROR(ValidateOptions(options));
  if (batch.counts->shape().whole()) {
    return absl::FailedPreconditionError(
        "devices hash whole strings only; a dictionary must be given");
  }
  return Descent(batch, options).Run();
}

absl::StatusOr<DecodedStrings> DecodeDictionary(const StringBatch& batch,
                                                absl::Span<const Symbols> dictionary,
                                                const DecodeOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(Validate(batch));
  TOMBOLA_RETURN_IF_ERROR(ValidateOptions(options));
  for (const Symbols& symbols : dictionary) {
    TOMBOLA_RETURN_IF_ERROR(ValidateString(symbols, batch.counts->shape()));
  }
  return Lookup(batch, dictionary, options).Run();
}

}  // namespace tombola::collector
