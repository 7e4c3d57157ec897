#include "collector/http/plan_question.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "collector/http/parameters.h"
#include "common/base/status_macros.h"
#include "common/json/record_schema.h"
#include "common/kind/histogram.h"
#include "common/kind/key_value.h"
#include "common/kind/number.h"
#include "common/kind/records.h"
#include "common/kind/set.h"
#include "common/kind/stream.h"
#include "common/kind/strings.h"
#include "common/plan/stream.h"
#include "common/strings/alphabet.h"
#include "common/strings/shape.h"
#include "common/table/domain_size.h"

namespace tombola::collector {
namespace {

constexpr size_t kMostEpsilons = 16;
// Beyond it, and beyond 2^32 users, a plan takes many seconds; the command line has the time.
constexpr double kLeastDelta = 1e-30;
// The same for all other kinds.
constexpr int64_t kMostItems = 256;
constexpr int64_t kMostWork = int64_t{1} << 22;
constexpr absl::string_view kBytesAlphabet = "bytes";  // as on the command line
constexpr int64_t kMostPlannedDictionary = 1'000'000'000'000;
constexpr int64_t kMostPlannedBins = int64_t{1} << 20;
constexpr int64_t kMostSentLevels = 64;
constexpr int64_t kUsualPlannedBins = 1024;  // as on the command line
// Of a schema. What it asks for is bounded as in a task, and its plan takes some seconds at most.
constexpr size_t kMostSchemaBytes = 8 << 10;
// Of memory for each point of work, of which one candidate has at most kMostWork at once; for each
// bin; and for each leaf of a view. Plans are computed one at a time, but each holds what it takes
// while it waits.
constexpr int64_t kBytesOfPoint = 64;
constexpr int64_t kBytesOfBin = 32;
constexpr int64_t kBytesOfLeaf = 16;
// Of a stream, whose plan takes about a fiftieth of a second for each period; what it holds of
// memory besides.
constexpr int64_t kMostPlannedPeriods = 366;
constexpr int64_t kBytesOfPeriods = 256 << 20;

absl::Status OnlyFor(absl::string_view name, absl::string_view kinds) {
  return absl::InvalidArgumentError(absl::StrCat(name, " is for kind ", kinds));
}

constexpr absl::string_view kWithFrequency = "set, key_value and stream";

struct ItemParameters {
  std::optional<int64_t> held;
  std::optional<int64_t> levels;
  std::optional<double> frequency;
};

// How many cells a device fills, and of how many: those of the values, or of their levels, and
// pads.
absl::Status SetItems(const ItemParameters& given, PlanQuestion& question) {
  mechanism::PlanRequest& plan = question.request;
  const bool pairs = question.kind == KeyValueKind::kName;
  if (given.levels.has_value() && !pairs) return OnlyFor("levels", KeyValueKind::kName);
  if (question.kind == Histogram::kName) {
    if (given.held.has_value()) return OnlyFor("max_items", "set and key_value");
    if (given.frequency.has_value()) return OnlyFor("frequency", kWithFrequency);
    return absl::OkStatus();
  }
  if (!given.held.has_value()) {
    return absl::InvalidArgumentError("max_items must be given for kind set and key_value");
  }
  const int64_t held = *given.held;
  if (held > plan.domain_size) {
    return absl::InvalidArgumentError("max_items must be at most domain");
  }
  plan.frequency = given.frequency.value_or(0);
  if (!(plan.frequency >= 0 && plan.frequency <= 1)) {
    return absl::InvalidArgumentError("frequency must be in [0, 1]");
  }
  if (pairs) question.options.levels = given.levels.value_or(kUsualLevels);
  plan.domain_size = plan.domain_size * std::max<int64_t>(1, question.options.levels) + held;
  if (plan.domain_size > mechanism::kLargestDomain) {
    return absl::InvalidArgumentError(
        absl::StrCat("domain times levels, and max_items, must be at most ",
                     mechanism::kLargestDomainText, " together"));
  }
  plan.filling = {.held = held, .sent = held};
  plan.most_work = kMostWork;
  return absl::OkStatus();
}

struct NumberParameters {
  std::optional<int64_t> resolution, branching, sent;
  bool mean_only = false, missing = false;

  bool any() const {
    return resolution.has_value() || branching.has_value() || sent.has_value() || mean_only ||
           missing;
  }
};

// The bins and the tree above them, or the levels.
absl::Status SetNumbers(const NumberParameters& given, const ItemParameters& items,
                        PlanQuestion& question) {
  if (items.held.has_value()) return OnlyFor("max_items", "set and key_value");
  if (items.frequency.has_value()) return OnlyFor("frequency", kWithFrequency);
  if (given.branching == 1) {
    return absl::InvalidArgumentError("branching must be 0, for the bins alone, or at least 2");
  }
  if (given.mean_only) {
    for (const auto& [name, there] : {std::pair("resolution", given.resolution.has_value()),
                                      std::pair("branching", given.branching.has_value()),
                                      std::pair("sent", given.sent.has_value())}) {
      if (there) {
        return absl::InvalidArgumentError(
            absl::StrCat(name, " is not for mean_only, which has levels and no tree"));
      }
    }
  } else if (items.levels.has_value()) {
    return absl::InvalidArgumentError(
        "levels is for kind key_value, and for number with mean_only");
  }
  question.values =
      given.mean_only ? items.levels.value_or(0) : given.resolution.value_or(kUsualPlannedBins);
  question.numbers = {.bins = question.values,
                      .missing = given.missing,
                      .dithered = given.mean_only,
                      .branching = given.branching,
                      .sent = given.sent};
  question.options.numbers = true;
  question.request.most_work = kMostWork;
  question.bytes += kBytesOfPoint * kMostWork + kBytesOfBin * question.values;
  return absl::OkStatus();
}

struct StringParameters {
  std::optional<std::string> alphabet;
  std::optional<int64_t> length, step, dictionary_size;
  bool dictionary_only = false;

  bool any() const {
    return alphabet.has_value() || length.has_value() || step.has_value() ||
           dictionary_size.has_value() || dictionary_only;
  }
};

// The symbols, and how they are cut into levels.
absl::Status SetStrings(const StringParameters& given, const ItemParameters& items,
                        PlanQuestion& question) {
  if (items.held.has_value()) return OnlyFor("max_items", "set and key_value");
  if (items.levels.has_value()) return OnlyFor("levels", "key_value and number");
  if (items.frequency.has_value()) return OnlyFor("frequency", "set and key_value");
  if (!given.alphabet.has_value() || !given.length.has_value()) {
    return absl::InvalidArgumentError("alphabet and length must be given for kind strings");
  }
  const bool whole = given.dictionary_only || given.dictionary_size.has_value();
  if (whole && given.step.has_value()) {
    return absl::InvalidArgumentError(
        "step is not for dictionary_only and dictionary_size, where whole strings are sent");
  }
  int64_t symbols = strings::kMostSymbols;
  if (*given.alphabet != kBytesAlphabet) {
    TOMBOLA_ASSIGN_OR_RETURN(const strings::Alphabet alphabet,
                             strings::Alphabet::OfCharacters(*given.alphabet));
    symbols = alphabet.symbols();
  }
  question.strings = {
      .symbols = symbols, .length = *given.length, .step = given.step, .whole = whole};
  if (given.dictionary_size.has_value()) {
    question.strings->dictionary = static_cast<double>(*given.dictionary_size);
  }
  question.request.most_work = kMostWork;
  question.bytes += kBytesOfPoint * kMostWork;
  // What no epsilon mends is refused at once.
  return LevelsFor(*question.strings).status();
}

// The leaves of the largest view, if no bins are joined.
int64_t LargestView(const v1::Records& records) {
  double largest = 1;
  for (const v1::View& view : records.views()) {
    double leaves = 1;
    for (const uint32_t place : view.attributes()) {
      const v1::Attribute& attribute = records.attributes(static_cast<int>(place));
      leaves *= std::max<double>(attribute.bins(), attribute.labels_size());
    }
    largest = std::max(largest, leaves);
  }
  return static_cast<int64_t>(std::min(largest, static_cast<double>(mechanism::kLargestDomain)));
}

absl::Status SetSchema(const std::string& schema, PlanQuestion& question) {
  if (schema.size() > kMostSchemaBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("schema has ", schema.size(), " bytes; it may have ", kMostSchemaBytes));
  }
  absl::StatusOr<v1::Records> asked = ParseRecordSchema(schema);
  if (!asked.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("schema: ", asked.status().message()));
  }
  if (asked->max_records() == 0) {
    return absl::InvalidArgumentError(
        "schema: max_records must be a number here; which one is best is told by the command line, "
        "`tombola plan --kind records --sizes FILE`");
  }
  int64_t most_bins = 0;
  for (const v1::Attribute& attribute : asked->attributes()) {
    if (attribute.bins() > kMostPlannedBins) {
      return absl::InvalidArgumentError(
          absl::StrCat("schema: ", attribute.name(), ".bins must be at most ", kMostPlannedBins));
    }
    most_bins = std::max<int64_t>(most_bins, attribute.bins());
  }
  question.bytes +=
      kBytesOfPoint * kMostWork + kBytesOfLeaf * LargestView(*asked) + kBytesOfBin * most_bins;
  question.records = {.schema = schema, .asked = *std::move(asked)};
  question.request.most_work = kMostWork;
  return absl::OkStatus();
}

struct StreamParameters {
  std::optional<int64_t> periods, device_periods;
  std::optional<std::string> structure;

  bool any() const {
    return periods.has_value() || device_periods.has_value() || structure.has_value();
  }
};

absl::Status SetStream(const StreamParameters& given, const ItemParameters& items,
                       PlanQuestion& question) {
  if (items.held.has_value()) return OnlyFor("max_items", "set and key_value");
  if (items.levels.has_value()) return OnlyFor("levels", "key_value and number");
  if (!given.periods.has_value()) {
    return absl::InvalidArgumentError("periods must be given for kind stream");
  }
  if (given.device_periods > given.periods) {
    return absl::InvalidArgumentError("device_periods must be at most periods");
  }
  const std::string structure = given.structure.value_or("auto");
  mechanism::StreamPlanRequest stream{.periods = *given.periods,
                                      .structure = mechanism::StructureNamed(structure),
                                      .device_periods = given.device_periods.value_or(1)};
  if (structure != "auto" && !stream.structure.has_value()) {
    return absl::InvalidArgumentError("structure must be auto, plain, fenwick or best");
  }
  question.request.frequency = items.frequency.value_or(0);
  if (!(question.request.frequency >= 0 && question.request.frequency <= 1)) {
    return absl::InvalidArgumentError("frequency must be in [0, 1]");
  }
  question.stream = std::move(stream);
  question.bytes += kBytesOfPeriods;
  return absl::OkStatus();
}

// What the kind is about; each has parameters that are for it alone.
absl::Status SetKind(std::optional<int64_t> domain, const ItemParameters& items,
                     const NumberParameters& numbers, const StringParameters& strings,
                     const std::optional<std::string>& schema, const StreamParameters& periods,
                     PlanQuestion& question) {
  const bool number = question.kind == NumberKind::kName;
  const bool records = question.kind == RecordsKind::kName;
  const bool of_strings = question.kind == StringsKind::kName;
  if (!of_strings && strings.any()) {
    return OnlyFor("alphabet, length, step, dictionary_size and dictionary_only",
                   StringsKind::kName);
  }
  const bool stream = question.kind == StreamKind::kName;
  if (!stream && periods.any()) {
    return OnlyFor("periods, structure and device_periods", StreamKind::kName);
  }
  if (!number && numbers.any()) {
    return OnlyFor("resolution, branching, sent, mean_only and missing", NumberKind::kName);
  }
  if (records != schema.has_value()) {
    return absl::InvalidArgumentError("schema is for kind records, which must have it");
  }
  if (domain.has_value() == (number || records || of_strings)) {
    return absl::InvalidArgumentError(
        "domain must be given for kind histogram, set, key_value and stream, and for no other");
  }
  if (number) return SetNumbers(numbers, items, question);
  if (of_strings) return SetStrings(strings, items, question);
  if (!records) {
    question.values = question.request.domain_size = *domain;
    if (stream) return SetStream(periods, items, question);
    return SetItems(items, question);
  }
  if (items.held.has_value()) return OnlyFor("max_items", "set and key_value");
  if (items.levels.has_value()) return OnlyFor("levels", "key_value and number");
  if (items.frequency.has_value()) return OnlyFor("frequency", kWithFrequency);
  return SetSchema(*schema, question);
}

}  // namespace

absl::StatusOr<PlanQuestion> ReadPlanQuestion(const http::Request& request) {
  Parameters parameters(request);
  PlanQuestion question;
  mechanism::PlanRequest& plan = question.request;
  const auto users = parameters.Integer("users", 1, int64_t{1} << 32);
  const auto domain =
      parameters.Integer("domain", mechanism::kSmallestDomain, mechanism::kLargestDomain);
  const auto delta = parameters.Number("delta");
  question.epsilons = parameters.Numbers("epsilon");
  plan.max_local_epsilon = parameters.Number("max_local_epsilon").value_or(plan.max_local_epsilon);
  plan.max_messages = parameters.Number("max_messages").value_or(plan.max_messages);
  const double dishonest = parameters.Number("dishonest").value_or(0);
  question.options.min_batch = parameters.OneOf("min_batch", {"true", "false"}) == "true";
  question.kind = parameters.OneOf(
      "kind", {Histogram::kName, Set::kName, KeyValueKind::kName, NumberKind::kName,
               RecordsKind::kName, StreamKind::kName, StringsKind::kName});
  const ItemParameters items{.held = parameters.Integer("max_items", 1, kMostItems),
                             .levels = parameters.Integer("levels", 2, kMostLevels),
                             .frequency = parameters.Number("frequency")};
  const NumberParameters numbers{
      .resolution = parameters.Integer("resolution", mechanism::kSmallestDomain, kMostPlannedBins),
      .branching = parameters.Integer("branching", 0, kMostBranching),
      .sent = parameters.Integer("sent", 1, kMostSentLevels),
      .mean_only = parameters.OneOf("mean_only", {"false", "true"}) == "true",
      .missing = parameters.OneOf("missing", {"false", "true"}) == "true"};
  const StringParameters strings{
      .alphabet = parameters.Text("alphabet"),
      .length = parameters.Integer("length", 1, strings::kMostLength),
      .step = parameters.Integer("step", 1, strings::kMostLength),
      .dictionary_size = parameters.Integer("dictionary_size", 1, kMostPlannedDictionary),
      .dictionary_only = parameters.OneOf("dictionary_only", {"false", "true"}) == "true"};
  const std::optional<std::string> schema = parameters.Text("schema");
  const StreamParameters periods{
      .periods = parameters.Integer("periods", 1, kMostPlannedPeriods),
      .device_periods = parameters.Integer("device_periods", 1, kMostPlannedPeriods),
      .structure = parameters.Text("structure")};
  TOMBOLA_RETURN_IF_ERROR(parameters.Finish());
  if (!users.has_value() || !delta.has_value()) {
    return absl::InvalidArgumentError("users and delta must be given");
  }
  if (question.epsilons.empty() || question.epsilons.size() > kMostEpsilons) {
    return absl::InvalidArgumentError(
        absl::StrCat("epsilon must be given 1 to ", kMostEpsilons, " times"));
  }
  for (const double epsilon : question.epsilons) {
    if (!(epsilon > 0)) return absl::InvalidArgumentError("epsilon must be positive");
  }
  if (!(*delta >= kLeastDelta && *delta < 1)) {
    return absl::InvalidArgumentError("delta must be in [1e-30, 1)");
  }
  if (!(dishonest >= 0 && dishonest < 1)) {
    return absl::InvalidArgumentError("dishonest must be in [0, 1)");
  }
  question.options.min_honest = 1 - dishonest;
  plan.submissions = *users;
  TOMBOLA_RETURN_IF_ERROR(SetKind(domain, items, numbers, strings, schema, periods, question));
  plan.delta = *delta;
  plan.honest = mechanism::HonestOf(*users, dishonest);
  if (plan.honest < 1) {
    return absl::InvalidArgumentError("dishonest must leave at least one of users");
  }
  return question;
}

}  // namespace tombola::collector
