#include "lab/joins/star_sets.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/simulation/distributions.h"
#include "cli/simulation/generator.h"
#include "common/base/status_macros.h"
#include "common/disk/whole_file.h"

namespace tombola::lab {
namespace {

using simulation::Generator;
using simulation::Uniform;

constexpr int32_t kPlaces = 125;
constexpr int64_t kMostTuples = 10;
// Of the stand-in: (1 - this)^5 of the devices have 6 tuples or more, 3 %.
constexpr double kLastTuple = 0.504;
constexpr double kSpike = 0.4;
constexpr int32_t kSpikePlace = 51, kOldest = 90;

// A place from 0 of a value that should be in 1..125.
uint8_t PlaceOf(double value) {
  return static_cast<uint8_t>(std::clamp<double>(std::lround(value), 1, kPlaces) - 1);
}

uint8_t AmountOf(double value) { return static_cast<uint8_t>(PlaceOf(value) + 1); }

int64_t UniformLength(Generator& random) {
  return 1 + static_cast<int64_t>(UniformBelow(kMostTuples, random));
}

int64_t ShortLength(Generator& random) {
  int64_t length = 1;
  while (length < kMostTuples && Uniform(random) >= kLastTuple) ++length;
  return length;
}

// What of a row of the Adult data is looked at.
struct AdultRow {
  uint8_t age = 0;
  JoinedTuple tuple;
};

absl::StatusOr<AdultRow> ParseRow(absl::string_view line, int64_t number) {
  const std::vector<absl::string_view> fields = absl::StrSplit(line, ',');
  constexpr size_t kFields = 15;
  int age = 0, weight = 0, education = 0, hours = 0;
  const auto read = [&](size_t field, int* out) {
    return absl::SimpleAtoi(absl::StripAsciiWhitespace(fields[field]), out);
  };
  if (fields.size() != kFields || !read(0, &age) || !read(2, &weight) || !read(4, &education) ||
      !read(12, &hours)) {
    return absl::InvalidArgumentError(
        absl::StrCat(kAdult, ", line ", number, ": must be 15 fields, as UCI has them"));
  }
  constexpr double kWeightOfAnAmount = 4000;
  AdultRow row = {.age = PlaceOf(age)};
  row.tuple = {.product = static_cast<uint8_t>(std::clamp(education, 1, 25) - 1),
               .fact = PlaceOf(hours),
               .amount = AmountOf(weight / kWeightOfAnAmount)};
  return row;
}

}  // namespace

StarData DrawSyn(int64_t users, uint64_t seed) {
  Generator random(simulation::SeedSequence(seed).Add("syn").seed());
  std::normal_distribution<double> normal(kPlaces / 2.0, kPlaces / 4.0);
  StarData data({kPlaces, kPlaces, kPlaces});
  std::vector<JoinedTuple> tuples;
  for (int64_t user = 0; user < users; ++user) {
    const uint8_t profile = PlaceOf(normal(random));
    tuples.resize(UniformLength(random));
    for (JoinedTuple& tuple : tuples) {
      tuple = {PlaceOf(normal(random)), PlaceOf(normal(random)), AmountOf(normal(random))};
    }
    data.Add(profile, tuples);
  }
  return data;
}

StarData DrawIpumsStandIn(int64_t users, uint64_t seed) {
  Generator random(simulation::SeedSequence(seed).Add("ipums").seed());
  std::lognormal_distribution<double> income(3.5, 0.6);
  StarData data({kPlaces, kPlaces, kPlaces});
  std::vector<JoinedTuple> tuples;
  for (int64_t user = 0; user < users; ++user) {
    const uint8_t profile = static_cast<uint8_t>(UniformBelow(kOldest, random));
    tuples.resize(ShortLength(random));
    for (JoinedTuple& tuple : tuples) {
      const bool usual = Uniform(random) < kSpike;
      const int32_t product =
          usual ? kSpikePlace : static_cast<int32_t>(UniformBelow(kPlaces, random));
      tuple = {static_cast<uint8_t>(product), PlaceOf(income(random)), AmountOf(income(random))};
    }
    data.Add(profile, tuples);
  }
  return data;
}

absl::StatusOr<StarData> ParseAdult(absl::string_view text, uint64_t seed) {
  std::vector<AdultRow> rows;
  int64_t number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    TOMBOLA_ASSIGN_OR_RETURN(rows.emplace_back(), ParseRow(line, number));
  }
  if (rows.empty()) return absl::InvalidArgumentError(absl::StrCat(kAdult, " holds no row"));
  Generator random(simulation::SeedSequence(seed).Add("adult").seed());
  StarData data({kPlaces, 25, kPlaces});
  std::vector<JoinedTuple> tuples;
  for (const AdultRow& row : rows) {
    tuples.resize(UniformLength(random));
    for (JoinedTuple& tuple : tuples) tuple = rows[UniformBelow(rows.size(), random)].tuple;
    data.Add(row.age, tuples);
  }
  return data;
}

absl::StatusOr<StarData> ReadAdult(const std::string& folder, uint64_t seed) {
  const absl::StatusOr<std::string> text = ReadSmallFile(absl::StrCat(folder, "/", kAdult));
  if (!text.ok()) {
    return absl::Status(text.status().code(),
                        absl::StrCat("the data folder's ", kAdult, ": ", text.status().message()));
  }
  return ParseAdult(*text, seed);
}

}  // namespace tombola::lab
