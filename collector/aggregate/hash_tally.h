// How the hash functions and buckets of a batch's reports are spread, coarsely.
#ifndef TOMBOLA_COLLECTOR_AGGREGATE_HASH_TALLY_H_
#define TOMBOLA_COLLECTOR_AGGREGATE_HASH_TALLY_H_

#include <cstdint>
#include <vector>

#include "common/table/hashing.h"

namespace tombola::collector {

// `items` things, 0 to items - 1, in runs of nearly equal length: a class for each where there are
// at most kMost of them.
class Classes {
 public:
  static constexpr uint64_t kMost = 256;

  explicit Classes(uint64_t items);  // 2 <= items <= 2^31

  uint64_t number() const { return number_; }
  // floor(item * number / items), item < items.
  uint64_t Of(uint64_t item) const {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(2 * item) * factor_ >> 64);
  }
  // The share of the items that is in a class.
  double Share(uint64_t index) const;

 private:
  uint64_t items_;
  uint64_t number_;
  uint64_t factor_;  // ceil(2^63 number / items): a multiplication in place of a division
};

// How many reports had a hash function, and a bucket, of each class. An honest device draws its
// function uniformly and whatever it holds, so that its class says nothing about the device; and a
// class is all that is kept of it. Mergeable, at most 4 KiB. Empty for mechanisms without hashing.
struct HashTally {
  std::vector<int64_t> functions;
  std::vector<int64_t> buckets;

  bool operator==(const HashTally&) const = default;

  // Adds the other one, which must be empty or of the same mechanism; this one may be empty.
  void Merge(const HashTally& other);
};

// The classes of a task's functions and buckets, for who counts and for who judges. The functions
// of the plane are classed by their number; those of the affine family by a bijective mixing of
// their two words, so that each of 256 classes has exactly 1/256 of them.
class HashClasses {
 public:
  explicit HashClasses(const mechanism::Hashing& hashing);

  HashTally Empty() const;
  void Add(const mechanism::PlaneReport& report, HashTally& tally) const {
    ++tally.functions[functions_.Of(report.function)];
    ++tally.buckets[buckets_.Of(report.bucket)];
  }
  void Add(const mechanism::AffineReport& report, HashTally& tally) const;

  const Classes& functions() const { return functions_; }
  const Classes& buckets() const { return buckets_; }

 private:
  Classes functions_;
  Classes buckets_;
  bool narrow_;  // lanes of 32 bits
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_AGGREGATE_HASH_TALLY_H_
