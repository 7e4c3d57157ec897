// A set's values, or a choice of them, and pads.
#ifndef TOMBOLA_CLIENT_PLACE_SET_H_
#define TOMBOLA_CLIENT_PLACE_SET_H_

#include <memory>

#include "absl/status/statusor.h"
#include "client/place/placer.h"

namespace tombola::client {

// A record is a list of values of the task's domain; one that is there twice counts once, and none
// is a record too. Of more than the task's max_items a uniform choice is kept. A value outside the
// domain is the domain's "other" value if there is one, else the record is refused.
class SetPlacer final : public Placer {
 public:
  static std::unique_ptr<Placer> Make(std::shared_ptr<const Task> task);

  absl::StatusOr<mechanism::Cells> Place(const RecordView& record,
                                         RandomSource& random) const override;

 private:
  explicit SetPlacer(std::shared_ptr<const Task> task);

  std::shared_ptr<const Task> task_;
};

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_PLACE_SET_H_
