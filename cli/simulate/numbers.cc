#include "cli/simulate/numbers.h"

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "cli/command/json_record.h"
#include "common/base/status_macros.h"

namespace tombola::cli {

absl::StatusOr<simulation::Data> ReadBins(std::istream& lines, absl::string_view name,
                                          const simulation::DataRequest& request,
                                          const Bins& bins) {
  simulation::Data data{.counts = std::vector<int64_t>(static_cast<size_t>(bins.size()))};
  std::string line;
  int64_t number = 0;
  while (data.users < request.users.value_or(int64_t{1} << 40) && std::getline(lines, line)) {
    ++number;
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    const auto refuse = [&](absl::string_view why) {
      return absl::InvalidArgumentError(absl::StrCat(name, ", line ", number, ": ", why));
    };
    const absl::StatusOr<std::optional<double>> given = ReadNumber(line);
    if (!given.ok()) return refuse(given.status().message());
    const std::optional<int64_t> bin = given->has_value() ? bins.BinOf(**given) : std::nullopt;
    if (!bin.has_value()) {
      return refuse(absl::StrCat("it must be a number in [", bins.low(), ", ", bins.high(), "]"));
    }
    ++data.counts[static_cast<size_t>(*bin)];
    ++data.users;
  }
  if (data.users < request.users.value_or(1)) {
    return absl::InvalidArgumentError(absl::StrCat(name, " has ", data.users, " lines; ",
                                                   request.users.value_or(1), " are needed"));
  }
  return data;
}

absl::StatusOr<simulation::Data> MakeNumberData(const simulation::DataRequest& request,
                                                const Bins& bins) {
  simulation::DataRequest with = request;
  with.domain = bins.size();
  const std::optional<std::string> path = simulation::FileOf(request);
  if (!path.has_value()) return simulation::MakeData(with);
  TOMBOLA_RETURN_IF_ERROR(simulation::ValidateSizes(with));
  TOMBOLA_ASSIGN_OR_RETURN(std::ifstream file, simulation::OpenFile(*path));
  return ReadBins(file, *path, request, bins);
}

}  // namespace tombola::cli
