#include "collector/decode/estimates.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tombola::collector {
namespace {

constexpr int kPasses = 4;

// What is counted of a live string at one of its levels.
struct AtLevel {
  int64_t level = 0;
  double cells = 0;      // reports in its cells, under the functions where it is alone ...
  double reports = 0;    // ... and all reports of those functions
  double all_cells = 0;  // the same under all functions
  double all_reports = 0;
};

// One level's counts and who is there. Rows are scratch that is put back.
class Level {
 public:
  Level(const StringBatch& batch, int64_t level)
      : batch_(batch), cells_(batch.counts->Level(level)), base_(batch.counts->Base(level)) {}

  void Count(absl::Span<const uint64_t> keys, std::vector<AtLevel>* counted) const {
    const auto range = static_cast<size_t>(batch_.counts->shape().range());
    std::vector<int64_t> row(range, 0);
    std::vector<uint8_t> sharing(range, 0);
    std::vector<uint32_t> buckets(keys.size());
    size_t at = 0;
    for (int64_t j = 0; j < strings::kFunctions; ++j) {
      const uint64_t begin = base_ + static_cast<uint64_t>(j) * range;
      const size_t from = at;
      int64_t reports = 0;
      for (; at < cells_.size() && cells_[at].cell < begin + range; ++at) {
        row[cells_[at].cell - begin] = cells_[at].count;
        reports += cells_[at].count;
      }
      for (size_t i = 0; i < keys.size(); ++i) {
        buckets[i] = batch_.functions->Bucket(j, keys[i]);
        uint8_t& here = sharing[buckets[i]];
        here = static_cast<uint8_t>(std::min(here + 1, 2));
      }
      for (size_t i = 0; i < keys.size(); ++i) {
        AtLevel& of = (*counted)[i];
        const auto cells = static_cast<double>(row[buckets[i]]);
        of.all_cells += cells;
        of.all_reports += static_cast<double>(reports);
        if (sharing[buckets[i]] > 1) continue;
        of.cells += cells;
        of.reports += static_cast<double>(reports);
      }
      for (const uint32_t bucket : buckets) sharing[bucket] = 0;
      for (size_t i = from; i < at; ++i) row[cells_[i].cell - begin] = 0;
    }
  }

 private:
  const StringBatch& batch_;
  absl::Span<const CellCount> cells_;
  uint64_t base_;
};

// [live string]: what was counted of it, level by level.
std::vector<std::vector<AtLevel>> CountAll(const StringBatch& batch,
                                           absl::Span<const LiveString> live) {
  std::vector<std::vector<AtLevel>> all(live.size());
  for (int64_t level = 0; level < batch.counts->shape().levels(); ++level) {
    std::vector<size_t> here;
    std::vector<uint64_t> keys;
    for (size_t i = 0; i < live.size(); ++i) {
      if (level < live[i].first || level > live[i].last) continue;
      here.push_back(i);
      keys.push_back(batch.functions->Key(level, live[i].symbols));
    }
    std::vector<AtLevel> counted(here.size(), AtLevel{.level = level});
    Level(batch, level).Count(keys, &counted);
    for (size_t i = 0; i < here.size(); ++i) all[here[i]].push_back(counted[i]);
  }
  return all;
}

// A string's counts, those where it is alone if there are any.
struct Pooled {
  double cells = 0;
  double reports = 0;
  bool alone = false;
};

Pooled Pool(absl::Span<const AtLevel> levels) {
  Pooled pooled;
  for (const AtLevel& level : levels) {
    pooled.cells += level.cells;
    pooled.reports += level.reports;
  }
  pooled.alone = pooled.reports > 0;
  if (pooled.alone) return pooled;
  for (const AtLevel& level : levels) {
    pooled.cells += level.all_cells;
    pooled.reports += level.all_reports;
  }
  return pooled;
}

// The shares of the other live strings of its levels, weighted as its reports are.
double OthersOf(absl::Span<const AtLevel> levels, const Pooled& pooled, double own,
                absl::Span<const double> total_of_level) {
  if (!pooled.alone) return 0;
  double others = 0;
  for (const AtLevel& level : levels) {
    const double here = total_of_level[static_cast<size_t>(level.level)] - own;
    others += level.reports / pooled.reports * here;
  }
  return std::clamp(others, 0.0, 1.0);
}

}  // namespace

absl::Status Validate(const StringBatch& batch) {
  const int64_t reports = batch.counts->reports();
  if (batch.devices < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("devices must be at least 1, is ", batch.devices));
  }
  if (batch.messages == StringMessages::kOne) {
    if (!(batch.gamma >= 0 && batch.gamma < 1)) {
      return absl::InvalidArgumentError(absl::StrCat("gamma must be in [0, 1), is ", batch.gamma));
    }
    if (reports != batch.devices) {
      return absl::InvalidArgumentError(
          absl::StrCat("devices must be the number of reports, ", reports, ", is ", batch.devices));
    }
    return absl::OkStatus();
  }
  const int64_t levels =
      batch.messages == StringMessages::kEveryLevel ? batch.counts->shape().levels() : 1;
  if (reports / levels < batch.devices) {
    return absl::InvalidArgumentError(absl::StrCat("devices must be at most ", reports / levels,
                                                   " for ", reports, " reports, is ",
                                                   batch.devices));
  }
  return absl::OkStatus();
}

ReportModel ReportModel::Of(const StringBatch& batch) {
  ReportModel model{.devices = static_cast<double>(batch.devices),
                    .range = static_cast<double>(batch.counts->shape().range())};
  if (batch.messages == StringMessages::kOne) {
    model.gamma = batch.gamma;
    return model;
  }
  model.every_level = batch.messages == StringMessages::kEveryLevel;
  const double sent = model.every_level ? static_cast<double>(batch.counts->shape().levels()) : 1.0;
  model.own = model.devices * sent / static_cast<double>(batch.counts->reports());
  return model;
}

double ReportModel::Share(double cells, double reports, double others) const {
  if (reports <= 0) return 0;
  const double by_chance = (1 - truthful() * others) / range;
  return (cells / reports - by_chance) / (truthful() * (1 - 1 / range));
}

// Var of the reports in its cells: of others a binomial's, nearly its mean, and of each holder's
// reports that of a coin, because as many devices hold the string whatever they draw.
double ReportModel::Deviation(double reports, double holders, double others, int64_t levels) const {
  if (reports <= 0) return std::numeric_limits<double>::infinity();
  const double support = 1 - gamma + gamma / range;
  const double looked = reports * own / devices;  // reports of one device, on average
  const double sent = every_level ? static_cast<double>(levels) : 1.0;
  const double coin = std::min(1.0, support * looked / sent);
  const double by_chance = reports * (1 - truthful() * others) / range;
  const double variance = by_chance + std::max(0.0, holders) * sent * coin * (1 - coin);
  return devices / (reports * truthful() * (1 - 1 / range)) * std::sqrt(variance);
}

std::vector<HolderEstimate> EstimateHolders(const StringBatch& batch,
                                            absl::Span<const LiveString> live) {
  const ReportModel model = ReportModel::Of(batch);
  const std::vector<std::vector<AtLevel>> counted = CountAll(batch, live);
  std::vector<Pooled> pooled;
  for (const std::vector<AtLevel>& levels : counted) pooled.push_back(Pool(levels));
  std::vector<double> shares(live.size(), 0.0);
  std::vector<double> others(live.size(), 0.0);
  for (int pass = 0; pass < kPasses; ++pass) {
    std::vector<double> total(static_cast<size_t>(batch.counts->shape().levels()), 0.0);
    for (size_t i = 0; i < live.size(); ++i) {
      for (const AtLevel& level : counted[i]) {
        total[static_cast<size_t>(level.level)] += std::max(0.0, shares[i]);
      }
    }
    std::vector<double> next(live.size());
    for (size_t i = 0; i < live.size(); ++i) {
      others[i] = OthersOf(counted[i], pooled[i], std::max(0.0, shares[i]), total);
      next[i] = model.Share(pooled[i].cells, pooled[i].reports, others[i]);
    }
    shares = std::move(next);
  }
  std::vector<HolderEstimate> estimates;
  for (size_t i = 0; i < live.size(); ++i) {
    const double holders = model.devices * shares[i];
    estimates.push_back({.holders = holders,
                         .stderr_of = model.Deviation(pooled[i].reports, holders, others[i],
                                                      live[i].last - live[i].first + 1)});
  }
  return estimates;
}

}  // namespace tombola::collector
