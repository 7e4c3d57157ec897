#include "common/totals/sealed_seed.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/encoding.h"
#include "common/base/status_macros.h"
#include "common/disk/whole_file.h"

namespace tombola::stream {
namespace {

constexpr absl::string_view kBeginning = "tombola stream 1";
constexpr size_t kKeyBytes = 32;
constexpr uint8_t kBestMethod = 255;
constexpr size_t kMostBytes = 4096;

std::string Encode(const TotalsOptions& options) {
  const Question& question = options.question;
  std::string out;
  PutNumber(std::bit_cast<uint64_t>(question.epsilon), out);
  PutNumber(std::bit_cast<uint64_t>(question.delta), out);
  for (const int64_t number :
       {question.periods, question.sensitivity, question.intervals, options.largest}) {
    PutNumber(number, out);
  }
  PutNumber(static_cast<uint8_t>(question.adaptive), out);
  PutNumber(static_cast<uint8_t>(options.unbounded), out);
  PutNumber(question.method.has_value() ? static_cast<uint8_t>(*question.method) : kBestMethod,
            out);
  return out;
}

// What was written by this program: the seal vouches for it.
TotalsOptions DecodeOptions(Decoder& in) {
  TotalsOptions options;
  Question& question = options.question;
  question.epsilon = std::bit_cast<double>(in.Number<uint64_t>());
  question.delta = std::bit_cast<double>(in.Number<uint64_t>());
  for (int64_t* number :
       {&question.periods, &question.sensitivity, &question.intervals, &options.largest}) {
    *number = in.Number<int64_t>();
  }
  question.adaptive = in.Number<uint8_t>() != 0;
  options.unbounded = in.Number<uint8_t>() != 0;
  const auto method = in.Number<uint8_t>();
  if (method < std::size(kMethods)) question.method = static_cast<Method>(method);
  return options;
}

}  // namespace

SealedSeed SealedSeed::Draw(const TotalsOptions& options, RandomSource& random) {
  crypto::SecretBytes seed = crypto::SecretBytes::OfSize(kKeyBytes);
  random.Fill(seed.ExposeSecretForWriting());
  return {std::move(seed), crypto::SealingKey::Draw(random), options};
}

absl::Status SealedSeed::Write(const std::string& path, const crypto::SealingKey& key,
                               RandomSource& random) const {
  const std::string asked = Encode(options);
  crypto::SecretBytes whole = crypto::SecretBytes::OfSize(2 * kKeyBytes + asked.size());
  auto at = whole.ExposeSecretForWriting().begin();
  at = std::copy(seed.ExposeSecret().begin(), seed.ExposeSecret().end(), at);
  const absl::Span<const uint8_t> of_increments = increments.bytes().ExposeSecret();
  at = std::copy(of_increments.begin(), of_increments.end(), at);
  std::copy(asked.begin(), asked.end(), at);
  const std::string content =
      absl::StrCat(kBeginning, key.Seal(whole.ExposeSecret(), kBeginning, random));
  return WritePrivateFile(path, AsBytes(content), ExistingFile::kRefuse);
}

absl::StatusOr<SealedSeed> SealedSeed::Read(const std::string& path,
                                            const crypto::SealingKey& key) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::string content, ReadSmallFile(path, kMostBytes));
  if (!absl::StartsWith(content, kBeginning)) {
    return absl::DataLossError(absl::StrCat(path, " is not the seed of a stream"));
  }
  const auto opened = key.Open(absl::string_view(content).substr(kBeginning.size()), kBeginning);
  if (!opened.ok()) {
    return absl::DataLossError(absl::StrCat(
        path, " does not open with this key: it is another's, or the file is damaged"));
  }
  Decoder in(opened->ExposeSecret());
  crypto::SecretBytes seed(in.Take(kKeyBytes));
  auto increments = crypto::SealingKey::FromBytes(crypto::SecretBytes(in.Take(kKeyBytes)));
  const TotalsOptions options = DecodeOptions(in);
  if (!in.ok() || in.left() != 0 || !increments.ok()) {
    return absl::DataLossError(absl::StrCat(path, " is not the seed of such a stream"));
  }
  return SealedSeed{std::move(seed), *std::move(increments), options};
}

}  // namespace tombola::stream
