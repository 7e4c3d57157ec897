#include "cli/query/strings_wait.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/connect/connection.h"

namespace tombola::cli {
namespace {

constexpr absl::Duration kFirstWait = absl::Milliseconds(50);
constexpr absl::Duration kLongestWait = absl::Seconds(1);
// Before, nothing is said: most searches are over by then.
constexpr absl::Duration kSilence = absl::Seconds(2);

std::string StageOf(const v1::Decoding& decoding) {
  if (decoding.ahead() > 0) {
    return absl::StrFormat("waiting for %d other search%s", decoding.ahead(),
                           decoding.ahead() == 1 ? "" : "es");
  }
  return absl::StrFormat("searching level %d of %d", decoding.level(), decoding.levels());
}

// A line that changes where it is a terminal, else a line for each stage.
class Said {
 public:
  ~Said() {
    if (terminal_ && !stage_.empty()) std::cerr << "\r\x1b[K";
  }
  void Say(const v1::Decoding& decoding) {
    std::string stage = StageOf(decoding);
    if (terminal_) {
      std::cerr << "\r\x1b[K" << stage << absl::StrFormat(", %.0f %%", 100 * decoding.share())
                << std::flush;
    } else if (stage != stage_) {
      std::cerr << stage << "\n";
    }
    stage_ = std::move(stage);
  }

 private:
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::string stage_;
};

}  // namespace

absl::StatusOr<v1::Answer> AskUntilFound(v1::CollectorQuery::Stub& stub,
                                         const v1::GetAnswerRequest& request) {
  const absl::Time begun = absl::Now();
  absl::Duration wait = kFirstWait;
  Said said;
  while (true) {
    absl::StatusOr<v1::Answer> answer = Call(stub, &v1::CollectorQuery::Stub::GetAnswer, request);
    if (!answer.ok() || !answer->strings().has_decoding()) return answer;
    if (absl::Now() - begun > kSilence) said.Say(answer->strings().decoding());
    absl::SleepFor(wait);
    wait = std::min(2 * wait, kLongestWait);
  }
}

}  // namespace tombola::cli
