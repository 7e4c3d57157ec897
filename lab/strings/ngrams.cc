#include "lab/strings/ngrams.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>

#include "cli/simulation/distributions.h"
#include "lab/strings/squarem.h"

namespace tombola::lab {
namespace {

using Law = std::vector<double>;

constexpr size_t kMostNgrams = 16;
constexpr size_t kMostCandidates = 20000;
constexpr double kLeastPair = 1e-4;  // the share of devices of a pair that goes together
constexpr double kEmTolerance = 1e-5;
constexpr int64_t kMostEmSteps = 30;
constexpr int64_t kBits = 128;

// The bits of one report of an n-gram, and whose pattern its cohort gives it.
struct BloomReport {
  int64_t cohort = 0;
  std::array<uint64_t, kBits / 64> words{};

  bool Has(int32_t bit) const {
    return (words[static_cast<size_t>(bit) / 64] >> (bit % 64) & 1) != 0;
  }
};

// An n-gram's bits of every cohort, without the cohort's offset.
struct Pattern {
  std::string text;
  std::vector<std::vector<int32_t>> bits;  // by cohort

  Pattern(const std::string& ngram, const RapporSetting& setting)
      : text(ngram), bits(static_cast<size_t>(setting.cohorts)) {
    for (const int32_t bit : BitsOf(ngram, setting)) {
      const int64_t cohort = bit / setting.rappor.bits;
      bits[static_cast<size_t>(cohort)].push_back(static_cast<int32_t>(bit % setting.rappor.bits));
    }
  }
};

std::string Padded(const std::string& text, const NgramSetting& setting) {
  std::string padded(static_cast<size_t>(setting.length), kNoCharacter);
  for (size_t i = 0; i < std::min(padded.size(), text.size()); ++i) {
    if (setting.characters.find(text[i]) != std::string::npos) padded[i] = text[i];
  }
  return padded;
}

// Every string of two of them.
std::vector<HeldString> AllNgrams(const std::string& characters) {
  const std::string all = characters + kNoCharacter;
  std::vector<HeldString> ngrams;
  for (const char first : all) {
    for (const char second : all) ngrams.push_back({std::string{first, second}, 0});
  }
  return ngrams;
}

class Reporting {
 public:
  Reporting(const RapporSetting& setting, simulation::Generator& random)
      : setting_(setting), bits_(accounting::OneReport(setting.rappor, 1)), random_(random) {}

  const RapporSetting& setting() const { return setting_; }

  BloomReport Of(const Pattern& pattern) const {
    BloomReport report{.cohort = static_cast<int64_t>(
                           UniformBelow(static_cast<uint64_t>(setting_.cohorts), random_))};
    for (int32_t bit = 0; bit < kBits; ++bit) Draw(bit, bits_.risen, &report);
    for (const int32_t bit : pattern.bits[static_cast<size_t>(report.cohort)]) {
      report.words[static_cast<size_t>(bit) / 64] &= ~(uint64_t{1} << (bit % 64));
      Draw(bit, bits_.kept, &report);
    }
    return report;
  }

  // How much likelier a report is where the pattern's bits were set.
  double LikelihoodOf(const BloomReport& report, const Pattern& pattern) const {
    double ratio = 1;
    for (const int32_t bit : pattern.bits[static_cast<size_t>(report.cohort)]) {
      ratio *= report.Has(bit) ? one() : none();
    }
    return ratio;
  }

  // The same of an n-gram of which nothing is known: its bits are any.
  double LikelihoodOfOther(const BloomReport& report) const {
    double ones = 0;
    for (const uint64_t word : report.words) ones += __builtin_popcountll(word);
    const double mean = (ones * one() + (kBits - ones) * none()) / kBits;
    return std::pow(mean, static_cast<double>(setting_.rappor.hashes));
  }

 private:
  double one() const { return bits_.kept / bits_.risen; }
  double none() const { return (1 - bits_.kept) / (1 - bits_.risen); }
  void Draw(int32_t bit, double probability, BloomReport* report) const {
    const bool set = static_cast<double>(random_.Next64() >> 11) * 0x1p-53 < probability;
    if (set) report->words[static_cast<size_t>(bit) / 64] |= uint64_t{1} << (bit % 64);
  }

  RapporSetting setting_;
  accounting::UnaryReports bits_;
  simulation::Generator& random_;
};

// What the devices said that drew two places.
struct PairOfPlaces {
  size_t first = 0, second = 0;
  std::vector<std::pair<BloomReport, BloomReport>> reports;
};

std::vector<PairOfPlaces> PairsOf(size_t places) {
  std::vector<PairOfPlaces> pairs;
  for (size_t first = 0; first < places; ++first) {
    for (size_t second = first + 1; second < places; ++second) pairs.push_back({first, second, {}});
  }
  return pairs;
}

void Collect(const StringPopulation& population, const NgramSetting& setting,
             const Reporting& reporting, std::vector<PairOfPlaces>* pairs,
             simulation::Generator& random) {
  std::map<std::string, Pattern> patterns;
  const auto pattern_of = [&](const std::string& padded, size_t place) -> const Pattern& {
    const std::string ngram = padded.substr(place * kNgram, kNgram);
    return patterns.try_emplace(ngram, ngram, reporting.setting()).first->second;
  };
  for (const HeldString& held : population.strings) {
    const std::string padded = Padded(held.text, setting);
    for (int64_t i = 0; i < held.devices; ++i) {
      PairOfPlaces& pair = (*pairs)[static_cast<size_t>(UniformBelow(pairs->size(), random))];
      pair.reports.emplace_back(reporting.Of(pattern_of(padded, pair.first)),
                                reporting.Of(pattern_of(padded, pair.second)));
    }
  }
}

// The n-grams that stand out at a place among all that were reported of it.
std::vector<Pattern> Marginal(const std::vector<PairOfPlaces>& pairs, size_t place,
                              const std::vector<HeldString>& ngrams, const RapporSetting& setting) {
  BloomSums sums{.devices = std::vector<int64_t>(static_cast<size_t>(setting.cohorts), 0)};
  std::vector<int64_t> ones(static_cast<size_t>(setting.cohorts * kBits), 0);
  const auto add = [&](const BloomReport& report) {
    ++sums.devices[static_cast<size_t>(report.cohort)];
    for (int32_t bit = 0; bit < kBits; ++bit) {
      ones[static_cast<size_t>(report.cohort * kBits + bit)] += report.Has(bit);
    }
  };
  for (const PairOfPlaces& pair : pairs) {
    if (pair.first != place && pair.second != place) continue;
    for (const auto& [first, second] : pair.reports) add(pair.first == place ? first : second);
  }
  EstimateBits(ones, setting, &sums);
  std::vector<Pattern> standing;
  for (const FoundText& found : DecodeBlooms(sums, ngrams, setting)) {
    if (standing.size() < kMostNgrams) standing.emplace_back(found.text, setting);
  }
  return standing;
}

// By first * (seconds + 1) + second; the last of each place is every other n-gram.
Law JointOf(const PairOfPlaces& pair, const std::vector<Pattern>& first,
            const std::vector<Pattern>& second, const Reporting& reporting) {
  const size_t rows = first.size() + 1, columns = second.size() + 1;
  std::vector<float> of_first, of_second;
  for (const auto& [a, b] : pair.reports) {
    for (const Pattern& pattern : first) {
      of_first.push_back(static_cast<float>(reporting.LikelihoodOf(a, pattern)));
    }
    of_first.push_back(static_cast<float>(reporting.LikelihoodOfOther(a)));
    for (const Pattern& pattern : second) {
      of_second.push_back(static_cast<float>(reporting.LikelihoodOf(b, pattern)));
    }
    of_second.push_back(static_cast<float>(reporting.LikelihoodOfOther(b)));
  }
  // Both of a device: sum over columns of law times likelihood, for each row; and the whole.
  const auto each = [&](const Law& law, const auto& use) {
    std::vector<double> along(rows);
    for (size_t device = 0; device < pair.reports.size(); ++device) {
      const float* const a = &of_first[device * rows];
      const float* const b = &of_second[device * columns];
      double whole = 0;
      for (size_t row = 0; row < rows; ++row) {
        double sum = 0;
        for (size_t column = 0; column < columns; ++column) {
          sum += law[row * columns + column] * b[column];
        }
        whole += sum * a[row];
      }
      use(a, b, whole);
    }
  };
  const double devices = static_cast<double>(pair.reports.size());
  const Fitted fitted = {
      .step =
          [&](const Law& law) {
            Law weights(law.size(), 0.0);
            each(law, [&](const float* a, const float* b, double whole) {
              for (size_t row = 0; row < rows; ++row) {
                const double share = a[row] / whole;
                for (size_t column = 0; column < columns; ++column) {
                  weights[row * columns + column] += share * b[column];
                }
              }
            });
            for (size_t at = 0; at < law.size(); ++at) weights[at] *= law[at] / devices;
            return weights;
          },
      .log_likelihood =
          [&](const Law& law) {
            double sum = 0;
            each(law, [&](const float*, const float*, double whole) { sum += std::log(whole); });
            return sum;
          }};
  const Law even(rows * columns, 1 / static_cast<double>(rows * columns));
  return FitLaw(fitted, even, Steps::kAccelerated, kEmTolerance, kMostEmSteps).law;
}

// Whether n-grams, by pair of places and both of their numbers, go together.
class Together {
 public:
  void Add(const PairOfPlaces& pair, const Law& law, size_t columns) {
    laws_[{pair.first, pair.second}] = {law, columns};
  }
  bool Are(size_t place, size_t ngram, size_t later, size_t other) const {
    const auto& [law, columns] = laws_.at({place, later});
    return law[ngram * columns + other] >= kLeastPair;
  }

 private:
  std::map<std::pair<size_t, size_t>, std::pair<Law, size_t>> laws_;
};

// The strings whose n-grams go together, every two of them, place by place.
std::vector<HeldString> Cliques(const std::vector<std::vector<Pattern>>& standing,
                                const Together& together) {
  std::vector<std::vector<size_t>> partial = {{}};
  for (size_t place = 0; place < standing.size(); ++place) {
    std::vector<std::vector<size_t>> longer;
    for (const std::vector<size_t>& begin : partial) {
      for (size_t ngram = 0; ngram < standing[place].size(); ++ngram) {
        bool fits = longer.size() < kMostCandidates;
        for (size_t at = 0; fits && at < place; ++at) {
          fits = together.Are(at, begin[at], place, ngram);
        }
        if (!fits) continue;
        longer.push_back(begin);
        longer.back().push_back(ngram);
      }
    }
    partial = std::move(longer);
  }
  std::vector<HeldString> candidates;
  for (const std::vector<size_t>& ngrams : partial) {
    std::string text;
    for (size_t place = 0; place < ngrams.size(); ++place) {
      text += standing[place][ngrams[place]].text;
    }
    candidates.push_back({text, 0});
  }
  return candidates;
}

}  // namespace

RapporSetting RapporPart(double epsilon) {
  constexpr double kNextToNone = 1e-9;
  const double risen = 1 / (1 + std::exp(epsilon / 4));
  return {.rappor = {.f = kNextToNone, .p = risen, .q = 1 - risen, .hashes = 2, .bits = kBits}};
}

std::vector<FoundText> FindByNgrams(const StringPopulation& population, const NgramSetting& setting,
                                    simulation::Generator& random) {
  const Reporting reporting(setting.part, random);
  const auto places = static_cast<size_t>(setting.length / kNgram);
  std::vector<PairOfPlaces> pairs = PairsOf(places);
  Collect(population, setting, reporting, &pairs, random);
  const std::vector<HeldString> ngrams = AllNgrams(setting.characters);
  std::vector<std::vector<Pattern>> standing;
  for (size_t place = 0; place < places; ++place) {
    standing.push_back(Marginal(pairs, place, ngrams, setting.part));
  }
  Together together;
  for (const PairOfPlaces& pair : pairs) {
    const auto& first = standing[pair.first];
    const auto& second = standing[pair.second];
    together.Add(pair, JointOf(pair, first, second, reporting), second.size() + 1);
  }
  const StringPopulation padded =
      Mapped(population, [&](const std::string& text) { return Padded(text, setting); });
  std::vector<FoundText> found = DecodeBlooms(ReportBlooms(padded, setting.part, random),
                                              Cliques(standing, together), setting.part);
  for (FoundText& text : found) {
    while (!text.text.empty() && text.text.back() == kNoCharacter) text.text.pop_back();
  }
  return found;
}

}  // namespace tombola::lab
