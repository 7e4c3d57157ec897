#include <limits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cli/command/json_record.h"
#include "cli/simulate/items.h"
#include "common/base/status_macros.h"
#include "common/table/domain_size.h"

namespace tombola::cli {
namespace {

using simulation::Holding;

// Numbers the items by their names.
class ItemNames {
 public:
  explicit ItemNames(std::optional<int64_t> domain) : domain_(domain) {}

  absl::StatusOr<uint32_t> NumberOf(const std::string& name) {
    int64_t number;
    const bool whole = absl::SimpleAtoi(name, &number);
    if (!numbers_.has_value()) numbers_ = whole && domain_.has_value();
    if (*numbers_) {
      if (whole && number >= 0 && number < *domain_) return static_cast<uint32_t>(number);
      return absl::InvalidArgumentError(
          absl::StrCat("\"", name, "\" must be a whole number from 0 to ", *domain_ - 1));
    }
    const auto entry = names_.try_emplace(name, names_.size()).first;
    const int64_t most = domain_.value_or(mechanism::kLargestDomain);
    if (static_cast<int64_t>(names_.size()) > most) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", name, "\" is one more name than the ", most, " of the domain"));
    }
    return static_cast<uint32_t>(entry->second);
  }

  int64_t size() const { return domain_.value_or(static_cast<int64_t>(names_.size())); }

 private:
  const std::optional<int64_t> domain_;
  std::optional<bool> numbers_;
  absl::flat_hash_map<std::string, size_t> names_;
};

absl::StatusOr<std::vector<std::pair<std::string, double>>> ReadLine(absl::string_view line,
                                                                     bool pairs) {
  if (pairs) return ReadPairs(line);
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<std::string> names, ReadNames(line));
  std::vector<std::pair<std::string, double>> record;
  record.reserve(names.size());
  for (std::string& name : names) record.emplace_back(std::move(name), 0);
  return record;
}

// What is there twice counts once, as on a device.
absl::Status AddHolding(const std::string& name, const Holding& holding,
                        std::vector<Holding>* record) {
  for (const Holding& other : *record) {
    if (other.item != holding.item) continue;
    if (other.number == holding.number) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("\"", name, "\" is there twice, with different numbers"));
  }
  record->push_back(holding);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Holding>> RecordOf(absl::string_view line, const Levels& levels,
                                              ItemNames& names) {
  const bool pairs = levels.count > 1;
  TOMBOLA_ASSIGN_OR_RETURN(const auto read, ReadLine(line, pairs));
  std::vector<Holding> record;
  for (const auto& [name, number] : read) {
    if (pairs && !(number >= levels.low && number <= levels.high)) {
      return absl::InvalidArgumentError(absl::StrCat("\"", name, "\": its number is ", number,
                                                     "; by --value-range it must be in [",
                                                     levels.low, ", ", levels.high, "]"));
    }
    TOMBOLA_ASSIGN_OR_RETURN(const uint32_t item, names.NumberOf(name));
    TOMBOLA_RETURN_IF_ERROR(
        AddHolding(name, {.item = item, .number = static_cast<float>(number)}, &record));
  }
  return record;
}

}  // namespace

absl::StatusOr<ReadDevices> ReadRecords(std::istream& lines, absl::string_view name,
                                        const simulation::DataRequest& request,
                                        const Levels& levels) {
  ItemNames names(request.domain);
  ReadDevices devices;
  const int64_t wanted = request.users.value_or(std::numeric_limits<int64_t>::max());
  std::string text;
  for (int64_t number = 1; devices.population.users() < wanted && std::getline(lines, text);
       ++number) {
    absl::string_view line = text;
    if (number == 1) absl::ConsumePrefix(&line, "\xEF\xBB\xBF");
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    const auto record = RecordOf(line, levels, names);
    if (!record.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": line ", number, ": ", record.status().message()));
    }
    devices.population.Add(*record);
    if (devices.population.holdings() > simulation::Population::kMostHoldings) {
      return absl::InvalidArgumentError(absl::StrCat(name, ": line ", number, ": more than ",
                                                     simulation::Population::kMostHoldings,
                                                     " things in all"));
    }
  }
  const int64_t users = devices.population.users();
  if (users == 0) return absl::InvalidArgumentError(absl::StrCat(name, ": has no lines"));
  if (request.users.has_value() && users < wanted) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": has ", users, " lines, fewer than --users ", wanted, "; leave --users out"));
  }
  devices.items = names.size();
  if (devices.items < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": has fewer than two distinct values; give --domain, at least 2"));
  }
  return devices;
}

}  // namespace tombola::cli
