// The kinds there are, between a task's bytes and the classes that know them.
#ifndef TOMBOLA_COMMON_KIND_KINDS_H_
#define TOMBOLA_COMMON_KIND_KINDS_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/kind/kind.h"
#include "tombola/v1/task.pb.h"

namespace tombola {

// Immutable and thread-safe.
class Kinds {
 public:
  struct Entry {
    v1::Kind number;
    absl::string_view name;
    // A valid kind, or InvalidArgument naming the field and its bound. The task's domain is valid.
    absl::StatusOr<std::shared_ptr<const Kind>> (*read)(const v1::Task& task);
  };

  // Those of every release: the one list of them.
  static const Kinds& BuiltIn();

  explicit Kinds(std::vector<Entry> entries);

  const std::vector<Entry>& entries() const { return entries_; }

  // InvalidArgument also for a kind that is not among them.
  absl::StatusOr<std::shared_ptr<const Kind>> Read(const v1::Task& task) const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_KIND_KINDS_H_
