#include "common/task/key_list.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/base/encoding.h"
#include "common/crypto/ed25519_verify.h"
#include "common/crypto/hpke_suite.h"
#include "common/task/task.h"
#include "tombola/v1/report.pb.h"

namespace tombola {
namespace {

constexpr size_t kMaxKeys = 4096;

absl::StatusOr<HpkeKey> KeyFromProto(const v1::HpkeKey& wire) {
  HpkeKey key;
  const auto public_key =
      RequireId<std::array<uint8_t, 32>>("key_list.keys.public_key", wire.public_key());
  if (!public_key.ok()) return public_key.status();
  key.public_key = *public_key;
  key.id = crypto::HpkeKeyId(key.public_key);
  if (wire.key_id() != AsView(key.id)) {
    return absl::InvalidArgumentError(
        "key_list.keys.key_id must be the first 8 bytes of SHA-256 of public_key");
  }
  if (wire.not_before() < 0 || wire.not_after() <= wire.not_before()) {
    return absl::InvalidArgumentError("key_list.keys.not_after must be later than not_before");
  }
  key.not_before = absl::FromUnixSeconds(wire.not_before());
  key.not_after = absl::FromUnixSeconds(wire.not_after());
  if (wire.closes() != 0) {
    if (wire.closes() < wire.not_after()) {
      return absl::InvalidArgumentError("key_list.keys.closes must be 0 or not before not_after");
    }
    key.closes = absl::FromUnixSeconds(wire.closes());
  }
  if (!wire.task_id().empty()) {
    const auto task = RequireId<TaskId>("key_list.keys.task_id", wire.task_id());
    if (!task.ok()) return task.status();
    key.task = *task;
  }
  if (key.task.has_value() != (wire.part() != 0)) {
    return absl::InvalidArgumentError(
        "key_list.keys.part must be at least 1 with a task_id, and 0 without");
  }
  key.part = wire.part();
  return key;
}

crypto::Sha256Digest DigestOf(const std::vector<HpkeKey>& keys) {
  // Lists of general keys alone keep the digest that they had before there were others. Their bytes
  // are a multiple of eight, so that no two lists of different form have the same.
  const bool nodes = std::any_of(keys.begin(), keys.end(),
                                 [](const HpkeKey& key) { return key.task.has_value(); });
  std::string bytes;
  for (const HpkeKey& key : keys) {
    absl::StrAppend(&bytes, AsView(key.public_key));
    for (const absl::Time time : {key.not_before, key.not_after, key.closes}) {
      PutNumber<int64_t>(time == absl::InfiniteFuture() ? 0 : absl::ToUnixSeconds(time), bytes);
    }
    if (!nodes) continue;
    PutBytes(key.task.value_or(TaskId{}), bytes);
    PutNumber<uint64_t>(key.part, bytes);
  }
  if (nodes) PutNumber<uint8_t>(1, bytes);
  return crypto::Sha256(bytes);
}

bool IsValidAt(const HpkeKey& key, absl::Time now) {
  return key.not_before <= now && now < key.not_after;
}

// General keys, and those of one node, do not overlap.
absl::Status CheckOneAtATime(std::vector<HpkeKey> keys) {
  const auto place = [](const HpkeKey& key) {
    return std::tie(key.task, key.part, key.not_before);
  };
  std::sort(keys.begin(), keys.end(),
            [&](const HpkeKey& a, const HpkeKey& b) { return place(a) < place(b); });
  for (size_t i = 1; i < keys.size(); ++i) {
    const HpkeKey &before = keys[i - 1], &after = keys[i];
    if (before.task != after.task || before.part != after.part) continue;
    if (after.not_before >= before.not_after) continue;
    return absl::InvalidArgumentError(
        after.task.has_value()
            ? "key_list.keys must have at most one for each node that is valid at any moment"
            : "key_list.keys must have at most one valid at any moment");
  }
  return absl::OkStatus();
}

}  // namespace

bool HpkeKey::IsFor(const Task& of, uint64_t of_part) const {
  return of.nodes() == nullptr ? !task.has_value() : task == of.id() && part == of_part;
}

absl::Status CheckSuccessor(const KeyListVersion& seen, const KeyListVersion& next) {
  if (next.serial < seen.serial) {
    return absl::FailedPreconditionError(absl::StrCat("the key list's serial is ", next.serial,
                                                      ", but ", seen.serial, " was seen before"));
  }
  if (seen.serial != 0 && next.serial == seen.serial && next.keys != seen.keys) {
    return absl::FailedPreconditionError(
        absl::StrCat("the key list has the serial of one that was seen before, ", seen.serial,
                     ", and other keys: the collector has lost keys, or shows different lists"));
  }
  return absl::OkStatus();
}

absl::StatusOr<KeyList> KeyList::Verify(absl::string_view bytes, absl::string_view signature,
                                        const std::array<uint8_t, 32>& collector_key) {
  if (!crypto::VerifyEd25519(collector_key, kKeyListContext, bytes, signature)) {
    return absl::UnauthenticatedError(
        "key_list.signature must be by the collector's long-term key");
  }
  v1::KeyList wire;
  if (!wire.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InvalidArgumentError("key_list must be a serialised tombola.v1.KeyList");
  }
  if (static_cast<size_t>(wire.keys_size()) > kMaxKeys) {
    return absl::InvalidArgumentError(absl::StrCat("key_list.keys must be at most ", kMaxKeys));
  }
  KeyList list;
  list.version_.serial = wire.serial();
  if (wire.issued() <= 0) {
    return absl::InvalidArgumentError("key_list.issued must be a Unix time in seconds");
  }
  list.issued_ = absl::FromUnixSeconds(wire.issued());
  absl::flat_hash_set<KeyId> ids;
  for (const v1::HpkeKey& entry : wire.keys()) {
    auto key = KeyFromProto(entry);
    if (!key.ok()) return std::move(key).status();
    // An id has 64 bits: two keys of one id can be found, and would tell apart what a batch mixes.
    if (!ids.insert(key->id).second) {
      return absl::InvalidArgumentError("key_list.keys must have distinct ids");
    }
    list.keys_.push_back(*key);
  }
  list.version_.keys = DigestOf(list.keys_);
  if (absl::Status status = CheckOneAtATime(list.keys_); !status.ok()) return status;
  return list;
}

absl::StatusOr<HpkeKey> KeyList::ActiveAt(absl::Time now) const {
  for (const HpkeKey& key : keys_) {
    if (!key.task.has_value() && IsValidAt(key, now)) return key;
  }
  return absl::FailedPreconditionError("the collector's key list has no key that is valid now");
}

absl::StatusOr<HpkeKey> KeyList::NodeKeyAt(const TaskId& task, uint64_t node,
                                           absl::Time now) const {
  for (const HpkeKey& key : keys_) {
    if (key.part == node && key.task == task && IsValidAt(key, now)) return key;
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "the collector's key list has no key that is valid now for node ", node, " of the stream"));
}

std::optional<HpkeKey> KeyList::Find(const KeyId& id) const {
  for (const HpkeKey& key : keys_) {
    if (key.id == id) return key;
  }
  return std::nullopt;
}

}  // namespace tombola
