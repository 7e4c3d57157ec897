// Which cells the devices of a set or key-value task fill, as often as it is asked.
#ifndef TOMBOLA_CLI_SIMULATION_ITEM_DATA_H_
#define TOMBOLA_CLI_SIMULATION_ITEM_DATA_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "cli/simulation/generator.h"
#include "cli/simulation/population.h"
#include "common/kind/item_cells.h"
#include "common/kind/key_value.h"
#include "common/kind/levels.h"

namespace tombola::simulation {

// What is true of one item (a value of a set, a key), among all devices. HeldNumbers of an item
// that nobody holds is all 0, and of a set all but the frequency.
struct ItemTruth {
  HeldNumbers held;
  // Of the devices that hold more than they can say, only these: with t the probability that such a
  // device keeps the item, the sums of t and of t^2 over its holders, and how many they are.
  double crowded = 0;
  double kept = 0;
  double kept_squares = 0;
};

// A population and the cells of its task. Immutable and thread-safe, given a Generator for each
// thread.
class ItemData {
 public:
  // The population's items are below cells.values, and cells.levels is levels.count, or 1 for sets.
  ItemData(Population population, const ItemCells& cells, const Levels& levels);

  const ItemCells& cells() const { return cells_; }
  const Levels& levels() const { return levels_; }
  const Population& population() const { return population_; }
  int64_t users() const { return population_.users(); }
  // One for each item.
  absl::Span<const ItemTruth> truth() const { return truth_; }

  // The cells that one device fills this time, as client/place does it: a choice of its things
  // where it has too many, numbers rounded by chance, then pads.
  void Place(int64_t user, Generator& random, std::vector<uint64_t>* filled) const;

  // How many devices fill each cell: the joint law of Place for all of them, with one draw for each
  // item and distinct number, and device by device only for those that hold too many things.
  std::vector<int64_t> DrawFilled(Generator& random) const;

  // Tells this data from other data.
  uint64_t digest() const { return digest_; }

 private:
  // Devices that hold the same item with a number at the same place.
  struct Alike {
    uint32_t item = 0;
    Levels::Place place;
    int64_t devices = 0;
  };

  Levels::Place PlaceOf(const Holding& holding) const;
  void AddAlike(std::vector<std::vector<float>> numbers);
  void AddTruth();

  Population population_;
  ItemCells cells_;
  Levels levels_;
  std::vector<Alike> alike_;      // of devices that hold no more than they can say
  std::vector<int64_t> pads_;     // what those fill of them
  std::vector<int64_t> crowded_;  // the other devices
  std::vector<ItemTruth> truth_;
  uint64_t digest_ = 0;
};

}  // namespace tombola::simulation

#endif  // TOMBOLA_CLI_SIMULATION_ITEM_DATA_H_
