#include "cli/simulate/numbers.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "cli/command/json_record.h"
#include "cli/simulation/distributions.h"
#include "cli/simulation/generator.h"
#include "common/base/status_macros.h"

namespace tombola::cli {
namespace {

// Of made-up devices so many have no number, where one may be missing.
constexpr double kMissingShare = 0.1;

using simulation::NumberData;

// Counts numbers by their bins, or one by one.
class NumberCounts {
 public:
  explicit NumberCounts(const NumberRequest& request)
      : request_(request), data_{.missing = request.missing} {
    if (!request.mean_only) data_.counts.resize(static_cast<size_t>(request.bins.size()));
  }

  int64_t users() const { return users_; }

  // False for one that the task would not take.
  bool Add(std::optional<double> number) {
    if (!number.has_value()) {
      ++data_.none;
      ++users_;
      return request_.missing;
    }
    const std::optional<int64_t> bin = request_.bins.BinOf(*number);
    if (!bin.has_value()) return false;
    ++users_;
    if (request_.mean_only) {
      ++alike_[*number];
    } else {
      ++data_.counts[static_cast<size_t>(*bin)];
    }
    return true;
  }

  NumberData Take() {
    const double low = request_.bins.low();
    for (const auto& [number, count] : alike_) {
      data_.points.push_back((number - low) / (request_.bins.high() - low));
      data_.counts.push_back(count);
    }
    return std::move(data_);
  }

 private:
  const NumberRequest& request_;
  NumberData data_;
  std::map<double, int64_t> alike_;
  int64_t users_ = 0;
};

absl::StatusOr<NumberData> DrawNumbers(const NumberRequest& request) {
  simulation::DataRequest with = request.data;
  with.domain = request.bins.size();
  TOMBOLA_ASSIGN_OR_RETURN(simulation::Data data, simulation::MakeData(with));
  NumberData numbers{.missing = request.missing};
  simulation::Generator random(simulation::SeedSequence(with.seed).Add("missing").seed());
  for (int64_t& count : data.counts) {
    const int64_t none = request.missing ? simulation::Binomial(count, kMissingShare, random) : 0;
    numbers.none += none;
    count -= none;
  }
  numbers.counts = std::move(data.counts);
  if (!request.mean_only) return numbers;
  const double bins = static_cast<double>(request.bins.size());
  for (int64_t bin = 0; bin < request.bins.size(); ++bin) {
    numbers.points.push_back((static_cast<double>(bin) + 0.5) / bins);
  }
  return numbers;
}

}  // namespace

absl::StatusOr<NumberData> ReadNumberLines(std::istream& lines, absl::string_view name,
                                           const NumberRequest& request) {
  NumberCounts counts(request);
  const std::optional<int64_t> wanted = request.data.users;
  std::string line;
  int64_t number = 0;
  while (counts.users() < wanted.value_or(int64_t{1} << 40) && std::getline(lines, line)) {
    ++number;
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    const auto refuse = [&](absl::string_view why) {
      return absl::InvalidArgumentError(absl::StrCat(name, ", line ", number, ": ", why));
    };
    const absl::StatusOr<std::optional<double>> given = ReadNumber(line);
    if (!given.ok()) return refuse(given.status().message());
    if (!counts.Add(*given)) {
      return refuse(absl::StrCat("it must be a number in [", request.bins.low(), ", ",
                                 request.bins.high(), "]",
                                 given->has_value() ? "" : "; null is for --missing"));
    }
  }
  if (counts.users() < wanted.value_or(1)) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " has ", counts.users(), " lines; ", wanted.value_or(1), " are needed"));
  }
  return counts.Take();
}

absl::StatusOr<NumberData> MakeNumberData(const NumberRequest& request) {
  const std::optional<std::string> path = simulation::FileOf(request.data);
  NumberData data;
  if (path.has_value()) {
    TOMBOLA_RETURN_IF_ERROR(simulation::ValidateSizes(request.data));
    TOMBOLA_ASSIGN_OR_RETURN(std::ifstream file, simulation::OpenFile(*path));
    TOMBOLA_ASSIGN_OR_RETURN(data, ReadNumberLines(file, *path, request));
  } else {
    TOMBOLA_ASSIGN_OR_RETURN(data, DrawNumbers(request));
  }
  if (data.with_number() > 0) return data;
  return absl::InvalidArgumentError("--data: no device has a number; one at least must have one");
}

}  // namespace tombola::cli
