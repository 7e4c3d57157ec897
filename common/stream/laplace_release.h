// Releases with Laplace noise on blocks of periods.
#ifndef TOMBOLA_COMMON_STREAM_LAPLACE_RELEASE_H_
#define TOMBOLA_COMMON_STREAM_LAPLACE_RELEASE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/stream/chain_sum.h"
#include "common/stream/release.h"

namespace tombola::stream {

// The exact sum, and noise that increments have no part in.
class LaplaceRelease : public Release {
 public:
  NoisyTotal Next(int64_t increment) final;
  void Save(std::string& out) const final;
  absl::Status Load(int64_t periods, Decoder& saved) final;

 protected:
  struct Noise {
    int64_t value = 0;
    double variance = 0;

    Noise& operator+=(const Noise& other) {
      value += other.value;
      variance += other.variance;
      return *this;
    }
    friend Noise operator+(Noise a, const Noise& b) { return a += b; }
  };
  // Of the next total.
  virtual Noise NextNoise() = 0;

 private:
  int64_t sum_ = 0;
  Noise noise_;
};

// Plain counts, a Fenwick tree, the best structure: a node has noise of its own.
class TreeRelease final : public LaplaceRelease {
 public:
  TreeRelease(std::shared_ptr<const Design> design, RandomSource* random);

 private:
  Noise NextNoise() override;

  const std::shared_ptr<const Design> design_;
  RandomSource* const random_;
  const NodeRates rates_;
  ChainSum<Noise> chain_;
  int64_t t_ = 0;
  uint64_t units_ = 0;  // of the last node
  double variance_ = 0;
};

// The k-ary tree with subtraction. On each level blocks that will be subtracted have their noise
// when the first of them is needed, those to be added when they are complete.
class KAryRelease final : public LaplaceRelease {
 public:
  KAryRelease(std::shared_ptr<const Design> design, RandomSource* random);

 private:
  struct Level {
    uint64_t units = 0;
    double variance = 0;         // of one block
    int64_t window = 0;          // around which multiple of k^(level+1) the period is
    int64_t digit = 0;           // of it
    int64_t sum = 0;             // of the noise of |digit| blocks, with its sign
    std::vector<int64_t> ahead;  // the noise of blocks that are subtracted, the first one first
  };
  Noise NextNoise() override;
  void MoveTo(int64_t window, int64_t digit, Level& level);

  const std::shared_ptr<const Design> design_;
  RandomSource* const random_;
  int64_t offset_ = 0;  // see k_ary.cc: makes digits those of the usual base k
  int64_t t_ = 0;
  std::vector<Level> levels_;
};

}  // namespace tombola::stream

#endif  // TOMBOLA_COMMON_STREAM_LAPLACE_RELEASE_H_
