#include "cli/demo/commutes.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <numeric>
#include <string>

#include "common/kind/stream.h"

namespace tombola::cli {
namespace {

constexpr const char* kWays[] = {"car", "train", "bicycle", "bus", "on foot", "other"};
constexpr size_t kWayCount = std::size(kWays);

// At a share of the year.
std::vector<double> WeightsAt(double when) {
  const double summer = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * when);
  return {0.32 - 0.10 * summer, 0.20, 0.06 + 0.20 * summer, 0.18 - 0.05 * summer,
          0.12 - 0.05 * summer, 0.12};
}

}  // namespace

Commutes::Commutes(int64_t devices, int64_t periods)
    : Population(0),
      devices_(devices),
      counts_(static_cast<size_t>(periods), std::vector<int64_t>(kWayCount)) {}

absl::Status Commutes::Describe(const std::string&, TaskRequestOptions* request) const {
  request->kind = std::string(StreamKind::kName);
  request->name = "ways to work";
  request->values.assign(std::begin(kWays), std::end(kWays));
  request->users = static_cast<uint64_t>(UsualDevices());
  request->periods = static_cast<uint64_t>(periods());
  request->interval = "24h";
  request->structure = "best";
  // Days pass faster than the list of keys is asked for.
  request->key_list_age = "1440h";
  return absl::OkStatus();
}

void Commutes::Know(const stream::Structure& structure) {
  const int64_t wanted = std::max<int64_t>(1, periods() * 2 / 5);
  for (int64_t period = wanted; period < periods() && short_ == 0; ++period) {
    if (structure.start(period) != period - 1) continue;
    const auto released = [period](int64_t node) { return node != period; };
    for (int64_t last = period + 1; last <= periods() && short_ == 0; ++last) {
      if (!structure.Total(last, released).missing.empty()) continue;
      short_ = period;
      back_ = last;
    }
  }
}

void Commutes::Begin(int64_t period) {
  period_ = period;
  Expect(period == short_ ? std::max<int64_t>(1, UsualDevices() / 10) : UsualDevices());
}

Record Commutes::NextDevice() {
  const std::vector<double> weights =
      WeightsAt(static_cast<double>(period_) / static_cast<double>(periods()));
  double left = Uniform();
  size_t way = 0;
  while (way + 1 < kWayCount && left >= weights[way]) left -= weights[way++];
  ++counts_[static_cast<size_t>(period_ - 1)][way];
  return std::string(kWays[way]);
}

std::vector<QueryOptions> Commutes::Questions() const {
  std::vector<QueryOptions> questions;
  for (const int64_t last : {short_, back_, periods()}) {
    if (last == 0) continue;
    questions.emplace_back().at = static_cast<uint64_t>(last);
  }
  return questions;
}

std::vector<int64_t> Commutes::CountsOf(const v1::StreamTotal& total) const {
  std::vector<int64_t> counts(kWayCount);
  const auto add = [&](uint64_t first, uint64_t last, int64_t sign) {
    for (uint64_t period = first; period <= last; ++period) {
      for (size_t way = 0; way < kWayCount; ++way) {
        counts[way] += sign * counts_[static_cast<size_t>(period - 1)][way];
      }
    }
  };
  add(total.first(), total.last(), 1);
  for (const v1::PeriodRun& run : total.missing()) add(run.first(), run.last(), -1);
  for (const v1::PeriodRun& run : total.strange()) add(run.first(), run.last(), 1);
  return counts;
}

Truth Commutes::TruthOf(const v1::Answer& answer, const Task&) const {
  Truth truth;
  const v1::StreamTotal& total = answer.stream().totals(0);
  const std::vector<int64_t> counts = CountsOf(total);
  const int64_t all = std::reduce(counts.begin(), counts.end());
  for (const uint64_t value : total.shares().values()) {
    truth.frequencies.push_back(static_cast<double>(counts[value]) /
                                static_cast<double>(std::max<int64_t>(1, all)));
  }
  return truth;
}

}  // namespace tombola::cli
