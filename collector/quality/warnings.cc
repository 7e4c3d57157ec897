#include "collector/quality/warnings.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "collector/quality/chernoff.h"
#include "common/table/hash_family.h"
#include "common/table/hashing.h"

namespace tombola::collector {
namespace {

using mechanism::CountModel;
using mechanism::Hashing;
using mechanism::Scheme;

constexpr double kKinds = 5;

// The most surprising of several numbers.
struct Finding {
  double surprise = 0;
  size_t index = 0;
  bool above = false;

  void Consider(size_t at, double above_surprise, double below_surprise) {
    const double larger = std::max(above_surprise, below_surprise);
    if (larger <= surprise) return;
    *this = {.surprise = larger, .index = at, .above = above_surprise >= below_surprise};
  }
};

// What is judged with one kind's share of the false alarms, over so many numbers with two sides.
class Trial {
 public:
  Trial(double false_alarm, size_t numbers)
      : log_numbers_(std::log(2 * static_cast<double>(std::max<size_t>(1, numbers)))),
        limit_(std::log(kKinds / false_alarm) + log_numbers_) {}

  bool Alarms(const Finding& finding) const { return finding.surprise > limit_; }
  // A power of ten that the probability is below, the other numbers allowed for.
  std::string Chance(const Finding& finding) const {
    const double digits = (finding.surprise - log_numbers_) / std::log(10.0);
    return absl::StrFormat("chance alone does this with probability below 1e-%d",
                           static_cast<int>(std::floor(std::min(digits, 9999.0))));
  }

 private:
  double log_numbers_;
  double limit_;
};

// Counts of classes whose shares in honest reports lie in [least, most], the fakes being uniform.
struct ClassLaw {
  const Classes& classes;
  double blanket;  // the share of honest reports that is uniform
  bool exact;      // the others are uniform as well
};

std::optional<Warning> JudgeClasses(const char* kind, const char* name, const ClassLaw& law,
                                    const std::vector<int64_t>& counts,
                                    const mechanism::Tally& tally, double false_alarm) {
  const double devices = static_cast<double>(tally.submissions);
  const double fakes = static_cast<double>(tally.fakes);
  const double reports =
      static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
  if (counts.empty() || reports != devices + fakes) return std::nullopt;
  const auto least = [&](size_t i) {
    return (devices * (law.exact ? 1 : law.blanket) + fakes) * law.classes.Share(i);
  };
  const auto most = [&](size_t i) {
    return least(i) + (law.exact ? 0 : 1 - law.blanket) * devices;
  };
  Finding finding;
  for (size_t i = 0; i < counts.size(); ++i) {
    const auto count = static_cast<double>(counts[i]);
    finding.Consider(i, IndicatorsAbove(reports, std::min(reports, most(i)), count),
                     IndicatorsBelow(reports, least(i), count));
  }
  const Trial trial(false_alarm, counts.size());
  if (!trial.Alarms(finding)) return std::nullopt;
  const std::string honest =
      law.exact ? absl::StrFormat("about %.0f", least(finding.index))
                : absl::StrFormat("%.0f to %.0f", least(finding.index), most(finding.index));
  return Warning{
      kind, absl::StrFormat("%d of %.0f reports have a %s of class %d of %d, where honest "
                            "devices send %s: %s.",
                            counts[finding.index], reports, name, finding.index + 1, counts.size(),
                            honest, trial.Chance(finding))};
}

// The variance of a value's count if `frequency` of the devices hold it.
double CountVariance(const CountModel& model, const mechanism::Tally& tally, double frequency) {
  const double per_estimate = static_cast<double>(tally.submissions) * mechanism::Signal(model);
  return mechanism::EstimateVariance(model, tally, frequency) * per_estimate * per_estimate;
}

// Of a count this far beyond its mean at that frequency. Noise that is a difference of negative
// binomial variables of success e^-a has ln E[e^(t X)] = -shape ln(1 - sinh^2(t/2) / sinh^2(a/2)).
double CountSurprise(const CountModel& model, const mechanism::Tally& tally, double frequency,
                     double excess) {
  if (excess <= 0) return 0;
  if (model.difference_shape == 0) {
    return Bernstein(CountVariance(model, tally, frequency), 1, excess);
  }
  const double shape = model.difference_shape * static_cast<double>(tally.submissions);
  const double a = -std::log(model.difference_success);
  const double scale = std::sinh(a / 2);
  return Chernoff(
      [&](double t) {
        const double ratio = std::sinh(t / 2) / scale;
        return -shape * std::log1p(-ratio * ratio);
      },
      excess, a);
}

std::optional<Warning> JudgeValues(const ObservedTable& observed, double false_alarm) {
  // Where reports are bits a count is that of so many of them, in as many reports each.
  const mechanism::Bloom* const bloom = observed.table.bloom();
  const int64_t bits = bloom == nullptr ? 1 : bloom->options().hashes;
  const mechanism::Tally tally = {.submissions = bits * observed.tally.submissions,
                                  .fakes = observed.tally.fakes};
  const auto units = static_cast<double>(observed.table.filling().units);
  const std::vector<mechanism::ModelledCells> runs = observed.table.count_models();
  Finding finding;
  auto begin = observed.counts.begin();
  for (const auto& [last, model] : runs) {
    const auto end = observed.counts.begin() + last;
    const double at_none = mechanism::Background(model, tally);
    const double at_all =
        at_none + units * static_cast<double>(tally.submissions) * mechanism::Signal(model);
    // Surprise grows with the distance, so the largest and the smallest count of cells that are
    // alike are all there is to see.
    const auto [least, most] = std::minmax_element(begin, end);
    finding.Consider(static_cast<size_t>(most - observed.counts.begin()),
                     CountSurprise(model, tally, 1, static_cast<double>(*most) - at_all), 0);
    finding.Consider(static_cast<size_t>(least - observed.counts.begin()), 0,
                     CountSurprise(model, tally, 0, at_none - static_cast<double>(*least)));
    begin = end;
  }
  const Trial trial(false_alarm, observed.counts.size());
  if (!trial.Alarms(finding)) return std::nullopt;
  const auto run = std::find_if(runs.begin(), runs.end(), [&](const auto& cells) {
    return static_cast<int64_t>(finding.index) < cells.end;
  });
  const double raw =
      mechanism::Estimate(run->model, tally, static_cast<double>(observed.counts[finding.index]));
  return Warning{
      "values",
      absl::StrFormat("Value number %d has a raw frequency of %.4g, where honest devices "
                      "give %s: %s.",
                      finding.index, raw,
                      finding.above
                          ? absl::StrFormat("%.0f at most, even if all of them hold it", units)
                          : "0 at least, even if none of them holds it",
                      trial.Chance(finding))};
}

// A report of the plane supports at most `side` values: a line has one point in a row at most, and
// a row has `side`. A variable in [0, side] of mean m has variance m (side - m) at most.
std::optional<Warning> JudgeSum(const ObservedTable& observed, double false_alarm) {
  const mechanism::Table& table = observed.table;
  const Hashing* const hashing = table.hashing();
  if (hashing == nullptr || hashing->options().family != mechanism::HashFamily::kPlane) {
    return std::nullopt;
  }
  const CountModel model = table.count_model();
  const double devices = static_cast<double>(observed.tally.submissions);
  const double fakes = static_cast<double>(observed.tally.fakes);
  const double domain = static_cast<double>(table.domain_size());
  const double side = static_cast<double>(hashing->side());
  const double own = model.support.holder + (domain - 1) * model.support.other;
  const double fake = domain * model.fake_support;
  // A full plane pins the sum, and rounding must not put it below that.
  const double variance =
      std::max(0.0, devices * own * (side - own) + fakes * fake * (side - fake));
  double sum = 0;
  for (const int64_t count : observed.counts) sum += static_cast<double>(count);
  const double excess = sum - devices * own - fakes * fake;
  Finding finding;
  finding.Consider(0, Bernstein(variance, side, excess), Bernstein(variance, side, -excess));
  const Trial trial(false_alarm, 1);
  if (!trial.Alarms(finding)) return std::nullopt;
  return Warning{"sum", absl::StrFormat("The raw frequencies add up to %.4g, where honest devices "
                                        "make it about 1: %s.",
                                        1 + excess / (devices * mechanism::Signal(model)),
                                        trial.Chance(finding))};
}

std::optional<Warning> JudgeMessages(const Scheme& scheme, const Observed& observed,
                                     double false_alarm) {
  const auto law = scheme.message_law();
  if (law == nullptr) return std::nullopt;
  const int64_t submissions = observed.tally.submissions;
  const int64_t noise = observed.messages - submissions * scheme.own_reports_per_submission();
  Finding finding;
  finding.Consider(0, NoiseAbove(*law, submissions, noise), NoiseBelow(*law, submissions, noise));
  const Trial trial(false_alarm, 1);
  if (!trial.Alarms(finding)) return std::nullopt;
  return Warning{
      "messages",
      absl::StrFormat("%d submissions came with %d messages, where honest devices send "
                      "about %.0f: %s.",
                      submissions, observed.messages,
                      static_cast<double>(submissions) * scheme.expected_reports_per_submission(),
                      trial.Chance(finding))};
}

std::vector<Warning> OfTable(const ObservedTable& observed, double false_alarm) {
  std::vector<Warning> warnings;
  const auto add = [&](std::optional<Warning> warning) {
    if (warning.has_value()) warnings.push_back(*std::move(warning));
  };
  if (const Hashing* const hashing = observed.table.hashing()) {
    const HashClasses classes(*hashing);
    const bool affine = hashing->options().family == mechanism::HashFamily::kAffine;
    add(JudgeClasses("seeds", "hash function",
                     {.classes = classes.functions(), .blanket = 1, .exact = true},
                     observed.hashes.functions, observed.tally, false_alarm));
    add(JudgeClasses("buckets", "bucket",
                     {.classes = classes.buckets(), .blanket = hashing->gamma(), .exact = affine},
                     observed.hashes.buckets, observed.tally, false_alarm));
  }
  add(JudgeValues(observed, false_alarm));
  add(JudgeSum(observed, false_alarm));
  return warnings;
}

}  // namespace

std::vector<Warning> Warnings(const Scheme& scheme, const Observed& observed, double false_alarm) {
  std::vector<Warning> warnings;
  const double share = false_alarm / static_cast<double>(observed.tables.size());
  for (size_t i = 0; i < observed.tables.size(); ++i) {
    if (observed.tables[i].tally.submissions == 0) continue;
    for (Warning& warning : OfTable(observed.tables[i], share)) {
      if (observed.tables.size() > 1) {
        warning.text = absl::StrCat("Table ", i + 1, ": ", warning.text);
      }
      warnings.push_back(std::move(warning));
    }
  }
  if (auto warning = JudgeMessages(scheme, observed, false_alarm)) {
    warnings.push_back(*std::move(warning));
  }
  return warnings;
}

}  // namespace tombola::collector
