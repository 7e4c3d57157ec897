#include "cli/command/number_flags.h"

#include <cmath>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/command/text_lines.h"
#include "common/base/status_macros.h"
#include "common/kind/bins.h"
#include "common/kind/levels.h"
#include "common/kind/number.h"
#include "common/table/domain_size.h"

namespace tombola::cli {
namespace {

absl::Status Refuse(absl::string_view flag, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(flag, " ", what));
}

absl::Status CheckTogether(const NumberFlags& flags) {
  const bool edges = !flags.edges_file.empty() || !flags.edges.empty();
  if (!edges && flags.value_range.empty()) {
    return Refuse("--value-range", "LO:HI must be given: the smallest and the largest number");
  }
  if (edges && flags.resolution.has_value()) {
    return Refuse("--resolution", "and --edges must not both be given: edges are the bins");
  }
  if (!flags.mean_only) {
    if (!flags.levels.has_value()) return absl::OkStatus();
    return Refuse("--levels", "is for --kind key_value, and for number with --mean-only");
  }
  if (edges) return Refuse("--edges", "is not for --mean-only, which counts levels and no bins");
  if (flags.resolution.has_value()) {
    return Refuse("--resolution", "is not for --mean-only, which has --levels");
  }
  if (flags.branching.has_value()) {
    return Refuse("--branching", "is not for --mean-only, which has no bins and no tree");
  }
  return absl::OkStatus();
}

absl::Status CheckBounds(const NumberFlags& flags) {
  const uint64_t resolution = flags.resolution.value_or(kUsualResolution);
  if (!mechanism::IsDomainSize(resolution)) {
    return Refuse("--resolution",
                  absl::StrCat("must be ", mechanism::kDomainBound, ", is ", resolution));
  }
  const uint32_t levels = flags.levels.value_or(kUsualLevels);
  if (levels < 2 || levels > kMostLevels) {
    return Refuse("--levels", absl::StrCat("must be in [2, ", kMostLevels, "], is ", levels));
  }
  const uint32_t branching = flags.branching.value_or(0);
  if (branching == 1 || branching > kMostBranching) {
    return Refuse("--branching", absl::StrCat("must be 0, for the bins alone, or in [2, ",
                                              kMostBranching, "], is ", branching));
  }
  return absl::OkStatus();
}

absl::Status CheckEdges(const std::vector<double>& edges) {
  for (size_t i = 0; i < edges.size(); ++i) {
    const std::string line = absl::StrCat("line ", i + 1);
    if (!(std::abs(edges[i]) <= kFarthestNumber)) {
      return Refuse("--edges:", absl::StrCat(line, " must be in [-1e100, 1e100], is ", edges[i]));
    }
    if (i > 0 && !(edges[i - 1] < edges[i])) {
      return Refuse("--edges:", absl::StrCat(line, " must be above the line before it, ",
                                             edges[i - 1], ", is ", edges[i]));
    }
  }
  if (edges.size() < 3) {
    return Refuse("--edges", "must have three lines at least, the edges of two bins");
  }
  if (edges.size() - 1 > static_cast<size_t>(mechanism::kLargestDomain)) {
    return Refuse("--edges",
                  absl::StrCat("must have at most ", mechanism::kLargestDomainText, " bins"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<double>> EdgesOf(const NumberFlags& flags) {
  std::vector<double> edges = flags.edges;
  if (!flags.edges_file.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> lines,
                             ReadLines("--edges", flags.edges_file));
    for (const std::string& line : lines) {
      if (!absl::SimpleAtod(line, &edges.emplace_back())) {
        return Refuse("--edges:", absl::StrCat("line ", edges.size(), " must be a number"));
      }
    }
  }
  TOMBOLA_RETURN_IF_ERROR(CheckEdges(edges));
  if (flags.value_range.empty()) return edges;
  TOMBOLA_ASSIGN_OR_RETURN(const auto range, ReadValueRange(flags.value_range));
  if (range != std::pair(edges.front(), edges.back())) {
    return Refuse("--value-range",
                  absl::StrCat("must be absent, or the first and the last of --edges, ",
                               edges.front(), ":", edges.back()));
  }
  return edges;
}

}  // namespace

absl::StatusOr<std::pair<double, double>> ReadValueRange(const std::string& text) {
  const std::vector<std::string> ends = absl::StrSplit(text, ':');
  double low;
  double high;
  if (ends.size() != 2 || !absl::SimpleAtod(ends[0], &low) || !absl::SimpleAtod(ends[1], &high)) {
    return Refuse("--value-range", "must be LO:HI, such as -1:1 or 1:5");
  }
  if (!(std::abs(low) <= kFarthestNumber && std::abs(high) <= kFarthestNumber &&
        high - low >= kNarrowestRange)) {
    return Refuse(
        "--value-range",
        absl::StrCat("must be LO:HI, both in [-1e100, 1e100] and LO below HI, is ", text));
  }
  return std::pair(low, high);
}

absl::StatusOr<AskedNumbers> ReadNumbers(const NumberFlags& flags) {
  TOMBOLA_RETURN_IF_ERROR(CheckTogether(flags));
  TOMBOLA_RETURN_IF_ERROR(CheckBounds(flags));
  AskedNumbers asked{.bins = flags.resolution.value_or(kUsualResolution)};
  if (flags.mean_only) asked.bins = flags.levels.value_or(0);
  if (flags.edges_file.empty() && flags.edges.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(const auto range, ReadValueRange(flags.value_range));
    asked.wire.add_edges(range.first);
    asked.wire.add_edges(range.second);
  } else {
    TOMBOLA_ASSIGN_OR_RETURN(const std::vector<double> edges, EdgesOf(flags));
    asked.wire.mutable_edges()->Add(edges.begin(), edges.end());
    asked.bins = edges.size() - 1;
  }
  asked.wire.set_missing(flags.missing);
  asked.wire.set_dithered(flags.mean_only);
  if (asked.bins != 0 && !Bins::Read(asked.wire, static_cast<int64_t>(asked.bins)).ok()) {
    return Refuse("--value-range", absl::StrCat("has no ", asked.bins,
                                                " bins: their edges would be the same numbers"));
  }
  return asked;
}

}  // namespace tombola::cli
