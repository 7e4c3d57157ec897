// tombola stream
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/command/command.h"
#include "cli/stream/describe.h"
#include "cli/stream/increments.h"
#include "cli/stream/question.h"
#include "cli/stream/total_lines.h"
#include "common/base/status_macros.h"
#include "common/crypto/key_file.h"
#include "common/crypto/sealing_key.h"
#include "common/disk/file.h"
#include "common/disk/whole_file.h"
#include "common/random/keyed_random.h"
#include "common/random/secure_random.h"
#include "common/totals/lasting_totals.h"

namespace tombola::cli {
namespace {

using stream::LastingTotals;
using stream::NoisyTotal;
using stream::RunningTotals;
using stream::TotalsOptions;

constexpr size_t kPrintedTogether = size_t{1} << 20;

struct StreamOptions {
  StreamFlags flags;
  std::string state, key_file;
  std::optional<int64_t> since;
  double confidence = 0.95;
  bool finish = false;
  bool describe = false;
  bool json = false;
};

// Totals that are kept on disk, or are not.
class OpenStream {
 public:
  explicit OpenStream(std::unique_ptr<LastingTotals> lasting)
      : asked_(lasting->options()), lasting_(std::move(lasting)) {}
  OpenStream(const TotalsOptions& asked, std::unique_ptr<KeyedRandom> seed,
             std::unique_ptr<RunningTotals> passing)
      : asked_(asked), seed_(std::move(seed)), passing_(std::move(passing)) {}

  const TotalsOptions& asked() const { return asked_; }
  const RunningTotals& totals() const { return lasting_ ? lasting_->totals() : *passing_; }

  // Those in `totals` count, whatever is returned.
  absl::Status Take(const std::vector<int64_t>& increments, std::vector<NoisyTotal>& totals) {
    if (lasting_) return lasting_->Take(increments, totals);
    for (const int64_t increment : increments) {
      TOMBOLA_ASSIGN_OR_RETURN(const NoisyTotal total, passing_->Next(increment));
      totals.push_back(total);
    }
    return absl::OkStatus();
  }

  absl::Status End() { return lasting_ ? lasting_->End() : absl::OkStatus(); }

 private:
  TotalsOptions asked_;
  std::unique_ptr<KeyedRandom> seed_;
  std::unique_ptr<RunningTotals> passing_;
  std::unique_ptr<LastingTotals> lasting_;
};

absl::Status PrintAll(std::string& lines) {
  std::cout.write(lines.data(), static_cast<std::streamsize>(lines.size())).flush();
  lines.clear();
  return std::cout ? absl::OkStatus() : absl::DataLossError("cannot write to standard output");
}

// What was printed can be read again after a power cut, if it went to a file.
absl::Status SyncOutput() {
  if (::fdatasync(STDOUT_FILENO) == 0 || errno == EINVAL || errno == EROFS) {
    return absl::OkStatus();
  }
  return DiskError("sync", "standard output");
}

TotalLines LinesOf(const StreamOptions& options, const TotalsOptions& asked,
                   const RunningTotals& totals) {
  const bool gaussian = !asked.unbounded && stream::IsGaussian(totals.design().method);
  return TotalLines(options.json, DeviationsOf(options.confidence,
                                               gaussian ? NoiseKind::kGaussian : NoiseKind::kAny));
}

// Makes a key for a stream that has yet to begin.
absl::StatusOr<crypto::SealingKey> ReadOrMakeKey(const StreamOptions& options, bool may_make,
                                                 RandomSource& random) {
  if (options.key_file.empty()) {
    return absl::InvalidArgumentError("--state needs --key-file");
  }
  std::error_code ignored;
  const auto folder_of = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(path, ignored).parent_path();
  };
  if (folder_of(options.key_file) == folder_of(options.state + "/stream")) {
    return absl::InvalidArgumentError(
        "--key-file must lie elsewhere than in --state, which it seals");
  }
  auto bytes = crypto::ReadSecretFile(options.key_file);
  if (absl::IsNotFound(bytes.status()) && may_make) {
    crypto::SealingKey drawn = crypto::SealingKey::Draw(random);
    TOMBOLA_RETURN_IF_ERROR(
        crypto::WriteSecretFile(options.key_file, drawn.bytes(), ExistingFile::kRefuse));
    return drawn;
  }
  TOMBOLA_RETURN_IF_ERROR(bytes.status());
  auto key = crypto::SealingKey::FromBytes(*std::move(bytes));
  if (key.ok()) return key;
  return absl::InvalidArgumentError(absl::StrCat("--key-file: ", key.status().message()));
}

// Prints what there was from --since on.
absl::StatusOr<OpenStream> GoOn(const StreamOptions& options, const crypto::SealingKey& key,
                                RandomSource& random) {
  TOMBOLA_ASSIGN_OR_RETURN(const TotalsOptions asked, LastingTotals::OptionsOf(options.state, key));
  TOMBOLA_RETURN_IF_ERROR(CheckAgrees(options.flags, asked));
  std::optional<TotalLines> lines;
  {  // Of which method the design is has to be known before the first total is printed.
    KeyedRandom unused(random);
    TOMBOLA_ASSIGN_OR_RETURN(const auto likewise, RunningTotals::Create(asked, &unused));
    lines = LinesOf(options, asked, *likewise);
  }
  std::string out;
  absl::Status printed;
  TOMBOLA_ASSIGN_OR_RETURN(
      std::unique_ptr<LastingTotals> lasting,
      LastingTotals::GoOn(options.state, key, random, [&](int64_t period, const NoisyTotal& total) {
        if (!options.since.has_value() || period < *options.since) return;
        lines->Append(period, total, out);
        if (printed.ok() && out.size() > kPrintedTogether) {
          printed = PrintAll(out);
        }
      }));
  TOMBOLA_RETURN_IF_ERROR(printed);
  TOMBOLA_RETURN_IF_ERROR(PrintAll(out));
  const int64_t next = lasting->totals().periods() + 1;
  if (options.since.value_or(1) < 1 || options.since.value_or(1) > next) {
    return absl::InvalidArgumentError(
        absl::StrCat("--since must be in [1, ", next, "], the next period, is ", *options.since));
  }
  return OpenStream(std::move(lasting));
}

absl::StatusOr<OpenStream> OpenLasting(const StreamOptions& options, LastingTotals::Found found,
                                       RandomSource& random) {
  const bool begins = found == LastingTotals::Found::kNothing;
  std::optional<TotalsOptions> asked;
  if (begins) {
    TOMBOLA_ASSIGN_OR_RETURN(asked, NewStream(options.flags));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const crypto::SealingKey key, ReadOrMakeKey(options, begins, random));
  if (!begins) return GoOn(options, key, random);
  TOMBOLA_ASSIGN_OR_RETURN(std::unique_ptr<LastingTotals> lasting,
                           LastingTotals::Begin(options.state, key, *asked, random));
  return OpenStream(std::move(lasting));
}

absl::StatusOr<OpenStream> OpenPassing(const StreamOptions& options, RandomSource& random) {
  TOMBOLA_ASSIGN_OR_RETURN(const TotalsOptions asked, NewStream(options.flags));
  auto seed = std::make_unique<KeyedRandom>(random);
  TOMBOLA_ASSIGN_OR_RETURN(auto passing, RunningTotals::Create(asked, seed.get()));
  return OpenStream(asked, std::move(seed), std::move(passing));
}

// Of a stream that has come to its end: only that nothing more is wanted is no error.
absl::Status AfterTheEnd(const StreamOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(LastingTotals::FinishErasing(options.state));
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t periods, LastingTotals::EndedAfter(options.state));
  if (options.since.value_or(periods + 1) <= periods) {
    return absl::InvalidArgumentError(absl::StrCat("--since: the stream has ended after ", periods,
                                                   " periods, and its totals are not kept"));
  }
  std::cerr << "tombola: the stream has ended after " << periods << " periods\n";
  IncrementReader reader(STDIN_FILENO, stream::kLargestIncrement);
  std::vector<int64_t> none;
  return reader.Next(periods + 1, 0, none);
}

absl::Status Pass(const StreamOptions& options, OpenStream& open) {
  const RunningTotals& now = open.totals();
  IncrementReader reader(STDIN_FILENO, open.asked().largest);
  const TotalLines lines = LinesOf(options, open.asked(), now);
  std::vector<int64_t> increments;
  std::vector<NoisyTotal> totals;
  std::string out;
  bool ended = false;
  const auto end = [&] {
    ended = true;
    TOMBOLA_RETURN_IF_ERROR(SyncOutput());
    return open.End();
  };
  // A crash came between the last total and the end.
  if (now.finished()) TOMBOLA_RETURN_IF_ERROR(end());
  do {
    increments.clear();
    totals.clear();
    const int64_t before = now.periods();
    const absl::Status read = reader.Next(before + 1, now.left(), increments);
    const absl::Status taken = open.Take(increments, totals);
    for (size_t i = 0; i < totals.size(); ++i) {
      lines.Append(before + 1 + static_cast<int64_t>(i), totals[i], out);
    }
    TOMBOLA_RETURN_IF_ERROR(PrintAll(out));
    TOMBOLA_RETURN_IF_ERROR(taken);
    if (now.finished() && !ended) TOMBOLA_RETURN_IF_ERROR(end());
    TOMBOLA_RETURN_IF_ERROR(read);
  } while (!increments.empty());
  return options.finish && !ended ? end() : absl::OkStatus();
}

absl::Status CheckFlags(const StreamOptions& options) {
  if (!(options.confidence > 0 && options.confidence < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--confidence must be in (0, 1), is ", options.confidence));
  }
  if (!options.state.empty()) return absl::OkStatus();
  for (const auto& [flag, given] :
       {std::pair("--key-file", !options.key_file.empty()),
        std::pair("--since", options.since.has_value()), std::pair("--finish", options.finish)}) {
    if (given) return absl::InvalidArgumentError(absl::StrCat(flag, " needs --state"));
  }
  return absl::OkStatus();
}

absl::Status RunStream(const StreamOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(CheckFlags(options));
  auto found = LastingTotals::Found::kNothing;
  if (!options.state.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(found, LastingTotals::LookIn(options.state));
  }
  if (found == LastingTotals::Found::kEnded) return AfterTheEnd(options);
  SecureRandom random;
  // What is only asked about makes no stream.
  const bool kept =
      !options.state.empty() && !(options.describe && found == LastingTotals::Found::kNothing);
  TOMBOLA_ASSIGN_OR_RETURN(
      OpenStream open, kept ? OpenLasting(options, found, random) : OpenPassing(options, random));
  TOMBOLA_ASSIGN_OR_RETURN(const StreamDescription said,
                           DescribeStream(open.asked(), open.totals()));
  if (options.describe) {
    if (options.json) {
      Print(ToJson(said));
    } else {
      std::cout << ToText(said);
    }
    return absl::OkStatus();
  }
  std::cerr << ToText(said) << std::flush;
  return Pass(options, open);
}

}  // namespace

void AddStream(CLI::App& app, const Choose& choose) {
  auto options = std::make_shared<StreamOptions>();
  StreamFlags& flags = options->flags;
  CLI::App* stream = app.add_subcommand(
      "stream", "Running totals of exact numbers, with noise: increments in, totals out");
  stream->add_option("--epsilon", flags.epsilon, "For all totals together");
  stream->add_option("--delta", flags.delta,
                     "For all totals together; 0: none, and no Gaussian noise [0]");
  stream->add_option("--periods", flags.periods, "How many increments there will be, at most 2^20");
  stream->add_flag("--unbounded", flags.unbounded, "Instead: nobody knows how many");
  stream
      ->add_option(
          "--structure", flags.structure,
          absl::StrCat("Which periods have noise together: ", absl::StrJoin(StructureNames(), ", "),
                       "; k_ary is for increments that depend on no total [auto: the "
                       "least error on average]"))
      ->check(CLI::IsMember(StructureNames()));
  stream->add_flag("--fixed", flags.fixed,
                   "No increment depends on a total that was released: auto may choose k_ary");
  stream->add_option("--most", flags.most,
                     "The largest increment, at most 2^32, or 2^31 without --sensitivity [1]");
  stream->add_option("--sensitivity", flags.sensitivity,
                     "What one record may change an increment by: 1 where records are counted "
                     "[--most]");
  stream->add_option("--user-periods", flags.user_periods,
                     "How many increments one record, or one user, may change [1]");
  stream->add_option("--state", options->state,
                     "Folder to go on from after a crash, with the same noise: made if need be");
  stream->add_option("--key-file", options->key_file,
                     "Seals what is in --state; made, with mode 0600, for a new stream");
  stream->add_option("--since", options->since,
                     "With --state: first the totals of this period and later ones, again");
  stream->add_flag("--finish", options->finish,
                   "With --state: no more increments follow; erases the seed of the noise");
  stream->add_option("--confidence", options->confidence, "Of each total's interval, in (0, 1)")
      ->capture_default_str();
  stream->add_flag("--describe", options->describe,
                   "Say what is guaranteed and how noisy totals are, and read nothing");
  stream->add_flag("--json", options->json, "One JSON object a total on standard output");
  stream->callback([options, choose] { choose([options] { return RunStream(*options); }); });
}

}  // namespace tombola::cli
