#include "cli/simulation/record_data.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "cli/simulation/distributions.h"

namespace tombola::simulation {
namespace {

// Records of one device that are alike in a view.
struct Group {
  double records = 0;
  double sum = 0, squares = 0;  // of their numbers
  double rounded = 0;           // the coins' variance, of all of them
};

// How many of a group a device says.
struct SaidNumber {
  double mean = 0, square = 0;
};

// Of the hypergeometric number h of a group's records among those that a device keeps, min(h,
// most): `kept` of `all` records are, and of them a uniform choice.
SaidNumber SaidOf(int64_t group, int64_t all, int64_t kept, int64_t most) {
  if (kept >= all) {
    const auto said = static_cast<double>(std::min(group, most));
    return {.mean = said, .square = said * said};
  }
  const int64_t least = std::max<int64_t>(0, kept - (all - group));
  const int64_t largest = std::min(group, kept);
  std::vector<double> logs = {0};
  for (int64_t h = least; h < largest; ++h) {
    const double ratio = static_cast<double>((group - h) * (kept - h)) /
                         static_cast<double>((h + 1) * (all - group - kept + h + 1));
    logs.push_back(logs.back() + std::log(ratio));
  }
  const double top = *std::max_element(logs.begin(), logs.end());
  double weights = 0;
  SaidNumber said;
  for (size_t i = 0; i < logs.size(); ++i) {
    const double weight = std::exp(logs[i] - top);
    const auto number = static_cast<double>(std::min(least + static_cast<int64_t>(i), most));
    weights += weight;
    said.mean += weight * number;
    said.square += weight * number * number;
  }
  return {.mean = said.mean / weights, .square = said.square / weights};
}

// Of h of c numbers, a uniform choice of them, the sum varies by h (c - h) / (c (c - 1)) times the
// sum of squares about their mean.
void AddGroup(const Group& group, double let_through, const SaidNumber& said,
              RecordMoments* moments) {
  const double c = group.records;
  const double mean = group.sum / c;
  const double about = std::max(0.0, group.squares - c * mean * mean);
  const double variance = std::max(0.0, said.square - said.mean * said.mean);
  const double chosen = c > 1 ? (c * said.mean - said.square) / (c * (c - 1)) : 0;
  moments->count += let_through;
  moments->sum += let_through * mean;
  moments->said_count += said.mean;
  moments->said_sum += said.mean * mean;
  moments->count_variance += variance;
  moments->sum_variance += std::max(0.0, chosen) * about + variance * mean * mean;
  moments->covariance += variance * mean;
  moments->rounded += said.mean / c * group.rounded;
}

double CoinVariance(const Levels& levels, double number) {
  const double above = levels.PlaceOf(number).above;
  return levels.step() * levels.step() * above * (1 - above);
}

// One device's groups by their leaves, ascending.
std::vector<std::pair<int64_t, Group>> GroupsOf(const RecordSchema& schema, const RecordsView& view,
                                                const std::vector<client::PlacedRow>& rows) {
  std::vector<std::pair<int64_t, Group>> groups;
  for (const client::PlacedRow& row : rows) {
    Group one{.records = 1};
    if (view.measure.has_value()) {
      one.sum = row.numbers[*view.measure];
      one.squares = one.sum * one.sum;
      one.rounded = CoinVariance(schema.measures[*view.measure].levels, one.sum);
    }
    groups.emplace_back(view.LeafOf(row.places), one);
  }
  std::sort(groups.begin(), groups.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  size_t last = 0;
  for (size_t i = 1; i < groups.size(); ++i) {
    if (groups[i].first != groups[last].first) {
      groups[++last] = groups[i];
      continue;
    }
    Group& into = groups[last].second;
    into.records += groups[i].second.records;
    into.sum += groups[i].second.sum;
    into.squares += groups[i].second.squares;
    into.rounded += groups[i].second.rounded;
  }
  if (!groups.empty()) groups.resize(last + 1);
  return groups;
}

bool Capped(const RecordSchema& schema) { return schema.max_alike < schema.max_records; }

// For all ranges of the leaves, the average number of a device's records in one, and its square.
SaidNumber InRanges(const std::vector<std::pair<int64_t, Group>>& groups, int64_t leaves) {
  const auto n = static_cast<double>(leaves);
  const double ranges = n * (n + 1) / 2;
  SaidNumber in;
  double begun = 0;  // of the leaves before: records times how many ranges begin at or before them
  for (const auto& [leaf, group] : groups) {
    const double begins = static_cast<double>(leaf) + 1;
    const double ends = n - static_cast<double>(leaf);
    in.mean += group.records * begins * ends;
    in.square += group.records * group.records * begins * ends;
    // Ranges with both of two leaves begin at or before the first, and end at or after the second.
    in.square += 2 * group.records * ends * begun;
    begun += group.records * begins;
  }
  return {.mean = in.mean / ranges, .square = in.square / ranges};
}

// The same for one device that keeps some of its records.
double RangeChoice(const std::vector<std::pair<int64_t, Group>>& groups, int64_t leaves,
                   double records, double kept) {
  if (kept >= records) return 0;
  const SaidNumber in = InRanges(groups, leaves);
  return kept * (records - kept) / (records * (records - 1)) * (in.mean - in.square / records);
}

}  // namespace

RecordData::RecordData(std::shared_ptr<const RecordPopulation> population, RecordCells cells)
    : population_(std::move(population)),
      cells_(std::move(cells)),
      fixed_(static_cast<size_t>(cells_.cells)) {
  for (const RecordsView& view : cells_.views) {
    ViewMoments& moments = views_.emplace_back();
    moments.leaves.resize(static_cast<size_t>(view.leaves));
    if (!Capped(cells_.schema)) moments.whole.emplace();
  }
  SeedSequence digest(static_cast<uint64_t>(users()));
  digest.Add(static_cast<uint64_t>(cells_.cells));
  for (int64_t user = 0; user < users(); ++user) AddUser(user);
  for (const ViewMoments& view : views_) {
    for (const RecordMoments& leaf : view.leaves) digest.Add(leaf.count).Add(leaf.sum);
  }
  digest_ = digest.seed();
  JoinAlike();
}

void RecordData::AddUser(int64_t user) {
  const std::vector<client::PlacedRow> rows = population_->RowsOf(user);
  const RecordSchema& schema = cells_.schema;
  const auto all = static_cast<int64_t>(rows.size());
  const int64_t kept = std::min(all, schema.max_records);
  bool chooses = kept < all;
  for (size_t i = 0; i < cells_.views.size(); ++i) {
    const RecordsView& view = cells_.views[i];
    const auto groups = GroupsOf(schema, view, rows);
    for (const auto& [leaf, group] : groups) {
      const auto records = static_cast<int64_t>(group.records);
      const int64_t most = Capped(schema) ? schema.max_alike : records;
      chooses = chooses || records > most;
      AddGroup(group, static_cast<double>(std::min(records, most)),
               SaidOf(records, all, kept, most), &views_[i].leaves[static_cast<size_t>(leaf)]);
    }
    if (!views_[i].whole.has_value() || all == 0) continue;
    Group whole;
    for (const auto& [leaf, group] : groups) {
      whole.records += group.records;
      whole.sum += group.sum;
      whole.squares += group.squares;
      whole.rounded += group.rounded;
    }
    AddGroup(whole, whole.records, SaidOf(all, all, kept, all), &*views_[i].whole);
    views_[i].range_variance +=
        RangeChoice(groups, view.leaves, whole.records, static_cast<double>(kept));
  }
  if (chooses) {
    crowded_.push_back(user);
  } else {
    AddFixed(rows);
  }
}

void RecordData::AddFixed(const std::vector<client::PlacedRow>& rows) {
  const auto fill = [&](const RecordsView& view, int64_t leaf) {
    for (int64_t level = 0; level < view.tree.levels(); ++level) {
      ++fixed_[view.CellOf(leaf, level, 0)];
    }
  };
  for (const RecordsView& view : cells_.views) {
    for (const client::PlacedRow& row : rows) {
      if (view.measure.has_value()) {
        const Levels& levels = cells_.schema.measures[*view.measure].levels;
        alike_.push_back({.view = &view,
                          .leaf = view.LeafOf(row.places),
                          .place = levels.PlaceOf(row.numbers[*view.measure]),
                          .records = 1});
      } else {
        fill(view, view.LeafOf(row.places));
      }
    }
    for (int64_t i = 0; static_cast<int64_t>(rows.size()) + i < cells_.schema.max_records; ++i) {
      fill(view, view.PadOf(cells_.schema, i));
    }
  }
}

void RecordData::JoinAlike() {
  const auto key = [](const Alike& of) {
    return std::tuple(of.view->first, of.leaf, of.place.below, of.place.above);
  };
  std::sort(alike_.begin(), alike_.end(),
            [&](const Alike& a, const Alike& b) { return key(a) < key(b); });
  size_t last = 0;
  for (size_t i = 1; i < alike_.size(); ++i) {
    if (key(alike_[i]) == key(alike_[last])) {
      alike_[last].records += alike_[i].records;
    } else {
      alike_[++last] = alike_[i];
    }
  }
  if (!alike_.empty())
    alike_.erase(alike_.begin() + static_cast<ptrdiff_t>(last) + 1, alike_.end());
}

std::vector<int64_t> RecordData::DrawFilled(Generator& random) const {
  std::vector<int64_t> filled = fixed_;
  for (const Alike& alike : alike_) {
    const int64_t up = Binomial(alike.records, alike.place.above, random);
    for (int64_t level = 0; level < alike.view->tree.levels(); ++level) {
      const uint64_t below = alike.view->CellOf(alike.leaf, level, alike.place.below);
      filled[below] += alike.records - up;
      if (up > 0) filled[below + 1] += up;
    }
  }
  for (const int64_t user : crowded_) {
    for (const mechanism::Cell& cell : Place(user, random)) ++filled[cell.index];
  }
  return filled;
}

}  // namespace tombola::simulation
