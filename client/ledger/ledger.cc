#include "client/ledger/ledger.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/crypto/key_file.h"
#include "common/crypto/secret_bytes.h"
#include "common/crypto/sha256.h"
#include "common/disk/directory.h"
#include "common/disk/whole_file.h"
#include "ledger/ledger.pb.h"

namespace tombola::client {
namespace {

// Far more than any task allows, and far from where the number on disk would begin anew.
constexpr uint32_t kMostSubmissions = 1 << 20;
constexpr uint32_t kVersion = 7;
// As many as a task may ask for, and far more bytes than any has.
constexpr int kMostMemos = 1000;
constexpr size_t kMostMemoBytes = 64;

std::optional<Pending> PendingFromDisk(const disk::PendingSubmission& disk) {
  const auto id = IdFromBytes<SubmissionId>(disk.submission_id());
  const auto token = IdFromBytes<TokenDigest>(disk.token_digest());
  if (!id.has_value() || disk.groups().empty()) return std::nullopt;
  if (!token.has_value() && !disk.token_digest().empty()) return std::nullopt;
  Pending pending{
      .id = *id, .window = disk.window(), .part = disk.part(), .groups = {}, .token = token};
  for (const disk::SealedGroup& group : disk.groups()) {
    const auto key = IdFromBytes<KeyId>(group.key_id());
    if (!key.has_value()) return std::nullopt;
    pending.groups.push_back({.key = *key,
                              .part = group.part(),
                              .reports = group.reports(),
                              .sealed_reports = group.sealed_reports()});
  }
  return pending;
}

std::optional<Memos> MemosFromDisk(const disk::Ledger& disk) {
  Memos memos;
  for (const disk::Memo& memo : disk.memos()) {
    if (memo.memo().empty() || memo.memo().size() > kMostMemoBytes) return std::nullopt;
    if (memos.Find(memo.cell()).has_value()) return std::nullopt;
    memos.drawn.push_back({.cell = memo.cell(), .memo = memo.memo()});
  }
  memos.last = disk.last_memo();
  if (memos.last != 0 && memos.last >= memos.drawn.size()) return std::nullopt;
  return memos;
}

using TokensOnDisk = google::protobuf::RepeatedPtrField<std::string>;

std::optional<std::vector<TokenDigest>> TokensFromDisk(const TokensOnDisk& disk) {
  std::vector<TokenDigest> tokens;
  for (const std::string& bytes : disk) {
    const auto token = IdFromBytes<TokenDigest>(bytes);
    if (!token.has_value()) return std::nullopt;
    tokens.push_back(*token);
  }
  return tokens;
}

void TokensToDisk(const std::vector<TokenDigest>& tokens, TokensOnDisk* disk) {
  for (const TokenDigest& token : tokens) *disk->Add() = std::string(AsView(token));
}

// A message cut at the end of a field is a message too: only the digest tells a whole file.
bool ParseWhole(absl::string_view file, disk::Ledger* disk) {
  if (file.size() < crypto::kSha256Bytes) return false;
  const absl::string_view message = file.substr(0, file.size() - crypto::kSha256Bytes);
  if (file.substr(message.size()) != AsView(crypto::Sha256(message))) return false;
  return disk->ParseFromArray(message.data(), static_cast<int>(message.size()));
}

}  // namespace

std::optional<size_t> Memos::Find(uint64_t cell) const {
  for (size_t place = 0; place < drawn.size(); ++place) {
    if (drawn[place].cell == cell) return place;
  }
  return std::nullopt;
}

absl::StatusOr<std::unique_ptr<Ledger>> Ledger::Open(const std::string& directory,
                                                     const TaskId& task) {
  if (directory.empty()) return std::unique_ptr<Ledger>(new Ledger("", std::nullopt, task));
  TOMBOLA_RETURN_IF_ERROR(MakeDirectories(directory));
  const std::string path = absl::StrCat(directory, "/", ToHex(task), ".ledger");
  TOMBOLA_ASSIGN_OR_RETURN(DiskLock lock, DiskLock::OfFile(path));
  std::unique_ptr<Ledger> ledger(new Ledger(path, std::move(lock), task));
  TOMBOLA_RETURN_IF_ERROR(ledger->Load());
  return ledger;
}

absl::Status Ledger::Load() {
  absl::StatusOr<std::string> content = ReadSmallFile(path_);
  if (absl::IsNotFound(content.status())) return absl::OkStatus();
  TOMBOLA_RETURN_IF_ERROR(content.status());
  disk::Ledger disk;
  const bool whole = ParseWhole(*content, &disk);
  if (whole && disk.version() != kVersion) {
    return absl::FailedPreconditionError(absl::StrCat(path_, " has format version ", disk.version(),
                                                      ", and this program reads ", kVersion,
                                                      "; the device's budget is unknown"));
  }
  if (!whole || disk.task_id() != AsView(task_) || disk.submissions() > kMostSubmissions) {
    return absl::DataLossError(absl::StrCat(path_, " is damaged; the device's budget is unknown"));
  }
  auto delivered = TokensFromDisk(disk.delivered_tokens());
  auto refused = TokensFromDisk(disk.refused_tokens());
  if (!delivered.has_value() || !refused.has_value() ||
      delivered->size() + refused->size() > disk.submissions()) {
    return absl::DataLossError(absl::StrCat(path_, " is damaged in its tokens"));
  }
  state_.delivered = *std::move(delivered);
  state_.refused = *std::move(refused);
  state_.submissions = disk.submissions();
  state_.periods.insert(disk.periods().begin(), disk.periods().end());
  if (state_.periods.size() > disk.submissions()) {
    return absl::DataLossError(absl::StrCat(path_, " is damaged in its periods"));
  }
  auto memos = disk.memos_size() <= kMostMemos ? MemosFromDisk(disk) : std::nullopt;
  if (!memos.has_value() || memos->drawn.size() > disk.submissions()) {
    return absl::DataLossError(absl::StrCat(path_, " is damaged in its memos"));
  }
  state_.memos = *std::move(memos);
  if (disk.has_key_list()) {
    const auto keys = IdFromBytes<crypto::Sha256Digest>(disk.key_list().keys());
    if (!keys.has_value()) {
      return absl::DataLossError(absl::StrCat(path_, " is damaged in its key list"));
    }
    state_.key_list = {.serial = disk.key_list().serial(), .keys = *keys};
  }
  if (disk.has_pending()) {
    state_.pending = PendingFromDisk(disk.pending());
    if (!state_.pending.has_value() ||
        (state_.pending->part != 0 && !BegunIn(state_.pending->part))) {
      return absl::DataLossError(absl::StrCat(path_, " is damaged in its pending submission"));
    }
  }
  return absl::OkStatus();
}

absl::Status Ledger::Save(const State& state) const {
  if (path_.empty()) return absl::OkStatus();
  disk::Ledger disk;
  disk.set_version(kVersion);
  disk.set_task_id(std::string(AsView(task_)));
  disk.set_submissions(static_cast<uint32_t>(state.submissions));
  disk.mutable_periods()->Add(state.periods.begin(), state.periods.end());
  if (state.key_list.serial != 0) {
    disk.mutable_key_list()->set_serial(state.key_list.serial);
    disk.mutable_key_list()->set_keys(std::string(AsView(state.key_list.keys)));
  }
  if (state.pending.has_value()) {
    disk::PendingSubmission* pending = disk.mutable_pending();
    pending->set_submission_id(std::string(AsView(state.pending->id)));
    pending->set_window(state.pending->window);
    pending->set_part(state.pending->part);
    for (const SealedGroup& group : state.pending->groups) {
      disk::SealedGroup* wire = pending->add_groups();
      wire->set_key_id(std::string(AsView(group.key)));
      wire->set_part(group.part);
      wire->set_reports(static_cast<uint32_t>(group.reports));
      wire->set_sealed_reports(group.sealed_reports);
    }
    if (state.pending->token.has_value()) {
      pending->set_token_digest(std::string(AsView(*state.pending->token)));
    }
  }
  for (const Memo& memo : state.memos.drawn) {
    disk::Memo* const wire = disk.add_memos();
    wire->set_cell(memo.cell);
    wire->set_memo(memo.memo);
  }
  disk.set_last_memo(static_cast<uint32_t>(state.memos.last));
  TokensToDisk(state.delivered, disk.mutable_delivered_tokens());
  TokensToDisk(state.refused, disk.mutable_refused_tokens());
  const std::string message = disk.SerializeAsString();
  return crypto::WriteSecretFile(
      path_, crypto::SecretBytes(absl::StrCat(message, AsView(crypto::Sha256(message)))),
      crypto::ExistingFile::kReplace);
}

absl::Status Ledger::Change(const State& next) {
  TOMBOLA_RETURN_IF_ERROR(Save(next));
  state_ = next;
  return absl::OkStatus();
}

absl::Status Ledger::NoteKeyList(const KeyListVersion& list) {
  if (list.serial <= state_.key_list.serial) return absl::OkStatus();
  State next = state_;
  next.key_list = list;
  return Change(next);
}

absl::Status Ledger::Begin(Pending pending, std::optional<Memos> memos) {
  TOMBOLA_CHECK(!state_.pending.has_value());
  State next = state_;
  if (pending.part != 0) next.periods.insert(pending.part);
  if (memos.has_value()) next.memos = *std::move(memos);
  next.pending = std::move(pending);
  ++next.submissions;
  return Change(next);
}

absl::Status Ledger::End(Ending ending) {
  State next = state_;
  if (next.pending.has_value() && next.pending->token.has_value()) {
    (ending == Ending::kDelivered ? next.delivered : next.refused).push_back(*next.pending->token);
  }
  next.pending.reset();
  return Change(next);
}

std::optional<Ending> Ledger::EndingOf(const TokenDigest& token) const {
  const auto has = [&token](const std::vector<TokenDigest>& tokens) {
    return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
  };
  if (has(state_.delivered)) return Ending::kDelivered;
  if (has(state_.refused)) return Ending::kRefused;
  return std::nullopt;
}

}  // namespace tombola::client
