#include "cli/simulation/string_data.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cli/simulation/distributions.h"
#include "cli/simulation/generator.h"
#include "common/base/status_macros.h"
#include "common/text/utf8.h"

namespace tombola::simulation {
namespace {

// Every device is simulated.
constexpr int64_t kMostDevices = int64_t{1} << 32;
constexpr int64_t kMostMadeUp = int64_t{1} << 20;

using HeldCounts = absl::flat_hash_map<strings::Symbols, int64_t>;

StringData Ordered(const HeldCounts& counts, const strings::Alphabet& alphabet) {
  StringData data;
  for (const auto& [symbols, devices] : counts) {
    if (devices == 0) continue;
    data.strings.push_back({symbols, alphabet.Decode(symbols), devices});
    data.devices += devices;
  }
  std::sort(data.strings.begin(), data.strings.end(), [](const HeldString& a, const HeldString& b) {
    return a.devices != b.devices ? a.devices > b.devices : a.text < b.text;
  });
  return data;
}

absl::StatusOr<std::string> TextOf(absl::string_view line) {
  if (!absl::StartsWith(line, "\"")) return std::string(line);
  const nlohmann::json json =
      nlohmann::json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_string()) return json.get<std::string>();
  return absl::InvalidArgumentError("it begins with a quote and is no JSON text");
}

// A device refuses what is no UTF-8. A file of what people typed may have been cut in the middle of
// a character: such bytes are characters that no alphabet has.
std::string AsUtf8(absl::string_view text) {
  std::string made;
  while (!text.empty()) {
    const Utf8Character next = TakeCharacter(text);
    absl::StrAppend(&made, next.valid() ? next.bytes : "\xEF\xBF\xBD");
  }
  return made;
}

// Takes how many devices a line is about off its end.
absl::StatusOr<int64_t> TakeDevices(absl::string_view& line) {
  const size_t tab = line.rfind('\t');
  int64_t devices = 0;
  if (tab == absl::string_view::npos || !absl::SimpleAtoi(line.substr(tab + 1), &devices) ||
      devices < 1 || devices > kMostDevices) {
    return absl::InvalidArgumentError("it must be a string, a tab and a number of 1 to 2^32");
  }
  line = line.substr(0, tab);
  return devices;
}

absl::StatusOr<StringData> MadeUp(const StringDataRequest& request) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<double> weights, Weights(request.data));
  if (*request.data.users > kMostDevices || *request.data.domain > kMostMadeUp) {
    return absl::InvalidArgumentError(
        "--users must be at most 2^32 and --domain at most 2^20 for --kind strings");
  }
  Generator random(SeedSequence(request.data.seed).Add("strings").Add(request.data.source).seed());
  const std::vector<int64_t> held = Multinomial(*request.data.users, weights, random);
  const auto characters = static_cast<uint64_t>(request.alphabet.symbols() - 2);
  HeldCounts counts;
  for (const int64_t devices : held) {
    strings::Symbols symbols(static_cast<size_t>(request.length));
    for (uint8_t& symbol : symbols) {
      symbol = static_cast<uint8_t>(1 + UniformBelow(characters, random));
    }
    counts[symbols] += devices;
  }
  return Ordered(counts, request.alphabet);
}

}  // namespace

absl::StatusOr<StringData> ReadStrings(std::istream& lines, absl::string_view name,
                                       const StringDataRequest& request) {
  const int64_t wanted = request.data.users.value_or(std::numeric_limits<int64_t>::max());
  HeldCounts counts;
  int64_t users = 0;
  std::string text;
  for (int64_t number = 1; users < wanted && std::getline(lines, text); ++number) {
    absl::string_view line = text;
    absl::ConsumeSuffix(&line, "\r");
    const auto bad = [&](const absl::Status& status) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": line ", number, ": ", status.message()));
    };
    absl::StatusOr<int64_t> devices = 1;
    if (request.counted) devices = TakeDevices(line);
    if (!devices.ok()) return bad(devices.status());
    const absl::StatusOr<std::string> read = TextOf(line);
    if (!read.ok()) return bad(read.status());
    const bool spells = request.spelling != strings::Spelling::kAsItIs;
    const absl::StatusOr<std::string> spelled =
        strings::Spell(spells ? AsUtf8(*read) : *read, request.spelling);
    if (!spelled.ok()) return bad(spelled.status());
    devices = std::min(*devices, wanted - users);
    counts[request.alphabet.Encode(*spelled, request.length)] += *devices;
    users += *devices;
    if (users > kMostDevices) return bad(absl::InvalidArgumentError("more than 2^32 devices"));
  }
  if (users == 0) return absl::InvalidArgumentError(absl::StrCat(name, ": has no lines"));
  if (request.data.users.has_value() && users < wanted) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": has ", users, " devices, fewer than --users ", wanted, "; leave --users out"));
  }
  return Ordered(counts, request.alphabet);
}

absl::StatusOr<StringData> MakeStringData(const StringDataRequest& request) {
  const std::optional<std::string> path = FileOf(request.data);
  if (!path.has_value()) {
    if (request.counted) {
      return absl::InvalidArgumentError("--counted is for --data file:PATH");
    }
    TOMBOLA_RETURN_IF_ERROR(ValidateSizes(request.data));
    return MadeUp(request);
  }
  if (request.data.domain.has_value()) {
    return absl::InvalidArgumentError(
        "--domain is for made-up strings; a file says by itself how many there are");
  }
  TOMBOLA_RETURN_IF_ERROR(ValidateSizes(request.data));
  TOMBOLA_ASSIGN_OR_RETURN(std::ifstream file, OpenFile(*path));
  return ReadStrings(file, *path, request);
}

}  // namespace tombola::simulation
