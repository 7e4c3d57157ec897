#include "collector/catalog/key_times.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace tombola::collector {
namespace {

constexpr absl::Duration kLongest = absl::Hours(24 * 3660);
constexpr int kMostIntervals = 512;

absl::Status CheckTime(absl::string_view name, absl::Duration time, absl::Duration least) {
  if (time >= least && time <= kLongest && time == absl::Trunc(time, absl::Seconds(1))) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(name, " must be whole seconds from ",
                                                 absl::FormatDuration(least), " to ten years"));
}

absl::Time WholeSecondBefore(absl::Time time) {
  return absl::FromUnixSeconds(absl::ToUnixSeconds(time));
}

absl::Time WholeSecondAfter(absl::Time time) {
  return WholeSecondBefore(time + absl::Seconds(1) - absl::Nanoseconds(1));
}

KeyTimes TimesOf(const Task& stream, KeyTimes times) {
  const absl::Duration most = kMostIntervals * stream.batch_policy().interval;
  for (absl::Duration* time : {&times.announce, &times.window, &times.delivery}) {
    *time = std::min(*time, most);
  }
  return times;
}

using NodeName = std::pair<TaskId, uint64_t>;

// A key that was destroyed before anybody could seal to it leaves its node free for another.
bool WasUsed(const KeyRecord& record) {
  return !record.destroyed.has_value() || *record.destroyed > record.key.not_before;
}

// The most of these lives that there are at one moment.
int64_t MostAtOnce(const std::vector<NodeLife>& lives) {
  std::vector<std::pair<absl::Time, int>> changes;  // of one moment, the ends first
  for (const NodeLife& life : lives) {
    changes.emplace_back(life.announced, 1);
    changes.emplace_back(life.gone, -1);
  }
  std::sort(changes.begin(), changes.end());
  int64_t live = 0, most = 0;
  for (const auto& [time, change] : changes) most = std::max(most, live += change);
  return most;
}

}  // namespace

absl::Status CheckTimes(const KeyTimes& times) {
  TOMBOLA_RETURN_IF_ERROR(CheckTime("--key-lifetime", times.lifetime, absl::Seconds(1)));
  TOMBOLA_RETURN_IF_ERROR(CheckTime("--key-announce", times.announce, absl::ZeroDuration()));
  TOMBOLA_RETURN_IF_ERROR(CheckTime("--key-window", times.window, absl::ZeroDuration()));
  TOMBOLA_RETURN_IF_ERROR(CheckTime("--key-delivery", times.delivery, absl::ZeroDuration()));
  if (times.announce >= times.lifetime) {
    return absl::InvalidArgumentError("--key-announce must be shorter than --key-lifetime");
  }
  if (times.window + times.delivery > (kMaxLiveKeys / 2) * times.lifetime) {
    return absl::InvalidArgumentError(
        "--key-window and --key-delivery must be at most 500 times --key-lifetime");
  }
  return absl::OkStatus();
}

std::vector<NodeLife> NodeLives(const Task& stream, const KeyTimes& times) {
  TOMBOLA_CHECK(stream.nodes() != nullptr);
  const KeyTimes own = TimesOf(stream, times);
  std::vector<NodeLife> lives;
  for (uint64_t node = 1; node <= static_cast<uint64_t>(stream.nodes()->count()); ++node) {
    NodeLife life{.node = node};
    life.opens = WholeSecondBefore(stream.periods()->Opens(stream.nodes()->FirstPeriod(node)));
    life.ends = WholeSecondAfter(stream.periods()->Closes(node));
    life.announced = life.opens - own.announce;
    life.closes = life.ends + own.window;
    life.gone = life.closes + own.delivery;
    lives.push_back(life);
  }
  return lives;
}

NodeKeysDue DueNodeKeys(const std::vector<CatalogEntry>& tasks,
                        const std::vector<KeyRecord>& records, const KeyTimes& times,
                        absl::Time now) {
  absl::flat_hash_map<TaskId, const CatalogEntry*> streams;
  for (const CatalogEntry& entry : tasks) {
    if (entry.task->nodes() != nullptr) streams.emplace(entry.task->id(), &entry);
  }
  NodeKeysDue due;
  absl::flat_hash_set<NodeName> had;
  for (const KeyRecord& record : records) {
    if (!record.key.task.has_value()) continue;
    if (WasUsed(record)) had.emplace(*record.key.task, record.key.part);
    if (record.destroyed.has_value()) continue;
    // A task that is not known was forgotten when the collector came back from a copy.
    const auto stream = streams.find(*record.key.task);
    const bool known = stream != streams.end();
    const KeyTimes own = known ? TimesOf(*stream->second->task, times) : times;
    if (now < record.key.not_after && (!known || stream->second->closed)) {
      if (now <= record.key.not_before) {
        due.to_destroy.push_back(record);
      } else {
        due.ended.push_back(record);
        due.ended.back().key.not_after = now;
        due.ended.back().key.closes = now + own.window;
      }
    } else if (record.key.closes + own.delivery <= now) {
      due.to_destroy.push_back(record);
    }
  }
  for (const auto& [id, entry] : streams) {
    if (entry->closed) continue;
    for (const NodeLife& life : NodeLives(*entry->task, times)) {
      if (now < life.announced || now >= life.ends || had.contains({id, life.node})) continue;
      HpkeKey key;
      key.not_before = life.opens;
      key.not_after = life.ends;
      key.closes = life.closes;
      key.task = id;
      key.part = life.node;
      due.to_make.push_back(key);
    }
  }
  std::sort(due.to_make.begin(), due.to_make.end(), [](const HpkeKey& a, const HpkeKey& b) {
    return std::tie(a.not_before, *a.task, a.part) < std::tie(b.not_before, *b.task, b.part);
  });
  return due;
}

std::vector<KeyId> NodeKeysToForget(const std::vector<KeyRecord>& records, absl::Time now) {
  std::vector<KeyId> forgotten;
  for (const KeyRecord& record : records) {
    if (!record.key.task.has_value() || !record.destroyed.has_value()) continue;
    if (std::max(*record.destroyed, record.key.closes) + kNodeKeysKnown <= now) {
      forgotten.push_back(record.key.id);
    }
  }
  return forgotten;
}

bool IsGone(const Task& stream, uint64_t node, const KeyTimes& times, absl::Time now) {
  for (const NodeLife& life : NodeLives(stream, times)) {
    if (life.node == node) return life.gone <= now;
  }
  return false;
}

absl::Status CheckRoomForNodes(const Task& stream, const std::vector<CatalogEntry>& tasks,
                               const std::vector<KeyRecord>& records, const KeyTimes& times,
                               absl::Time now) {
  std::vector<NodeLife> lives = NodeLives(stream, times);
  absl::flat_hash_set<TaskId> open;
  for (const CatalogEntry& entry : tasks) {
    if (entry.closed || entry.task->nodes() == nullptr) continue;
    open.insert(entry.task->id());
    for (const NodeLife& life : NodeLives(*entry.task, times)) {
      if (life.gone > now) lives.push_back(life);
    }
  }
  int64_t others = 0;
  for (const KeyRecord& record : records) {
    if (record.destroyed.has_value() || !record.key.task.has_value()) continue;
    if (!open.contains(*record.key.task)) ++others;
  }
  const int64_t most = MostAtOnce(lives) + others;
  if (most <= kMaxLiveNodeKeys) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("with this stream there would be ", most, " keys of nodes at once, and at most ",
                   kMaxLiveNodeKeys,
                   " are kept: give it fewer periods, close other streams, or shorten the "
                   "collector's --key-announce, --key-window and --key-delivery"));
}

}  // namespace tombola::collector
