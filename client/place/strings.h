// A string becomes the cells of its prefixes.
#ifndef TOMBOLA_CLIENT_PLACE_STRINGS_H_
#define TOMBOLA_CLIENT_PLACE_STRINGS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "client/place/placer.h"
#include "common/strings/public_functions.h"

namespace tombola::client {

// A record is one text, spelled as the task says, cut to its length in symbols and filled up with
// "end"; characters that the alphabet lacks become "other", and the empty text is one like any
// other. The level, where not all are said, and each level's function are drawn uniformly and
// afresh, whatever the text is. Refused is a text that is not UTF-8, unless the task takes any
// bytes.
class StringsPlacer final : public Placer {
 public:
  static std::unique_ptr<Placer> Make(std::shared_ptr<const Task> task);

  absl::StatusOr<mechanism::Cells> Place(const RecordView& record,
                                         RandomSource& random) const override;

 private:
  explicit StringsPlacer(std::shared_ptr<const Task> task);

  std::shared_ptr<const Task> task_;
  strings::PublicFunctions functions_;
};

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_PLACE_STRINGS_H_
