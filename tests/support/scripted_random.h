// A RandomSource that says what a test has written down.
#ifndef TOMBOLA_TESTS_SUPPORT_SCRIPTED_RANDOM_H_
#define TOMBOLA_TESTS_SUPPORT_SCRIPTED_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "common/base/check.h"
#include "common/random/random_source.h"

namespace tombola {

// Hands out the given words: aborts when asked for more or for bytes, and at its end if a word is
// left.
class ScriptedRandom final : public RandomSource {
 public:
  explicit ScriptedRandom(std::vector<uint64_t> words) : words_(std::move(words)) {}
  ~ScriptedRandom() override { TOMBOLA_CHECK(next_ == words_.size()); }

  uint64_t Next64() override {
    TOMBOLA_CHECK(next_ < words_.size());
    return words_[next_++];
  }
  void Fill(absl::Span<uint8_t>) override { TOMBOLA_CHECK(false); }

  // How many words were taken so far.
  size_t drawn() const { return next_; }

 private:
  const std::vector<uint64_t> words_;
  size_t next_ = 0;
};

}  // namespace tombola

#endif  // TOMBOLA_TESTS_SUPPORT_SCRIPTED_RANDOM_H_
