#include "common/totals/lasting_totals.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "common/base/encoding.h"
#include "common/base/status_macros.h"
#include "common/crypto/key_file.h"
#include "common/disk/directory.h"
#include "common/disk/whole_file.h"

namespace tombola::stream {
namespace {

constexpr absl::string_view kEndedAfter = "periods ";

std::string SeedOf(const std::string& directory) { return directory + "/stream"; }
std::string LogOf(const std::string& directory) { return directory + "/increments"; }
std::string EndedOf(const std::string& directory) { return directory + "/ended"; }

// Of how noise is drawn within a block. What is computed may differ in its last bits where
// libraries do, without harm.
uint64_t FingerprintOf(const Design& design) {
  std::string text = absl::StrFormat(
      "%s %d %d %d %d %.9g %.9g", NameOf(design.method), design.periods, design.k_ary.k,
      design.k_ary.h, design.grid_bits, design.rate, static_cast<double>(design.noise_variance));
  for (const uint64_t units : design.level_rates) {
    absl::StrAppendFormat(&text, " %.9g", static_cast<double>(units));
  }
  for (size_t i = 0; i < design.blt.theta.size(); ++i) {
    absl::StrAppendFormat(&text, " %a %a", design.blt.theta[i], design.blt.omega[i]);
  }
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return hash;
}

absl::StatusOr<bool> IsThere(const std::string& path) {
  const auto content = ReadSmallFile(path, 4096);
  if (absl::IsNotFound(content.status())) return false;
  TOMBOLA_RETURN_IF_ERROR(content.status());
  return true;
}

absl::Status EraseAll(const std::string& directory) {
  TOMBOLA_RETURN_IF_ERROR(crypto::DestroySecretFile(SeedOf(directory)));
  TOMBOLA_RETURN_IF_ERROR(RemoveFile(LogOf(directory)));
  return SyncDirectory(directory);
}

}  // namespace

absl::StatusOr<LastingTotals::Found> LastingTotals::LookIn(const std::string& directory) {
  TOMBOLA_ASSIGN_OR_RETURN(const bool ended, IsThere(EndedOf(directory)));
  if (ended) return Found::kEnded;
  TOMBOLA_ASSIGN_OR_RETURN(const bool begun, IsThere(SeedOf(directory)));
  return begun ? Found::kStream : Found::kNothing;
}

absl::StatusOr<std::unique_ptr<LastingTotals>> LastingTotals::Begin(const std::string& directory,
                                                                    const crypto::SealingKey& key,
                                                                    const TotalsOptions& options,
                                                                    RandomSource& random) {
  SealedSeed drawn = SealedSeed::Draw(options, random);
  {  // What is refused leaves no directory behind.
    KeyedRandom unused(random);
    TOMBOLA_RETURN_IF_ERROR(RunningTotals::Create(options, &unused).status());
  }
  TOMBOLA_RETURN_IF_ERROR(MakeDirectory(directory));
  TOMBOLA_RETURN_IF_ERROR(crypto::CheckSecretDirectory(directory));
  TOMBOLA_ASSIGN_OR_RETURN(DiskLock lock, DiskLock::OfDirectory(directory));
  TOMBOLA_ASSIGN_OR_RETURN(const Found found, LookIn(directory));
  if (found != Found::kNothing) {
    return absl::AlreadyExistsError(absl::StrCat(directory, " has had a stream already"));
  }
  std::unique_ptr<LastingTotals> made(
      new LastingTotals(directory, std::move(lock), std::move(drawn), random));
  TOMBOLA_RETURN_IF_ERROR(IncrementLog::Make(LogOf(directory)));
  TOMBOLA_RETURN_IF_ERROR(made->kept_.Write(SeedOf(directory), key, random));
  TOMBOLA_RETURN_IF_ERROR(SyncDirectory(directory));
  TOMBOLA_RETURN_IF_ERROR(made->Start());
  TOMBOLA_ASSIGN_OR_RETURN(IncrementLog log,
                           IncrementLog::Open(LogOf(directory), made->kept_.increments,
                                              [](const auto&) { return absl::OkStatus(); }));
  made->log_ = std::make_unique<IncrementLog>(std::move(log));
  return made;
}

absl::StatusOr<std::unique_ptr<LastingTotals>> LastingTotals::GoOn(const std::string& directory,
                                                                   const crypto::SealingKey& key,
                                                                   RandomSource& random,
                                                                   Tell tell) {
  TOMBOLA_RETURN_IF_ERROR(crypto::CheckSecretDirectory(directory));
  TOMBOLA_ASSIGN_OR_RETURN(DiskLock lock, DiskLock::OfDirectory(directory));
  TOMBOLA_ASSIGN_OR_RETURN(const Found found, LookIn(directory));
  if (found != Found::kStream) {
    return absl::NotFoundError(absl::StrCat(directory, " has no stream that goes on"));
  }
  TOMBOLA_ASSIGN_OR_RETURN(SealedSeed kept, SealedSeed::Read(SeedOf(directory), key));
  std::unique_ptr<LastingTotals> made(
      new LastingTotals(directory, std::move(lock), std::move(kept), random));
  TOMBOLA_RETURN_IF_ERROR(made->Start());
  auto log =
      IncrementLog::Open(LogOf(directory), made->kept_.increments,
                         [&](const IncrementGroup& group) { return made->Replay(group, tell); });
  if (absl::IsNotFound(log.status())) {
    return absl::DataLossError(absl::StrCat(LogOf(directory), " is missing"));
  }
  TOMBOLA_RETURN_IF_ERROR(log.status());
  made->log_ = std::make_unique<IncrementLog>(*std::move(log));
  return made;
}

absl::StatusOr<TotalsOptions> LastingTotals::OptionsOf(const std::string& directory,
                                                       const crypto::SealingKey& key) {
  TOMBOLA_ASSIGN_OR_RETURN(const SealedSeed kept, SealedSeed::Read(SeedOf(directory), key));
  return kept.options;
}

absl::Status LastingTotals::Start() {
  TOMBOLA_ASSIGN_OR_RETURN(totals_, RunningTotals::Create(kept_.options, &seed_));
  return absl::OkStatus();
}

absl::Status LastingTotals::Replay(const IncrementGroup& group, Tell tell) {
  const absl::Status other = absl::FailedPreconditionError(absl::StrCat(
      directory_, ": noise drawn again is not the noise there was after period ", group.before,
      ": go on with the version of the program, and of its libraries, that there was"));
  const int64_t before = totals_->periods();
  if (group.before != before) return other;
  // None is told before all are known to be right: another total would be a second release.
  std::vector<NoisyTotal> totals;
  for (const int64_t increment : group.increments) {
    const auto next = totals_->Next(increment);
    if (!next.ok()) return other;
    totals.push_back(*next);
  }
  if (totals.empty() || totals.back().total != group.total ||
      FingerprintOf(totals_->design()) != group.fingerprint) {
    return other;
  }
  for (const int64_t increment : group.increments) exact_ += increment;
  for (size_t i = 0; i < totals.size(); ++i) tell(before + 1 + static_cast<int64_t>(i), totals[i]);
  return absl::OkStatus();
}

absl::Status LastingTotals::Take(absl::Span<const int64_t> increments,
                                 std::vector<NoisyTotal>& totals) {
  while (!increments.empty()) {
    const auto some = increments.first(std::min(increments.size(), IncrementLog::kMostTogether));
    TOMBOLA_RETURN_IF_ERROR(TakeGroup(some, totals));
    increments.remove_prefix(some.size());
  }
  return absl::OkStatus();
}

absl::Status LastingTotals::TakeGroup(absl::Span<const int64_t> increments,
                                      std::vector<NoisyTotal>& totals) {
  if (broken_) return absl::UnavailableError("what was taken last is not surely on disk");
  const size_t had = totals.size();
  IncrementGroup group = {.before = totals_->periods()};
  absl::Status refused;
  for (const int64_t increment : increments) {
    const auto next = totals_->Next(increment);
    refused = next.status();
    if (!next.ok()) break;
    totals.push_back(*next);
    group.increments.push_back(increment);
    group.total = next->total;
  }
  if (group.increments.empty()) return refused;
  group.fingerprint = FingerprintOf(totals_->design());
  const absl::Status written = log_->Append(group, kept_.increments, random_);
  if (!written.ok()) {
    broken_ = true;
    totals.resize(had);
    return written;
  }
  for (const int64_t increment : group.increments) exact_ += increment;
  return refused;
}

absl::Status LastingTotals::End() {
  broken_ = true;
  TOMBOLA_RETURN_IF_ERROR(
      ReplaceFile(EndedOf(directory_), absl::StrCat(kEndedAfter, totals_->periods(), "\n"), 0600));
  return EraseAll(directory_);
}

absl::Status LastingTotals::FinishErasing(const std::string& directory) {
  TOMBOLA_ASSIGN_OR_RETURN(const DiskLock lock, DiskLock::OfDirectory(directory));
  return EraseAll(directory);
}

absl::StatusOr<int64_t> LastingTotals::EndedAfter(const std::string& directory) {
  const absl::StatusOr<std::string> text = ReadSmallFile(EndedOf(directory), 4096);
  TOMBOLA_RETURN_IF_ERROR(text.status());
  absl::string_view number = *text;
  int64_t periods = 0;
  if (!absl::ConsumePrefix(&number, kEndedAfter) || !absl::ConsumeSuffix(&number, "\n") ||
      !absl::SimpleAtoi(number, &periods)) {
    return absl::DataLossError(absl::StrCat(EndedOf(directory), " is damaged"));
  }
  return periods;
}

}  // namespace tombola::stream
