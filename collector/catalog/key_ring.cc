#include "collector/catalog/key_ring.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/crypto/hpke_suite.h"

namespace tombola::collector {
namespace {

// A second's worth: a stream of short periods is begun at once, and devices do not wait for the
// keys of nodes that open later.
constexpr size_t kNodeKeysAtOnce = 64;

v1::KeyState ToProto(KeyState state) {
  switch (state) {
    case KeyState::kPending:
      return v1::KEY_STATE_PENDING;
    case KeyState::kActive:
      return v1::KEY_STATE_ACTIVE;
    case KeyState::kRetired:
      return v1::KEY_STATE_RETIRED;
    case KeyState::kDestroyed:
      return v1::KEY_STATE_DESTROYED;
  }
  return v1::KEY_STATE_UNSPECIFIED;
}

}  // namespace

absl::StatusOr<std::unique_ptr<KeyRing>> KeyRing::Open(const Options& options,
                                                       RandomSource& random) {
  TOMBOLA_RETURN_IF_ERROR(CheckTimes(options.times));
  TOMBOLA_ASSIGN_OR_RETURN(KeyStore store, KeyStore::Open(options.directory));
  std::unique_ptr<KeyRing> ring(new KeyRing(options, std::move(store)));
  TOMBOLA_RETURN_IF_ERROR(ring->Load());
  if (const auto now = ring->SureNow(); now.ok()) {
    const std::vector<CatalogEntry> tasks = options.tasks();
    MutexLock lock(ring->mutex_);
    TOMBOLA_RETURN_IF_ERROR(ring->TendGeneralKeys(*now, random));
    TOMBOLA_RETURN_IF_ERROR(ring->RemoveFiles());
    // On a full disk there is no list for now, but answers can be given: the next Tend signs one.
    ring->TendNodeKeys(tasks, *now, random).IgnoreError();
    ring->SignAnew(*now, absl::InfiniteDuration()).IgnoreError();
  }
  return ring;
}

absl::Status KeyRing::Load() {
  MutexLock lock(mutex_);
  TOMBOLA_ASSIGN_OR_RETURN(KeyStore::Content content, store_.Load());
  serial_ = content.serial;
  records_ = std::move(content.records);
  for (auto& [id, key] : content.private_keys) {
    private_keys_.emplace(id, std::make_shared<const crypto::HpkePrivateKey>(std::move(key)));
  }
  return absl::OkStatus();
}

absl::Time KeyRing::Now() const {
  return absl::FromUnixSeconds(absl::ToUnixSeconds(options_.clock->Now()));
}

absl::StatusOr<absl::Time> KeyRing::SureNow() const {
  TOMBOLA_ASSIGN_OR_RETURN(const absl::Time now, options_.clock->SureNow());
  return absl::FromUnixSeconds(absl::ToUnixSeconds(now));
}

KeyRecord* KeyRing::Find(KeyState state, absl::Time now) {
  for (KeyRecord& record : records_) {
    if (!record.key.task.has_value() && StateAt(record, now) == state) return &record;
  }
  return nullptr;
}

KeyRecord* KeyRing::Find(const KeyId& id) {
  for (KeyRecord& record : records_) {
    if (record.key.id == id) return &record;
  }
  return nullptr;
}

void KeyRing::SetLife(KeyRecord* record, absl::Time begin, absl::Time end) const {
  record->key.not_before = begin;
  record->key.not_after = end;
  record->key.closes = end + options_.times.window;
}

absl::Time KeyRing::EndOf(const KeyId& id, absl::Time begin) const {
  absl::Time end = begin + options_.times.lifetime;
  for (const KeyRecord& record : records_) {
    if (record.key.id == id || record.destroyed.has_value() || record.key.task.has_value()) {
      continue;
    }
    if (record.key.not_before > begin) {
      end = std::min(end, record.key.not_before);
    }
  }
  return end;
}

int64_t KeyRing::LiveKeys(bool of_nodes) const {
  return std::count_if(records_.begin(), records_.end(), [&](const KeyRecord& record) {
    return !record.destroyed.has_value() && record.key.task.has_value() == of_nodes;
  });
}

absl::StatusOr<KeyRecord> KeyRing::MakeGeneralKey(RandomSource& random) {
  if (LiveKeys(/*of_nodes=*/false) >= kMaxLiveKeys) {
    return absl::FailedPreconditionError(
        absl::StrCat("there are ", kMaxLiveKeys, " keys already: destroy old ones first"));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<KeyRecord> made, MakeKeys(1, random));
  return made.front();
}

absl::StatusOr<std::vector<KeyRecord>> KeyRing::MakeKeys(size_t count, RandomSource& random) {
  while (spares_.size() < count) {
    TOMBOLA_ASSIGN_OR_RETURN(crypto::HpkePrivateKey key, crypto::HpkePrivateKey::Generate(random));
    KeyRecord record;
    const auto public_key = key.public_key();
    std::copy(public_key.begin(), public_key.end(), record.key.public_key.begin());
    record.key.id = crypto::HpkeKeyId(record.key.public_key);
    // By chance about once in 2^64 keys; the shuffler would refuse a second key of one id.
    if (Find(record.key.id) != nullptr || private_keys_.contains(record.key.id)) {
      return absl::InternalError("the new key has the id of an older one: try again");
    }
    TOMBOLA_RETURN_IF_ERROR(store_.WritePrivateKey(record.key.id, key.private_key()));
    private_keys_.emplace(record.key.id,
                          std::make_shared<const crypto::HpkePrivateKey>(std::move(key)));
    spares_.push_back(record);
  }
  return std::vector<KeyRecord>(spares_.begin(),
                                spares_.begin() + static_cast<std::ptrdiff_t>(count));
}

absl::Status KeyRing::Change(const std::vector<KeyRecord>& changed, std::optional<absl::Time> now,
                             const std::vector<KeyId>& forgotten) {
  TOMBOLA_RETURN_IF_ERROR(store_.Save(serial_ + 1, changed, forgotten));
  ++serial_;
  if (now.has_value()) issued_ = now;
  for (const KeyRecord& record : changed) {
    std::erase_if(spares_, [&](const KeyRecord& spare) { return spare.key.id == record.key.id; });
    KeyRecord* const known = Find(record.key.id);
    if (known != nullptr) {
      *known = record;
    } else {
      records_.push_back(record);
    }
  }
  const absl::flat_hash_set<KeyId> gone(forgotten.begin(), forgotten.end());
  std::erase_if(records_, [&](const KeyRecord& record) { return gone.contains(record.key.id); });
  return absl::OkStatus();
}

absl::StatusOr<bool> KeyRing::Tend(RandomSource& random) {
  TOMBOLA_ASSIGN_OR_RETURN(const absl::Time now, SureNow());
  MutexLock tending(tending_);
  const absl::Duration renewal = options_.renewal();
  const std::vector<CatalogEntry> tasks = options_.tasks();
  MutexLock lock(mutex_);
  const uint64_t before = serial_;
  const absl::Status tended = TendAll(tasks, now, random);
  TOMBOLA_RETURN_IF_ERROR(SignAnew(now, renewal));
  TOMBOLA_RETURN_IF_ERROR(tended);
  return serial_ != before;
}

absl::Status KeyRing::SignAnew(absl::Time now, absl::Duration age) {
  // One from the future is from a clock that was believed and has been put right.
  const bool good = issued_.has_value() && now - *issued_ < age && *issued_ <= now;
  return good ? absl::OkStatus() : Change({}, now);
}

absl::Status KeyRing::TendAll(const std::vector<CatalogEntry>& tasks, absl::Time now,
                              RandomSource& random) {
  const absl::Status general = TendGeneralKeys(now, random);
  const absl::Status of_nodes = TendNodeKeys(tasks, now, random);
  const absl::Status removed = RemoveFiles();
  for (const absl::Status& status : {general, of_nodes}) TOMBOLA_RETURN_IF_ERROR(status);
  return removed;
}

absl::Status KeyRing::TendGeneralKeys(absl::Time now, RandomSource& random) {
  // An active key first: devices wait for it.
  if (Find(KeyState::kActive, now) == nullptr) {
    KeyRecord next;
    if (const KeyRecord* pending = Find(KeyState::kPending, now)) {
      next = *pending;  // the clock was set back: it begins earlier and ends when it would
      SetLife(&next, now, next.key.not_after);
    } else {
      TOMBOLA_ASSIGN_OR_RETURN(next, MakeGeneralKey(random));
      SetLife(&next, now, now + options_.times.lifetime);
    }
    TOMBOLA_RETURN_IF_ERROR(Change({next}, now));
  }
  const KeyRecord active = *Find(KeyState::kActive, now);
  if (active.key.not_after - now <= options_.times.announce &&
      Find(KeyState::kPending, now) == nullptr) {
    TOMBOLA_ASSIGN_OR_RETURN(KeyRecord next, MakeGeneralKey(random));
    SetLife(&next, active.key.not_after, active.key.not_after + options_.times.lifetime);
    TOMBOLA_RETURN_IF_ERROR(Change({next}, now));
  }
  std::vector<KeyRecord> due;
  for (const KeyRecord& record : records_) {
    if (!record.key.task.has_value() && StateAt(record, now) == KeyState::kRetired &&
        record.key.closes + options_.times.delivery <= now) {
      due.push_back(record);
    }
  }
  return DestroyLocked(due, now);
}

absl::Status KeyRing::TendNodeKeys(const std::vector<CatalogEntry>& tasks, absl::Time now,
                                   RandomSource& random) {
  const NodeKeysDue due = DueNodeKeys(tasks, records_, options_.times, now);
  TOMBOLA_RETURN_IF_ERROR(DestroyLocked(due.to_destroy, now));
  const auto room = static_cast<size_t>(kMaxLiveNodeKeys - LiveKeys(/*of_nodes=*/true));
  const size_t count = std::min({due.to_make.size(), kNodeKeysAtOnce, room});
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<KeyRecord> changed, MakeKeys(count, random));
  for (size_t i = 0; i < count; ++i) {
    HpkeKey key = due.to_make[i];
    key.id = changed[i].key.id;
    key.public_key = changed[i].key.public_key;
    changed[i].key = key;
  }
  changed.insert(changed.end(), due.ended.begin(), due.ended.end());
  std::vector<KeyId> forgotten = NodeKeysToForget(records_, now);
  for (const KeyId& id : to_remove_) std::erase(forgotten, id);
  if (!changed.empty() || !forgotten.empty()) {
    TOMBOLA_RETURN_IF_ERROR(Change(changed, now, forgotten));
  }
  if (room >= due.to_make.size()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("there are ", kMaxLiveNodeKeys, " keys of streams' nodes already, and ",
                   due.to_make.size() - count,
                   " more are due: close streams, or shorten "
                   "--key-announce, --key-window and --key-delivery"));
}

absl::Status KeyRing::CheckRoom(const Task& task) const {
  if (task.nodes() == nullptr) return absl::OkStatus();
  const absl::Time now = Now();
  const std::vector<CatalogEntry> tasks = options_.tasks();
  MutexLock lock(mutex_);
  return CheckRoomForNodes(task, tasks, records_, options_.times, now);
}

absl::Status KeyRing::Rotate(std::optional<absl::Time> at, RandomSource& random) {
  TOMBOLA_ASSIGN_OR_RETURN(const absl::Time now, SureNow());
  const absl::Time moment = at.value_or(now);
  if (moment < now) return absl::InvalidArgumentError("at must not be in the past");
  MutexLock lock(mutex_);
  std::vector<KeyRecord> changed;
  if (const KeyRecord* active = Find(KeyState::kActive, now)) {
    if (moment > active->key.not_after) {
      return absl::InvalidArgumentError(
          absl::StrCat("at must not be after the present key's end, ",
                       absl::FormatTime(active->key.not_after, absl::UTCTimeZone())));
    }
    if (moment <= active->key.not_before) {
      return absl::FailedPreconditionError("the present key is younger than a second: try again");
    }
    changed.push_back(*active);
    SetLife(&changed.back(), active->key.not_before, moment);
  }
  KeyRecord next;
  if (const KeyRecord* pending = Find(KeyState::kPending, now)) {
    next = *pending;
  } else {
    TOMBOLA_ASSIGN_OR_RETURN(next, MakeGeneralKey(random));
  }
  const absl::Time begin = changed.empty() ? now : moment;
  SetLife(&next, begin, EndOf(next.key.id, begin));
  changed.push_back(next);
  return Change(changed, now);
}

absl::Status KeyRing::Destroy(const KeyId& id) {
  const absl::Time now = Now();
  MutexLock lock(mutex_);
  const KeyRecord* const record = Find(id);
  if (record == nullptr) return absl::NotFoundError("key_id names no key of this collector");
  if (StateAt(*record, now) == KeyState::kActive) {
    if (!record->key.task.has_value()) {
      return absl::FailedPreconditionError(
          "key_id names the active key, which devices seal to: rotate first");
    }
    return absl::FailedPreconditionError(absl::StrCat(
        "key_id names the key of node ", record->key.part, " of the stream ",
        ToHex(*record->key.task), ", which devices seal to until ",
        absl::FormatTime(record->key.not_after, absl::UTCTimeZone()), ": close the task first"));
  }
  if (!record->destroyed.has_value()) {
    TOMBOLA_RETURN_IF_ERROR(DestroyLocked({*record}, now));
  }
  return RemoveFiles();
}

absl::Status KeyRing::DestroyLocked(const std::vector<KeyRecord>& records, absl::Time now) {
  if (records.empty()) return absl::OkStatus();
  std::vector<KeyRecord> gone = records;
  for (KeyRecord& record : gone) {
    record.destroyed = now;
    record.key.public_key = {};
  }
  const absl::StatusOr<absl::Time> sure = SureNow();
  TOMBOLA_RETURN_IF_ERROR(
      Change(gone, sure.ok() ? std::optional<absl::Time>(*sure) : std::nullopt));
  for (const KeyRecord& record : gone) {
    private_keys_.erase(record.key.id);
    to_remove_.insert(record.key.id);
  }
  return absl::OkStatus();
}

absl::Status KeyRing::RemoveFiles() {
  while (!to_remove_.empty()) {
    TOMBOLA_RETURN_IF_ERROR(store_.DestroyPrivateKey(*to_remove_.begin()));
    to_remove_.erase(to_remove_.begin());
  }
  return absl::OkStatus();
}

absl::Status KeyRing::State() const {
  MutexLock lock(mutex_);
  return store_.State();
}

uint64_t KeyRing::serial() const {
  MutexLock lock(mutex_);
  return serial_;
}

v1::KeyList KeyRing::ListLocked() const {
  v1::KeyList list;
  list.set_serial(serial_);
  if (issued_.has_value()) list.set_issued(absl::ToUnixSeconds(*issued_));
  for (const KeyRecord& record : records_) {
    if (record.destroyed.has_value()) continue;
    v1::HpkeKey* wire = list.add_keys();
    wire->set_key_id(std::string(AsView(record.key.id)));
    wire->set_public_key(std::string(AsView(record.key.public_key)));
    wire->set_not_before(absl::ToUnixSeconds(record.key.not_before));
    wire->set_not_after(absl::ToUnixSeconds(record.key.not_after));
    wire->set_closes(absl::ToUnixSeconds(record.key.closes));
    if (record.key.task.has_value()) {
      wire->set_task_id(std::string(AsView(*record.key.task)));
      wire->set_part(record.key.part);
    }
  }
  return list;
}

v1::KeyList KeyRing::List() const {
  MutexLock lock(mutex_);
  return ListLocked();
}

v1::KeyInfo KeyRing::Describe() const {
  const absl::Time now = Now();
  MutexLock lock(mutex_);
  v1::KeyInfo info;
  *info.mutable_keys() = ListLocked();
  for (const KeyRecord& record : records_) {
    v1::KeyHistory* wire = info.add_history();
    wire->set_key_id(std::string(AsView(record.key.id)));
    wire->set_state(ToProto(StateAt(record, now)));
    wire->set_not_before(absl::ToUnixSeconds(record.key.not_before));
    wire->set_not_after(absl::ToUnixSeconds(record.key.not_after));
    wire->set_closes(absl::ToUnixSeconds(record.key.closes));
    if (record.destroyed.has_value()) {
      wire->set_destroyed(absl::ToUnixSeconds(*record.destroyed));
    }
  }
  return info;
}

absl::StatusOr<v1::SignedKeyList> KeyRing::SignedList() const {
  const v1::KeyList keys = List();
  if (keys.issued() == 0) {
    return absl::UnavailableError("no key list has been signed since the start");
  }
  v1::SignedKeyList list;
  list.set_key_list(keys.SerializeAsString());
  list.set_signature(options_.signing_key->Sign(kKeyListContext, list.key_list()));
  return list;
}

absl::StatusOr<std::shared_ptr<const crypto::HpkePrivateKey>> KeyRing::PrivateKey(
    const KeyId& id) const {
  MutexLock lock(mutex_);
  return PrivateKeyLocked(id);
}

absl::StatusOr<std::shared_ptr<const crypto::HpkePrivateKey>> KeyRing::PrivateKeyLocked(
    const KeyId& id) const {
  const auto it = private_keys_.find(id);
  if (it != private_keys_.end()) return it->second;
  for (const KeyRecord& record : records_) {
    if (record.key.id == id) return absl::FailedPreconditionError("key_id names a destroyed key");
  }
  return absl::NotFoundError("key_id names no key of this collector");
}

absl::StatusOr<std::shared_ptr<const crypto::HpkePrivateKey>> KeyRing::PrivateKeyFor(
    const Task& task, uint64_t part, const KeyId& id) const {
  const absl::Time now = Now();
  MutexLock lock(mutex_);
  for (const KeyRecord& record : records_) {
    if (record.key.id != id || record.key.IsFor(task, part)) continue;
    return absl::InvalidArgumentError(
        record.key.task.has_value()
            ? absl::StrCat("key_id names the key of node ", record.key.part, " of a stream, ",
                           record.key.task == task.id() ? "not of this node" : "which is another")
            : std::string("key_id names a general key: a stream's reports are sealed to its "
                          "nodes' own"));
  }
  auto key = PrivateKeyLocked(id);
  if (absl::IsNotFound(key.status()) && task.nodes() != nullptr &&
      IsGone(task, part, options_.times, now)) {
    return absl::FailedPreconditionError("key_id names a key of a node whose time is over");
  }
  return key;
}

}  // namespace tombola::collector
