// A device holds a string that nobody had to list; asked is which of them many devices hold.
#ifndef TOMBOLA_COMMON_KIND_STRINGS_H_
#define TOMBOLA_COMMON_KIND_STRINGS_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/kind/kind.h"
#include "common/mechanism/strings.h"
#include "common/strings/alphabet.h"
#include "common/strings/shape.h"
#include "common/strings/spelling.h"
#include "tombola/v1/task.pb.h"

namespace tombola {

// Of a list of strings that are looked up: entries, their bytes together, and their symbols, each
// filled up to the task's length.
inline constexpr int64_t kMostDictionary = 1'000'000;
inline constexpr size_t kMostDictionaryBytes = size_t{4} << 20;
inline constexpr int64_t kMostDictionarySymbols = int64_t{1} << 26;

// One table, whose cells are buckets of prefixes (common/mechanism/strings.h).
class StringsKind final : public Kind {
 public:
  static constexpr absl::string_view kName = "strings";

  // InvalidArgument naming the field and its bound; FailedPrecondition where strings are spelled by
  // a version of Unicode that is not known here.
  static absl::StatusOr<std::shared_ptr<const Kind>> Read(const v1::Task& task);

  absl::string_view name() const override { return kName; }
  const mechanism::Tables& tables() const override { return tables_; }
  const std::shared_ptr<const mechanism::Scheme>& scheme() const override { return scheme_; }
  // Of the share of devices that hold a string, from one level.
  double PredictedMse(int64_t submissions) const override;

  const strings::Alphabet& alphabet() const { return alphabet_; }
  const strings::Shape& shape() const { return mechanism_->shape(); }
  // How a text is spelled before it becomes symbols.
  strings::Spelling spelling() const { return spelling_; }
  // No string of fewer is published.
  int64_t least_holders() const { return least_holders_; }
  const mechanism::Strings& cells() const { return *mechanism_; }

 private:
  StringsKind(strings::Alphabet alphabet, strings::Spelling spelling, int64_t least_holders,
              std::shared_ptr<const mechanism::Strings> mechanism);

  strings::Alphabet alphabet_;
  strings::Spelling spelling_;
  int64_t least_holders_;
  std::shared_ptr<const mechanism::Strings> mechanism_;
  mechanism::Tables tables_;
  std::shared_ptr<const mechanism::Scheme> scheme_;
};

// The symbols that a task's field `alphabet` names: characters, or bytes where it is empty.
// InvalidArgument as Alphabet::OfCharacters.
absl::StatusOr<strings::Alphabet> ReadAlphabet(const v1::Strings& wire);
// Refused also where it does not go with the alphabet.
absl::StatusOr<strings::Spelling> ReadSpelling(const v1::Strings& wire);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_KIND_STRINGS_H_
