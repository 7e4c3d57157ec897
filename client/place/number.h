// A number's node on every level of a tree, or the level beside it.
#ifndef TOMBOLA_CLIENT_PLACE_NUMBER_H_
#define TOMBOLA_CLIENT_PLACE_NUMBER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "client/place/placer.h"

namespace tombola::client {

// A record is a number within the task's edges, or none where the task says that one may be
// missing. Where the task dithers, a number between two levels becomes either, so that its mean is
// kept; else nothing is drawn. Refused are a number that is none or outside, and a missing one that
// the task does not allow.
class NumberPlacer final : public Placer {
 public:
  static std::unique_ptr<Placer> Make(std::shared_ptr<const Task> task);

  absl::StatusOr<mechanism::Cells> Place(const RecordView& record,
                                         RandomSource& random) const override;

 private:
  explicit NumberPlacer(std::shared_ptr<const Task> task);

  std::shared_ptr<const Task> task_;
};

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_PLACE_NUMBER_H_
