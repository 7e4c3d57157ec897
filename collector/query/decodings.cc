#include "collector/query/decodings.h"

#include <algorithm>
#include <utility>

#include "common/base/retry_after.h"

namespace tombola::collector {
namespace {

constexpr int kNiceness = 15;
constexpr absl::Duration kRetry = absl::Seconds(5);

}  // namespace

Decodings::Decodings(const DecodingLimits& limits, std::shared_ptr<const SteadyClock> clock)
    : limits_(limits), clock_(std::move(clock)) {
  pool_.emplace(/*threads=*/1, "decode", kNiceness);
}

Decodings::~Decodings() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  pool_.reset();
}

absl::StatusOr<Decodings::State> Decodings::Ask(const Key& key, const Work& work) {
  MutexLock lock(mutex_);
  const auto known = FindLocked(key);
  if (known != searches_.end()) {
    Search& search = **known;
    search.asked = clock_->Now();
    if (!search.outcome.has_value()) {
      return State{.found = nullptr, .ahead = AheadOf(search), .progress = search.progress};
    }
    if (search.outcome->ok()) return State{.found = **search.outcome, .ahead = 0, .progress = {}};
    const absl::Status failure = search.outcome->status();
    searches_.erase(known);
    // It was given up between two questions of one who asks slowly.
    if (!absl::IsCancelled(failure)) return failure;
  }
  const auto waits = [](const auto& search) { return !search->outcome.has_value(); };
  if (std::count_if(searches_.begin(), searches_.end(), waits) >= limits_.waiting) {
    return Refusal("decodings", "other searches for strings come first: ask again", kRetry);
  }
  const auto search = std::make_shared<Search>();
  search->key = key;
  search->asked = clock_->Now();
  searches_.push_back(search);
  pool_->Add([this, search, work](int) { Run(search, work); });
  return State{.found = nullptr, .ahead = AheadOf(*search), .progress = {}};
}

void Decodings::Run(const std::shared_ptr<Search>& search, const Work& work) {
  {
    MutexLock lock(mutex_);
    search->begun = true;
  }
  absl::StatusOr<FoundStrings> found = absl::CancelledError("nobody waits for the strings");
  if (Advance(*search, {})) {
    found = work([&](const DecodeProgress& progress) { return Advance(*search, progress); });
  }
  MutexLock lock(mutex_);
  if (found.ok()) {
    search->outcome.emplace(std::make_shared<const FoundStrings>(*std::move(found)));
  } else {
    search->outcome.emplace(found.status());
  }
  DropOldestLocked();
}

bool Decodings::Advance(Search& search, const DecodeProgress& progress) {
  MutexLock lock(mutex_);
  search.progress = progress;
  return !stopping_ && clock_->Now() - search.asked <= limits_.patience;
}

Decodings::Searches::iterator Decodings::FindLocked(const Key& key) {
  return std::find_if(searches_.begin(), searches_.end(),
                      [&](const auto& search) { return search->key == key; });
}

int64_t Decodings::AheadOf(const Search& search) const {
  int64_t ahead = 0;
  for (const auto& other : searches_) {
    if (other.get() == &search) break;
    if (!other->outcome.has_value()) ++ahead;
  }
  return ahead;
}

void Decodings::DropOldestLocked() {
  const auto over = [](const auto& search) { return search->outcome.has_value(); };
  while (std::count_if(searches_.begin(), searches_.end(), over) > limits_.kept) {
    auto oldest = searches_.end();
    for (auto it = searches_.begin(); it != searches_.end(); ++it) {
      if (over(*it) && (oldest == searches_.end() || (*it)->asked < (*oldest)->asked)) oldest = it;
    }
    searches_.erase(oldest);
  }
}

}  // namespace tombola::collector
