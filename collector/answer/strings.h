// Which strings stand out, and how many devices hold each.
#ifndef TOMBOLA_COLLECTOR_ANSWER_STRINGS_H_
#define TOMBOLA_COLLECTOR_ANSWER_STRINGS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "collector/answer/answerer.h"
#include "collector/decode/decoder.h"
#include "common/kind/strings.h"
#include "common/strings/alphabet.h"

namespace tombola::collector {

// Rows of an answer; more than these are left out, and the answer says so.
inline constexpr int64_t kMostFoundStrings = 10'000;
// Of a question that does not say.
inline constexpr double kUsualFalseStrings = 0.05;

// Of what was found, those strings that the task lets anybody see; `evidence.strings` is set, and
// the tables have their numbers of reports, their cells are not looked at. Intervals are normal
// ones: a string's estimate is over hundreds of reports. Estimates of strings just above the
// threshold are too large on average, as those that chance lifted are the ones that are seen.
class StringsAnswerer final : public Answerer {
 public:
  absl::string_view kind() const override { return StringsKind::kName; }
  void AskLeast(v1::GetAnswerRequest* request) const override {
    request->mutable_strings()->set_top(1);
    request->mutable_strings()->add_dictionary("");  // which every task can be asked for
  }
  // InvalidArgument also for a list that is too long.
  absl::StatusOr<int64_t> Bytes(const Task& task, const v1::GetAnswerRequest& request,
                                AnswerForm form) const override;
  // InvalidArgument also where frequencies are to be post-processed otherwise than by clipping.
  absl::Status Fill(const Evidence& evidence, const v1::GetAnswerRequest& request,
                    Postprocess postprocess, v1::Answer* answer) const override;
};

// What a question asks for, in the task's symbols. InvalidArgument: it is out of its bounds, or an
// entry, which is named by its place, cannot be spelled.
struct StringSearch {
  double false_strings = kUsualFalseStrings;
  bool looked_up = false;
  std::vector<strings::Symbols> dictionary;  // where it is
};
absl::StatusOr<StringSearch> ReadStringsQuestion(const StringsKind& kind,
                                                 const v1::StringsQuestion& question);

// What the search is about: the counts of batches of a task about strings. Nothing is owned.
struct CountedStrings {
  const StringsKind& kind;
  const strings::PublicFunctions& functions;
  const StringCounts& counts;
  int64_t submissions = 0;
};
// At most kMostFoundStrings, of no fewer holders than the task's least number. Errors as
// DecodeStrings.
absl::StatusOr<DecodedStrings> SearchStrings(const CountedStrings& counted,
                                             const StringSearch& search, DecodeOptions options);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ANSWER_STRINGS_H_
