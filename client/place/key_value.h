// Key-value pairs, or a choice of them, each at a level, and pads.
#ifndef TOMBOLA_CLIENT_PLACE_KEY_VALUE_H_
#define TOMBOLA_CLIENT_PLACE_KEY_VALUE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "client/place/placer.h"

namespace tombola::client {

// A record is a list of pairs of a key of the task's domain and a number within the task's levels.
// A number between two levels becomes either, so that its mean is kept. Of more than the task's
// max_items a uniform choice of keys is kept. A key outside the domain is the domain's "other" key
// if there is one, and of several such one, drawn uniformly, is kept. Refused are a key outside the
// domain where there is no "other", a key with two different numbers, and a number that is none or
// outside the levels.
class KeyValuePlacer final : public Placer {
 public:
  static std::unique_ptr<Placer> Make(std::shared_ptr<const Task> task);

  absl::StatusOr<mechanism::Cells> Place(const RecordView& record,
                                         RandomSource& random) const override;

 private:
  explicit KeyValuePlacer(std::shared_ptr<const Task> task);

  std::shared_ptr<const Task> task_;
};

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_PLACE_KEY_VALUE_H_
