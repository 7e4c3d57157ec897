// How many things of a device a task counts, from what an earlier task has learnt.
#ifndef TOMBOLA_CLI_TASK_SIZE_CHOICE_H_
#define TOMBOLA_CLI_TASK_SIZE_CHOICE_H_

#include <cstdint>
#include <string>

#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// Of devices that may hold more than a task counts.
inline constexpr double kMostBeyond = 0.001;

// With which an answer must be asked for ChooseSize: its upper ends then hold with 95 % each.
inline constexpr double kSizesConfidence = 0.9;

struct SizeChoice {
  enum class Reason {
    kEnough,   // the fewest that surely fewer than kMostBeyond exceed
    kDoubled,  // devices surely fill all places of the earlier task, and perhaps too many of them
    kKept,     // nothing tells that any device fills them all, nor that fewer than kMostBeyond do
    kAll,      // what the others would give is not below what a device can hold at all
  };
  uint64_t max_items = 0;
  Reason reason = Reason::kKept;
  // What is surely not exceeded by the share of devices that hold more than max_items (kEnough), or
  // that fill all places of the earlier task (kDoubled, kKept). In [0, 1]; of kAll 0.
  double bound = 0;
};

// From the sizes of an answer whose task counted one thing or more. `most` >= 1: as many as a
// device can hold at all.
SizeChoice ChooseSize(const v1::Sizes& sizes, uint64_t most);

// The choice in a line for people, `earlier` being the earlier task's name.
std::string Describe(const SizeChoice& choice, const v1::Sizes& sizes, const std::string& earlier);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_TASK_SIZE_CHOICE_H_
