#include "collector/answer/stream.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "collector/answer/columns.h"
#include "collector/answer/stream_totals.h"
#include "collector/answer/summed_nodes.h"
#include "common/base/status_macros.h"
#include "common/json/stream.h"
#include "common/kind/number.h"

namespace tombola::collector {
namespace {

// Of all totals of a series together: each looks at the whole domain, whatever is asked of it. Some
// seconds.
constexpr int64_t kMostSeriesCells = int64_t{1} << 27;

// What a message may have on its way; a body that is larger would never arrive.
constexpr int64_t kMostMessage = int64_t{1} << 30;

struct Shares {
  Estimates estimates;
  std::vector<double> frequencies;  // post-processed
};

absl::StatusOr<Shares> SharesOf(const NodeSum& sum, Postprocess how) {
  const auto submissions = static_cast<double>(sum.submissions);
  Shares shares;
  for (size_t value = 0; value < sum.holders.size(); ++value) {
    shares.estimates.raw.push_back(sum.holders[value] / submissions);
    shares.estimates.standard_errors.push_back(std::sqrt(sum.Variance(value)) / submissions);
  }
  PostprocessInput input;
  input.raw = shares.estimates.raw;
  const double values = static_cast<double>(sum.holders.size());
  input.threshold =
      sum.errors.UpperQuantileAtZero(std::max(1e-300, kNoiseShare / values)) / submissions;
  TOMBOLA_ASSIGN_OR_RETURN(shares.frequencies, Process(how, input));
  return shares;
}

// Periods, the last one first, as runs in their order.
void AddRuns(const std::vector<int64_t>& periods,
             google::protobuf::RepeatedPtrField<v1::PeriodRun>* runs) {
  for (auto period = periods.rbegin(); period != periods.rend(); ++period) {
    const auto number = static_cast<uint64_t>(*period);
    if (runs->empty() || runs->rbegin()->last() + 1 != number) runs->Add()->set_first(number);
    runs->rbegin()->set_last(number);
  }
}

// What a total says of any sum.
void FillHead(const RangeSum& range, v1::StreamTotal* total) {
  total->set_first(static_cast<uint64_t>(range.first));
  total->set_last(static_cast<uint64_t>(range.last));
  total->set_submissions(static_cast<uint64_t>(std::max<int64_t>(0, range.sum.submissions)));
  AddRuns(range.parts.missing, total->mutable_missing());
  std::vector<int64_t> strange;
  for (const stream::SignedNode& period : range.parts.strange) strange.push_back(period.node);
  AddRuns(strange, total->mutable_strange());
}

// Makes totals of sums.
class Totals {
 public:
  Totals(const Domain& domain, std::vector<uint64_t> values, Postprocess postprocess,
         double confidence)
      : domain_(domain),
        values_(std::move(values)),
        postprocess_(postprocess),
        alpha_(1 - confidence) {}

  absl::Status Fill(const RangeSum& range, v1::StreamTotal* total) const {
    const NodeSum& sum = range.sum;
    FillHead(range, total);
    for (const uint64_t value : values_) {
      const double holders = sum.holders.empty() ? 0 : sum.holders[value];
      const double variance = sum.Variance(value);
      const double half = sum.errors.HalfWidth(variance, alpha_);
      total->add_counts(holders);
      total->add_count_standard_errors(std::sqrt(variance));
      total->add_count_low(holders - half);
      total->add_count_high(holders + half);
    }
    return sum.submissions < 1 ? absl::OkStatus() : FillShares(sum, total->mutable_shares());
  }

 private:
  absl::Status FillShares(const NodeSum& sum, v1::Histogram* body) const {
    TOMBOLA_ASSIGN_OR_RETURN(const Shares shares, SharesOf(sum, postprocess_));
    const auto submissions = static_cast<double>(sum.submissions);
    body->set_max_error(sum.errors.MaxError(domain_.size(), alpha_) / submissions);
    body->mutable_values()->Add(values_.begin(), values_.end());
    for (const uint64_t value : values_) {
      const double raw = shares.estimates.raw[value];
      const double half = sum.errors.HalfWidth(sum.Variance(value), alpha_) / submissions;
      body->add_frequencies(shares.frequencies[value]);
      body->add_raw(raw);
      body->add_standard_errors(shares.estimates.standard_errors[value]);
      body->add_low(raw - half);
      body->add_high(raw + half);
      if (!domain_.labels().empty()) body->add_labels(domain_.labels()[value]);
    }
    return absl::OkStatus();
  }

  const Domain& domain_;
  const std::vector<uint64_t> values_;
  const Postprocess postprocess_;
  const double alpha_;
};

// "best, at most 6 nodes over a period": what the nodes are.
std::string CountedAs(const mechanism::Nodes& nodes) {
  const stream::Structure& structure = nodes.structure();
  const int64_t periods = structure.periods();
  const auto is = [&](const absl::StatusOr<stream::Structure>& other) {
    for (int64_t t = 1; t <= periods; ++t) {
      if (structure.start(t) != other->start(t)) return false;
    }
    return true;
  };
  // Both are of every number of periods that a structure has.
  const std::string name = is(stream::Structure::Plain(periods))     ? "plain"
                           : is(stream::Structure::Fenwick(periods)) ? "fenwick"
                                                                     : "best";
  return absl::StrCat(name, ", ", nodes.Depth(), nodes.Depth() == 1 ? " node" : " nodes",
                      " over a period at most");
}

absl::Status CheckQuestion(const v1::StreamQuestion& question, const Task& task,
                           Postprocess postprocess) {
  const bool numbers = task.kind().OfOneBatch().name() == NumberKind::kName;
  if (!numbers && (!question.fractions().empty() || question.bins() != 0)) {
    return absl::InvalidArgumentError("fractions and bins must be absent but for numbers");
  }
  if (numbers && (question.top() != 0 || !question.values().empty())) {
    return absl::InvalidArgumentError("top and values must be absent for a stream of numbers");
  }
  if (question.single() && !question.series()) {
    return absl::InvalidArgumentError("single must be together with series: it is of each period");
  }
  if (postprocess == Postprocess::kEm) {
    return absl::InvalidArgumentError(
        "em needs the counts of one batch, and a stream's are of several: use pop or none");
  }
  return absl::OkStatus();
}

absl::Status VisitEach(const StreamTotals& totals, const NodeEvidence& nodes, bool single,
                       StreamTotals::Visit visit) {
  const auto first = static_cast<int64_t>(nodes.first), last = static_cast<int64_t>(nodes.last);
  return single ? totals.EachAlone(first, last, visit) : totals.EachFrom(first, last, visit);
}

// Of a stream of sets, pairs or numbers.
absl::Status FillOfKind(const Evidence& evidence, const v1::GetAnswerRequest& request,
                        Postprocess postprocess, v1::StreamTotals* body) {
  const NodeEvidence& nodes = *evidence.nodes;
  const SummedNodes summed(evidence.task);
  v1::GetAnswerRequest question = summed.QuestionOf(request);
  const StreamTotals totals(evidence.task, nodes);
  const auto visit = [&](const RangeSum& range) -> absl::Status {
    v1::StreamTotal* const total = body->add_totals();
    FillHead(range, total);
    if (range.sum.submissions < 1) {
      // Says what it would be of.
      if (question.has_number()) total->mutable_number();
      return absl::OkStatus();
    }
    return summed.Fill(range.sum, question, postprocess, total);
  };
  const bool series = request.stream().series();
  if (series && request.stream().top() == 0) {
    return VisitEach(totals, nodes, request.stream().single(), visit);
  }
  TOMBOLA_ASSIGN_OR_RETURN(const RangeSum whole, totals.Range(static_cast<int64_t>(nodes.first),
                                                              static_cast<int64_t>(nodes.last)));
  if (!series) return visit(whole);
  if (whole.sum.submissions > 0) {
    TOMBOLA_RETURN_IF_ERROR(summed.PickValues(whole.sum, postprocess, &question));
  } else {
    // None is larger than another.
    v1::GetAnswerRequest first = request;
    first.mutable_stream()->set_top(0);
    for (uint64_t value = 0; value < request.stream().top(); ++value) {
      if (!request.stream().values().empty()) break;
      if (value == static_cast<uint64_t>(evidence.task.domain().size())) break;
      first.mutable_stream()->add_values(value);
    }
    question = summed.QuestionOf(first);
  }
  return VisitEach(totals, nodes, request.stream().single(), visit);
}

// How many totals are asked for, at most, and their last period.
struct Asked {
  int64_t first = 1, last = 1;
  int64_t totals = 1;
};

Asked AskedOf(const mechanism::Nodes& nodes, const v1::GetAnswerRequest& request) {
  const auto within = [&](uint64_t period, int64_t otherwise) {
    return period == 0
               ? otherwise
               : static_cast<int64_t>(std::min(period, static_cast<uint64_t>(nodes.count())));
  };
  Asked asked{.first = within(request.first_period(), 1),
              .last = within(request.last_period(), nodes.count())};
  if (request.stream().series()) asked.totals = std::max<int64_t>(1, asked.last - asked.first + 1);
  return asked;
}

// Runs of missing and of strange periods in all totals together, each beside one that is not.
int64_t MostRuns(const Asked& asked) {
  const int64_t missing = (asked.last - asked.first) / 2 + 1;
  return asked.totals * (missing + asked.first / 2 + 1);
}

absl::Status CheckSeries(const Asked& asked, int64_t cells) {
  if (asked.totals <= kMostSeriesCells / cells) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("a series of ", asked.totals, " totals over a domain of ", cells,
                   " values takes too long, at most ",
                   std::max<int64_t>(1, kMostSeriesCells / cells), ": ask for fewer periods"));
}

absl::Status CheckMessage(const Asked& asked, int64_t rows, int64_t bytes) {
  if (bytes <= kMostMessage) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("a series of ", asked.totals, " totals of ", rows, " values takes ", bytes >> 20,
                   " MiB, and an answer at most ", kMostMessage >> 20,
                   ": ask for fewer periods, or for fewer values with top or values"));
}

// Sums that are kept at a time, beside three.
int64_t KeptOf(const Task& task, const v1::GetAnswerRequest& request) {
  return request.stream().series() && !request.stream().single()
             ? StreamTotals::MostKept(task.nodes()->structure())
             : 0;
}

absl::StatusOr<int64_t> BytesOfKind(const Task& task, const v1::GetAnswerRequest& request,
                                    AnswerForm form) {
  const SummedNodes summed(task);
  const int64_t cells = task.kind().OfOneBatch().tables()[0]->domain_size();
  const Asked asked = AskedOf(*task.nodes(), request);
  TOMBOLA_RETURN_IF_ERROR(CheckSeries(asked, cells));
  const v1::GetAnswerRequest question = summed.QuestionOf(request);
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t total, summed.Bytes(question, form));
  const int64_t all = asked.totals * total + kMostRunText * MostRuns(asked);
  TOMBOLA_RETURN_IF_ERROR(CheckMessage(asked, task.domain().size(), all));
  return all + 16 * (KeptOf(task, request) + 3) * cells;
}

}  // namespace

absl::StatusOr<int64_t> StreamAnswerer::Bytes(const Task& task, const v1::GetAnswerRequest& request,
                                              AnswerForm form) const {
  const v1::StreamQuestion& question = request.stream();
  if (&task.kind().OfOneBatch() != &task.kind()) return BytesOfKind(task, request, form);
  const int64_t domain = task.domain().size();
  if (question.values_size() > domain) {
    return absl::InvalidArgumentError(
        absl::StrCat("values has ", question.values_size(), " of them; the domain has ", domain));
  }
  int64_t rows = question.values().empty() ? domain : question.values_size();
  if (question.top() != 0) rows = static_cast<int64_t>(std::min<uint64_t>(rows, question.top()));
  const Asked asked = AskedOf(*task.nodes(), request);
  TOMBOLA_RETURN_IF_ERROR(CheckSeries(asked, domain));
  const std::vector<std::string>& labels = task.domain().labels();
  int64_t longest = 0;
  for (const std::string& label : labels) {
    longest = std::max(longest, static_cast<int64_t>(label.size()));
  }
  const int64_t named = std::min(rows * longest, static_cast<int64_t>(task.bytes().size()));
  // Ten columns of 8 bytes, which grow by doubling, and a text a row.
  const int64_t total = 512 + rows * (2 * 80 + (labels.empty() ? 0 : 48)) + named;
  const int64_t message = asked.totals * total + 64 * MostRuns(asked);
  TOMBOLA_RETURN_IF_ERROR(CheckMessage(asked, rows, message));
  // Sums in holders and their variances, and shares in several columns while they are processed.
  const int64_t computed =
      (16 * (KeptOf(task, request) + 3) + 80) * domain + 16 * question.values_size();
  if (form == AnswerForm::kMessage) return computed + 2 * message;
  return message + std::max(computed, MostStreamText(asked.totals, rows, named) +
                                          kMostRunText * MostRuns(asked));
}

absl::Status StreamAnswerer::Fill(const Evidence& evidence, const v1::GetAnswerRequest& request,
                                  Postprocess postprocess, v1::Answer* answer) const {
  const v1::StreamQuestion& question = request.stream();
  TOMBOLA_RETURN_IF_ERROR(CheckQuestion(question, evidence.task, postprocess));
  const NodeEvidence& nodes = *evidence.nodes;
  v1::StreamTotals* const body = answer->mutable_stream();
  body->set_counted(CountedAs(*evidence.task.nodes()));
  body->mutable_void_nodes()->Add(nodes.void_nodes.begin(), nodes.void_nodes.end());
  if (&evidence.task.kind().OfOneBatch() != &evidence.task.kind()) {
    return FillOfKind(evidence, request, postprocess, body);
  }
  const Domain& domain = evidence.task.domain();
  const auto first = static_cast<int64_t>(nodes.first), last = static_cast<int64_t>(nodes.last);
  const StreamTotals totals(evidence.task, nodes);
  std::vector<double> largest(static_cast<size_t>(domain.size()));
  std::optional<RangeSum> whole;
  if (!question.series() || question.top() != 0) {
    TOMBOLA_ASSIGN_OR_RETURN(whole, totals.Range(first, last));
    if (whole->sum.submissions > 0) {
      TOMBOLA_ASSIGN_OR_RETURN(Shares shares, SharesOf(whole->sum, postprocess));
      largest = std::move(shares.frequencies);
    }
  }
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<uint64_t> values,
                           Pick(question.top(), question.values(), largest));
  const Totals fill(domain, std::move(values), postprocess, request.confidence());
  const auto visit = [&](const RangeSum& range) { return fill.Fill(range, body->add_totals()); };
  return question.series() ? VisitEach(totals, nodes, question.single(), visit) : visit(*whole);
}

}  // namespace tombola::collector
