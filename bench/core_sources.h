// Randomness for work on all cores.
#ifndef TOMBOLA_BENCH_CORE_SOURCES_H_
#define TOMBOLA_BENCH_CORE_SOURCES_H_

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "absl/types/span.h"
#include "common/random/keyed_random.h"
#include "common/random/secure_random.h"

namespace tombola::bench {

// One cryptographic source for each core, as a release has them.
class CoreSources {
 public:
  CoreSources() {
    SecureRandom random;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) {
      owned_.push_back(std::make_unique<KeyedRandom>(random));
      sources_.push_back(owned_.back().get());
    }
  }
  absl::Span<RandomSource* const> get() const { return sources_; }

 private:
  std::vector<std::unique_ptr<KeyedRandom>> owned_;
  std::vector<RandomSource*> sources_;
};

}  // namespace tombola::bench

#endif  // TOMBOLA_BENCH_CORE_SOURCES_H_
