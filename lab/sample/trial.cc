#include "lab/sample/trial.h"

#include "cli/simulation/generator.h"

namespace tombola::lab {
namespace {

using simulation::Generator;
using simulation::SeedSequence;

// What is drawn of its own sequence.
Generator SequenceOf(uint64_t seed, absl::string_view what, int64_t first = 0, int64_t second = 0) {
  return Generator(SeedSequence(seed)
                       .Add(what)
                       .Add(static_cast<uint64_t>(first))
                       .Add(static_cast<uint64_t>(second))
                       .seed());
}

// What is in the map, made by `draw` if it is not yet there.
template <typename Key, typename Value, typename Draw>
const Value& Once(std::map<Key, Value>& drawn, const Key& key, const Draw& draw) {
  auto found = drawn.find(key);
  if (found == drawn.end()) found = drawn.emplace(key, draw()).first;
  return found->second;
}

}  // namespace

const Padded& Trial::padded(int64_t items) {
  return Once(padded_, items, [&] {
    Generator random = SequenceOf(seed_, "padded", items);
    return DrawPadded(population_, items, {}, random);
  });
}

const std::vector<Asked>& Trial::asked(int groups) {
  return Once(asked_, groups, [&] {
    Generator random = SequenceOf(seed_, "asked", groups);
    return DrawAsked(population_, groups, random);
  });
}

const Kept& Trial::kept(int64_t items, int levels) {
  return Once(kept_, std::make_pair(items, levels), [&] {
    Generator random = SequenceOf(seed_, "kept", items, levels);
    return DrawKept(population_, items, levels, random);
  });
}

const Pilot& Trial::pilot() {
  if (!pilot_.has_value()) {
    Generator random = SequenceOf(seed_, "pilot");
    pilot_ = DrawPilot(population_, kPilotShare, random);
  }
  return *pilot_;
}

const Padded& Trial::padded_without_pilot(int64_t items) {
  return Once(padded_without_pilot_, items, [&] {
    Generator random = SequenceOf(seed_, "padded without pilot", items);
    return DrawPadded(population_, items, pilot().members, random);
  });
}

}  // namespace tombola::lab
