#include "shuffler/catalog/catalog.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/encoding.h"
#include "common/base/status_macros.h"
#include "common/crypto/hpke_suite.h"
#include "common/crypto/sha256.h"
#include "common/disk/whole_file.h"
#include "common/task/catalog_bound.h"
#include "shuffler/disk/record.h"

namespace tombola::shuffler {
namespace {

// Records of docs/store-format.md: a serialised v1.Catalog, and public keys back to back.
constexpr absl::string_view kCatalogKind = "TMBLCTLG";
constexpr absl::string_view kKeysKind = "TMBLKEYS";

// The body of the record that the file is. NotFound: there is no file.
absl::StatusOr<std::string> ReadRecord(absl::string_view kind, const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::string content, ReadSmallFile(path, kMaxCatalogMessageBytes));
  TOMBOLA_ASSIGN_OR_RETURN(const auto body, UnwrapRecord(kind, AsBytes(content), path));
  return std::string(body.begin(), body.end());
}

}  // namespace

absl::StatusOr<std::unique_ptr<Catalog>> Catalog::Open(const Options& options) {
  std::unique_ptr<Catalog> catalog(new Catalog(options));
  TOMBOLA_RETURN_IF_ERROR(catalog->LoadSeenKeys());
  absl::StatusOr<std::string> content = ReadRecord(kCatalogKind, options.path);
  if (absl::IsNotFound(content.status())) return catalog;
  if (!content.ok() && !absl::IsDataLoss(content.status())) return content.status();
  v1::Catalog stored;
  absl::Status taken = content.status();
  if (taken.ok()) {
    taken = stored.ParseFromString(*content) ? catalog->Take(stored)
                                             : absl::DataLossError("not a catalogue");
  }
  // What is not admitted any more is left out; what is not valid cannot have been stored.
  if (!taken.ok() && !absl::IsFailedPrecondition(taken)) {
    return absl::DataLossError(absl::StrCat(options.path, " is damaged or of another collector (",
                                            taken.message(),
                                            "); remove it to fetch the catalogue again"));
  }
  return catalog;
}

absl::Status Catalog::LoadSeenKeys() {
  const absl::StatusOr<std::string> content = ReadRecord(kKeysKind, SeenKeysPath());
  if (absl::IsNotFound(content.status())) return absl::OkStatus();
  TOMBOLA_RETURN_IF_ERROR(content.status());
  MutexLock lock(mutex_);
  for (absl::string_view rest = *content; !rest.empty();) {
    const auto key = IdFromBytes<std::array<uint8_t, 32>>(rest.substr(0, 32));
    if (!key.has_value()) return absl::DataLossError(absl::StrCat(SeenKeysPath(), " is damaged"));
    seen_keys_[crypto::HpkeKeyId(*key)] = *key;
    rest.remove_prefix(32);
  }
  return absl::OkStatus();
}

absl::Status Catalog::Remember(const KeyList& keys) {
  std::string content;
  {
    MutexLock lock(mutex_);
    const size_t before = seen_keys_.size();
    for (const HpkeKey& key : keys.keys()) {
      const auto [it, fresh] = seen_keys_.try_emplace(key.id, key.public_key);
      if (!fresh && it->second != key.public_key) {
        return absl::InvalidArgumentError(
            absl::StrCat("key id ", ToHex(key.id), " belonged to another key before"));
      }
    }
    if (seen_keys_.size() == before) return absl::OkStatus();
    for (const auto& [id, key] : seen_keys_) absl::StrAppend(&content, AsView(key));
  }
  return ReplaceFile(SeenKeysPath(), WrapRecord(kKeysKind, content));
}

KeyListVersion Catalog::KeysAtHand() const {
  MutexLock lock(mutex_);
  return keys_.has_value() ? keys_->version() : KeyListVersion{};
}

absl::Status Catalog::Take(const v1::Catalog& wire) {
  absl::flat_hash_map<TaskId, CatalogEntry> tasks;
  absl::flat_hash_map<TaskId, absl::Status> refused;
  absl::Status first_problem;
  for (const v1::CatalogTask& entry : wire.tasks()) {
    auto task = Task::Parse(entry.task());
    absl::Status problem = task.status();
    const TaskId id = task.ok() ? (*task)->id() : crypto::Sha256(entry.task());
    if (problem.ok() && (*task)->shuffler_key() != options_.shuffler_key) {
      refused.emplace(id, absl::InvalidArgumentError("task.shuffler_key is another shuffler's"));
      continue;
    }
    if (problem.ok() && (*task)->collector_key() != options_.collector_key) {
      problem = absl::InvalidArgumentError("task.collector_key must be this shuffler's collector");
    }
    if (problem.ok() && options_.admit) problem = options_.admit(*task);
    if (!problem.ok()) {
      if (first_problem.ok()) first_problem = problem;
      refused.emplace(id, problem);
      continue;
    }
    tasks.emplace((*task)->id(), CatalogEntry{*task, entry.closed()});
  }
  absl::StatusOr<KeyList> keys =
      KeyList::Verify(wire.keys().key_list(), wire.keys().signature(), options_.collector_key);
  if (keys.ok()) {
    absl::Status next = CheckSuccessor(KeysAtHand(), keys->version());
    if (next.ok()) next = Remember(*keys);
    if (!next.ok()) keys = next;
  }
  MutexLock lock(mutex_);
  tasks_ = std::move(tasks);
  refused_ = std::move(refused);
  restores_.assign(wire.restores().begin(), wire.restores().end());
  version_ = wire.version();
  TOMBOLA_RETURN_IF_ERROR(keys.status());
  keys_ = *std::move(keys);
  keys_by_id_.clear();
  for (const HpkeKey& key : keys_->keys()) keys_by_id_.emplace(key.id, key);
  signed_keys_ = wire.keys();
  return first_problem;
}

absl::Status Catalog::Update(const v1::Catalog& wire) {
  const absl::Status taken = Take(wire);
  // What was refused must not be found again by the next start.
  v1::Catalog accepted;
  {
    MutexLock lock(mutex_);
    if (!keys_.has_value()) return taken;
    accepted.set_version(version_);
    for (const auto& [id, entry] : tasks_) {
      v1::CatalogTask* task = accepted.add_tasks();
      task->set_task(entry.task->bytes());
      task->set_closed(entry.closed);
    }
    *accepted.mutable_keys() = signed_keys_;
    for (const v1::CollectorRestore& restore : restores_) *accepted.add_restores() = restore;
  }
  TOMBOLA_RETURN_IF_ERROR(
      ReplaceFile(options_.path, WrapRecord(kCatalogKind, accepted.SerializeAsString())));
  return taken;
}

uint64_t Catalog::version() const {
  MutexLock lock(mutex_);
  return version_;
}

std::optional<CatalogEntry> Catalog::Find(const TaskId& id) const {
  MutexLock lock(mutex_);
  const auto it = tasks_.find(id);
  if (it == tasks_.end()) return std::nullopt;
  return it->second;
}

absl::Status Catalog::WhyNot(const TaskId& id) const {
  MutexLock lock(mutex_);
  const auto it = refused_.find(id);
  return it == refused_.end() ? absl::OkStatus() : it->second;
}

std::vector<CatalogEntry> Catalog::Tasks() const {
  MutexLock lock(mutex_);
  std::vector<CatalogEntry> tasks;
  tasks.reserve(tasks_.size());
  for (const auto& [id, entry] : tasks_) tasks.push_back(entry);
  return tasks;
}

absl::StatusOr<v1::SignedKeyList> Catalog::SignedKeys() const {
  MutexLock lock(mutex_);
  if (!keys_.has_value()) {
    return absl::UnavailableError("the key list has not been fetched from the collector yet");
  }
  return signed_keys_;
}

std::optional<KeyList> Catalog::Keys() const {
  MutexLock lock(mutex_);
  return keys_;
}

std::optional<HpkeKey> Catalog::FindKey(const KeyId& id) const {
  MutexLock lock(mutex_);
  const HpkeKey* const listed = Listed(id);
  return listed == nullptr ? std::nullopt : std::optional(*listed);
}

std::vector<v1::CollectorRestore> Catalog::Restores() const {
  MutexLock lock(mutex_);
  return restores_;
}

const HpkeKey* Catalog::Listed(const KeyId& id) const {
  const auto it = keys_by_id_.find(id);
  return it == keys_by_id_.end() ? nullptr : &it->second;
}

KeyStanding Catalog::Standing(const KeyId& id, const HpkeKey* listed, absl::Time now) const {
  if (!keys_.has_value()) return KeyStanding::kUnknown;
  if (listed != nullptr) return now < listed->closes ? KeyStanding::kOpen : KeyStanding::kClosed;
  return seen_keys_.contains(id) ? KeyStanding::kDestroyed : KeyStanding::kUnknown;
}

KeyStanding Catalog::StandingOf(const KeyId& id, absl::Time now) const {
  MutexLock lock(mutex_);
  return Standing(id, Listed(id), now);
}

KeyStanding Catalog::StandingFor(const Task& task, uint64_t part, const KeyId& id,
                                 absl::Time now) const {
  MutexLock lock(mutex_);
  const HpkeKey* const listed = Listed(id);
  if (listed != nullptr && !listed->IsFor(task, part)) return KeyStanding::kMisused;
  return Standing(id, listed, now);
}

}  // namespace tombola::shuffler
