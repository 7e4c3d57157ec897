#include "cli/simulation/record_population.h"

#include <algorithm>
#include <numeric>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cli/simulation/distributions.h"
#include "cli/simulation/generator.h"
#include "common/base/status_macros.h"
#include "common/random/random_source.h"

namespace tombola::simulation {
namespace {

constexpr uint64_t kParts = 100;  // of a measure's range

// One value after the other from a law.
class ValueLaw {
 public:
  explicit ValueLaw(std::vector<double> weights) : cumulative_(std::move(weights)) {
    std::partial_sum(cumulative_.begin(), cumulative_.end(), cumulative_.begin());
  }

  int64_t Draw(Generator& random) const {
    const auto above = std::upper_bound(cumulative_.begin(), cumulative_.end(),
                                        Uniform(random) * cumulative_.back());
    return std::min(static_cast<int64_t>(above - cumulative_.begin()),
                    static_cast<int64_t>(cumulative_.size()) - 1);
  }

 private:
  std::vector<double> cumulative_;
};

absl::StatusOr<std::vector<ValueLaw>> LawsOf(const DataRequest& request,
                                             const RecordSchema& schema) {
  std::vector<ValueLaw> laws;
  for (const Attribute& attribute : schema.attributes) {
    DataRequest one = request;
    one.domain = attribute.size();
    TOMBOLA_RETURN_IF_ERROR(ValidateSizes(one));
    TOMBOLA_ASSIGN_OR_RETURN(std::vector<double> weights, Weights(one));
    laws.emplace_back(std::move(weights));
  }
  return laws;
}

}  // namespace

void RecordPopulation::Add(absl::Span<const client::PlacedRow> rows) {
  for (const client::PlacedRow& row : rows) {
    for (const int64_t place : row.places) places_.push_back(static_cast<uint32_t>(place));
    numbers_.insert(numbers_.end(), row.numbers.begin(), row.numbers.end());
  }
  ends_.push_back(ends_.back() + rows.size());
}

std::vector<client::PlacedRow> RecordPopulation::RowsOf(int64_t user) const {
  std::vector<client::PlacedRow> rows;
  const auto at = static_cast<size_t>(user);
  for (size_t row = ends_[at]; row < ends_[at + 1]; ++row) {
    const auto places = places_.begin() + static_cast<ptrdiff_t>(row * attributes_);
    const auto numbers = numbers_.begin() + static_cast<ptrdiff_t>(row * measures_);
    rows.push_back({.places = {places, places + static_cast<ptrdiff_t>(attributes_)},
                    .numbers = {numbers, numbers + static_cast<ptrdiff_t>(measures_)}});
  }
  return rows;
}

absl::StatusOr<RecordPopulation> DrawRecords(const DataRequest& request,
                                             const RecordSchema& schema) {
  if (!request.users.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("--data ", request.source, " needs --users"));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<ValueLaw> laws, LawsOf(request, schema));
  const auto fields = static_cast<int64_t>(schema.attributes.size() + schema.measures.size());
  if (*request.users > RecordPopulation::kMostFields / (schema.max_records * fields)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--users times max_records and the attributes and measures of --schema must "
                     "be at most ",
                     RecordPopulation::kMostFields));
  }
  Generator random(SeedSequence(request.seed).Add("records").Add(request.source).seed());
  RecordPopulation population(schema);
  std::vector<client::PlacedRow> rows;
  for (int64_t user = 0; user < *request.users; ++user) {
    rows.resize(UniformBelow(static_cast<uint64_t>(schema.max_records) + 1, random));
    for (client::PlacedRow& row : rows) {
      row.places.clear();
      row.numbers.clear();
      for (const ValueLaw& law : laws) row.places.push_back(law.Draw(random));
      for (const Measure& measure : schema.measures) {
        const auto part = static_cast<double>(UniformBelow(kParts + 1, random));
        const double range = measure.levels.high - measure.levels.low;
        row.numbers.push_back(
            std::min(measure.levels.low + range * part / kParts, measure.levels.high));
      }
    }
    population.Add(rows);
  }
  return population;
}

}  // namespace tombola::simulation
