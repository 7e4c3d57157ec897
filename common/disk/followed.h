// A value that lies in files, as they are now.
#ifndef TOMBOLA_COMMON_DISK_FOLLOWED_H_
#define TOMBOLA_COMMON_DISK_FOLLOWED_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/mutex.h"
#include "common/disk/file_stamp.h"

namespace tombola {

// Reads the value again when one of its files has changed, so that nothing needs a restart. What is
// found is taken over as a whole or not at all: until it is as it should be, what was in force
// stays. Thread-safe.
template <typename T>
class Followed {
 public:
  struct Options {
    std::vector<std::string> files;
    std::function<absl::StatusOr<T>()> read;
    // Told once for every change of the files that is not taken over. May be none.
    std::function<void(const absl::Status&)> refused;
    // Told once for every change of the files that is taken over, after the first. May be none.
    std::function<void(const T&)> taken = {};
    // In force when reading says NotFound, of which `refused` is told all the same; none: what was
    // in force stays then, too.
    std::shared_ptr<const T> when_gone;
  };

  // The status of the first reading, which has nothing to fall back to.
  static absl::StatusOr<std::unique_ptr<Followed>> Load(Options options) {
    std::unique_ptr<Followed> followed(new Followed(std::move(options)));
    const Stamps stamps = followed->Look();
    MutexLock lock(followed->mutex_);
    const absl::Status taken = followed->TakeOver(stamps);
    if (!taken.ok()) return taken;
    return followed;
  }

  // Looks whether the files have changed, which costs a call of stat each.
  std::shared_ptr<const T> Current() {
    const Stamps stamps = Look();
    absl::Status taken;
    std::shared_ptr<const T> current;
    {
      MutexLock lock(mutex_);
      if (stamps == stamps_) return value_;
      taken = TakeOver(stamps);
      current = value_;
    }
    Tell(taken, *current);
    return current;
  }

  // Reads the files even if they look unchanged. Not OK: what was found was not taken over, of
  // which `refused` is told as well.
  absl::Status Reload() {
    const Stamps stamps = Look();
    absl::Status taken;
    bool changed = false;
    std::shared_ptr<const T> current;
    {
      MutexLock lock(mutex_);
      changed = stamps != stamps_;
      taken = TakeOver(stamps);
      current = value_;
    }
    if (changed || !taken.ok()) Tell(taken, *current);
    return taken;
  }

 private:
  using Stamps = std::vector<FileStamp>;

  explicit Followed(Options options) : options_(std::move(options)) {}

  Stamps Look() const {
    Stamps stamps;
    for (const std::string& file : options_.files) stamps.push_back(StampOf(file));
    return stamps;
  }
  absl::Status TakeOver(const Stamps& stamps) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    stamps_ = stamps;
    absl::StatusOr<T> found = options_.read();
    if (found.ok()) {
      value_ = std::make_shared<const T>(*std::move(found));
      return absl::OkStatus();
    }
    if (absl::IsNotFound(found.status()) && options_.when_gone != nullptr) {
      value_ = options_.when_gone;
    }
    return found.status();
  }
  void Tell(const absl::Status& taken, const T& current) const {
    if (!taken.ok() && options_.refused) options_.refused(taken);
    if (taken.ok() && options_.taken) options_.taken(current);
  }

  const Options options_;
  Mutex mutex_;
  Stamps stamps_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const T> value_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_DISK_FOLLOWED_H_
