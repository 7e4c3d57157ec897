#include "cli/simulation/item_data.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "cli/simulation/distributions.h"
#include "common/base/check.h"
#include "common/random/random_source.h"

namespace tombola::simulation {

ItemData::ItemData(Population population, const ItemCells& cells, const Levels& levels)
    : population_(std::move(population)),
      cells_(cells),
      levels_(levels),
      pads_(static_cast<size_t>(cells.held())),
      truth_(static_cast<size_t>(cells.values)) {
  std::vector<std::vector<float>> numbers(truth_.size());
  for (int64_t user = 0; user < users(); ++user) {
    const absl::Span<const Holding> record = population_.record(user);
    if (static_cast<int64_t>(record.size()) > cells_.held()) {
      crowded_.push_back(user);
      continue;
    }
    for (const Holding& holding : record) {
      TOMBOLA_CHECK(holding.item < truth_.size());
      numbers[holding.item].push_back(holding.number);
    }
    const size_t empty = pads_.size() - record.size();
    for (size_t j = 0; j < empty; ++j) ++pads_[j];
  }
  AddAlike(std::move(numbers));
  AddTruth();
}

Levels::Place ItemData::PlaceOf(const Holding& holding) const {
  return cells_.levels == 1 ? Levels::Place{} : levels_.PlaceOf(holding.number);
}

void ItemData::AddAlike(std::vector<std::vector<float>> numbers) {
  SeedSequence digest(static_cast<uint64_t>(users()));
  for (size_t item = 0; item < numbers.size(); ++item) {
    std::vector<float>& all = numbers[item];
    std::sort(all.begin(), all.end());
    for (auto first = all.begin(); first != all.end();) {
      const auto last = std::upper_bound(first, all.end(), *first);
      const Holding holding = {.item = static_cast<uint32_t>(item), .number = *first};
      alike_.push_back({.item = holding.item, .place = PlaceOf(holding), .devices = last - first});
      digest.Add(static_cast<uint64_t>(item)).Add(static_cast<uint64_t>(last - first));
      digest.Add(static_cast<double>(*first));
      first = last;
    }
    std::vector<float>().swap(all);
  }
  for (const int64_t user : crowded_) digest.Add(static_cast<uint64_t>(user));
  digest_ = digest.seed();
}

void ItemData::AddTruth() {
  std::vector<double> holders(truth_.size());
  const auto for_each = [&](const auto& with) {
    for (const Alike& alike : alike_) {
      with(alike.item, alike.place, static_cast<double>(alike.devices));
    }
    for (const int64_t user : crowded_) {
      for (const Holding& holding : population_.record(user)) {
        with(holding.item, PlaceOf(holding), 1.0);
      }
    }
  };
  const double step = cells_.levels == 1 ? 0 : levels_.step();
  const auto number = [&](const Levels::Place& place) {
    return levels_.low + step * (static_cast<double>(place.below) + place.above);
  };
  for_each([&](uint32_t item, const Levels::Place& place, double devices) {
    holders[item] += devices;
    if (cells_.levels > 1) truth_[item].held.mean += devices * number(place);
  });
  for (size_t item = 0; item < truth_.size(); ++item) {
    if (holders[item] > 0) truth_[item].held.mean /= holders[item];
    truth_[item].held.frequency = holders[item] / static_cast<double>(users());
  }
  for (const int64_t user : crowded_) {
    const absl::Span<const Holding> record = population_.record(user);
    const double kept = static_cast<double>(cells_.held()) / static_cast<double>(record.size());
    for (const Holding& holding : record) {
      truth_[holding.item].crowded += 1;
      truth_[holding.item].kept += kept;
      truth_[holding.item].kept_squares += kept * kept;
    }
  }
  if (cells_.levels == 1) return;
  for_each([&](uint32_t item, const Levels::Place& place, double devices) {
    HeldNumbers& held = truth_[item].held;
    const double rounded = step * step * place.above * (1 - place.above);
    const double off = number(place) - held.mean;
    held.rounded += devices * rounded / holders[item];
    held.square += devices * (rounded + off * off) / holders[item];
  });
}

void ItemData::Place(int64_t user, Generator& random, std::vector<uint64_t>* filled) const {
  filled->clear();
  const absl::Span<const Holding> record = population_.record(user);
  absl::InlinedVector<Holding, 16> held(record.begin(), record.end());
  const auto most = static_cast<size_t>(cells_.held());
  if (held.size() > most) {
    for (size_t i = 0; i < most; ++i) {
      std::swap(held[i], held[i + UniformBelow(held.size() - i, random)]);
    }
    held.resize(most);
  }
  for (const Holding& holding : held) {
    const Levels::Place place = PlaceOf(holding);
    const bool up = cells_.levels > 1 && Uniform(random) < place.above;
    filled->push_back(cells_.CellOf(holding.item, place.below + (up ? 1 : 0)));
  }
  for (int64_t j = 0; filled->size() < most; ++j) filled->push_back(cells_.Pad(j));
}

std::vector<int64_t> ItemData::DrawFilled(Generator& random) const {
  std::vector<int64_t> filled(static_cast<size_t>(cells_.cells()));
  for (const Alike& alike : alike_) {
    const int64_t up = cells_.levels == 1 ? 0 : Binomial(alike.devices, alike.place.above, random);
    const uint64_t below = cells_.CellOf(alike.item, alike.place.below);
    filled[below] += alike.devices - up;
    if (up > 0) filled[below + 1] += up;
  }
  std::copy(pads_.begin(), pads_.end(), filled.end() - static_cast<ptrdiff_t>(pads_.size()));
  std::vector<uint64_t> one;
  for (const int64_t user : crowded_) {
    Place(user, random, &one);
    for (const uint64_t cell : one) ++filled[cell];
  }
  return filled;
}

}  // namespace tombola::simulation
