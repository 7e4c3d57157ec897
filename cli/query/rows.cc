#include "cli/query/rows.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/report/line_reader.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"
#include "common/disk/whole_file.h"
#include "common/kind/kind.h"
#include "common/kind/of_kind.h"

namespace tombola::cli {
namespace {

// Bins that a table or a chart shows unless --top says otherwise, and the most that a chart can.
constexpr uint64_t kUsualBins = 50;
constexpr uint64_t kMostDrawn = 1000;

// One value, or several between commas.
absl::Status AddValues(const std::string& given, const Domain& domain,
                       std::vector<uint64_t>* values) {
  if (const auto whole = domain.Find(given); whole.has_value()) {
    values->push_back(*whole);
    return absl::OkStatus();
  }
  for (const absl::string_view value : absl::StrSplit(given, ',')) {
    const auto index = domain.Find(std::string(value));
    if (!index.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--values: \"", value, "\" is not among the task's values"));
    }
    values->push_back(*index);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<AskedRows> RowsAsked(const QueryOptions& options, const Task& task) {
  AskedRows asked{.top = options.top.value_or(0)};
  for (const std::string& given : options.values) {
    TOMBOLA_RETURN_IF_ERROR(AddValues(given, task.domain(), &asked.values));
  }
  if (!options.drawn()) return asked;
  auto bins = static_cast<uint64_t>(task.domain().size());
  if (!options.values.empty()) bins = asked.values.size();
  if (!options.top.has_value() && options.values.empty() && bins > kUsualBins) {
    asked.top = kUsualBins;
  }
  if (asked.top != 0) bins = std::min(bins, asked.top);
  if (options.format == "svg" && bins > kMostDrawn) {
    return absl::InvalidArgumentError(
        absl::StrCat("--format svg draws at most ", kMostDrawn,
                     " bins: ask for fewer with --top, or take --format csv"));
  }
  return asked;
}

absl::StatusOr<Devices> DevicesOf(const Task& task, const std::string& path) {
  return DevicesOf(OfKind(AllLineReaders(), task.kind().OfOneBatch().name()).read, path);
}

absl::StatusOr<Devices> DevicesOf(DeviceLines::Read read, const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(path));
  std::istringstream in(text);
  DeviceLines lines(in, std::move(read));
  Devices devices = lines.Next(text.size() + 1);
  if (lines.bad() > 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--truth: ", path, ": ", ToText(lines.complaints().front())));
  }
  if (devices.values.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("--truth: ", path, " must have a line"));
  }
  return devices;
}

absl::Status BadLine(const std::string& path, int64_t line, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("--truth: ", path, ": line ", line, ": ", why));
}

std::string LeftOut(const QueryOptions& options, const Task& task, int64_t shown) {
  if (options.top.has_value() || !options.values.empty() || shown >= task.domain().size()) {
    return "";
  }
  return absl::StrCat("the ", shown, " largest of ", task.domain().size(),
                      " bins: --top K shows K of them, --top 0 all\n");
}

std::string DescribePlaces(const QueryOptions& options, const v1::Ranking& ranking) {
  if (!ShowsPlaces(options)) return "";
  const auto many = [](uint64_t values) {
    return absl::StrCat(values, values == 1 ? " value is" : " values are");
  };
  return absl::StrCat("the ", ranking.top(), " largest: with ", PercentText(options.confidence, 6),
                      " % confidence, all at once, ", ranking.sure(), " of these ",
                      ranking.best_size(), " surely are among them; in all ", ranking.possible(),
                      " may be, and ", many(ranking.held()), " surely above 0\n");
}

}  // namespace tombola::cli
