#include "common/strings/randomizer.h"

namespace tombola::strings {
namespace {

uint8_t AnyFunction(RandomSource& random) { return static_cast<uint8_t>(random.Next64() >> 56); }

}  // namespace

uint32_t StringRandomizer::AnyBucket(RandomSource& random) const {
  return static_cast<uint32_t>(random.Next64() >> (64 - functions_->shape().range_bits()));
}

StringReport StringRandomizer::Place(RandomSource& random) const {
  const auto levels = static_cast<uint64_t>(functions_->shape().levels());
  StringReport report;
  report.level = static_cast<uint8_t>(UniformBelow(levels, random));
  report.function = AnyFunction(random);
  return report;
}

StringReport StringRandomizer::OneMessage(absl::Span<const uint8_t> symbols,
                                          RandomSource& random) const {
  StringReport report = Place(random);
  const uint64_t key = functions_->Key(report.level, symbols);
  const uint32_t uniform = AnyBucket(random);
  report.bucket = BernoulliBelow(blanket_threshold_, random)
                      ? uniform
                      : functions_->Bucket(report.function, key);
  return report;
}

StringReport StringRandomizer::TrueCell(int64_t level, absl::Span<const uint8_t> symbols,
                                        RandomSource& random) const {
  StringReport report{.level = static_cast<uint8_t>(level), .function = AnyFunction(random)};
  report.bucket = functions_->Bucket(report.function, functions_->Key(level, symbols));
  return report;
}

StringReport StringRandomizer::UniformCell(RandomSource& random) const {
  StringReport report = Place(random);
  report.bucket = AnyBucket(random);
  return report;
}

}  // namespace tombola::strings
