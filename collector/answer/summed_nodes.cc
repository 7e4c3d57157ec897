#include "collector/answer/summed_nodes.h"

#include <cmath>
#include <utility>
#include <vector>

#include "collector/answer/key_value.h"
#include "collector/answer/number.h"
#include "collector/answer/set.h"
#include "common/base/status_macros.h"
#include "common/kind/key_value.h"
#include "common/kind/number.h"
#include "common/kind/set.h"
#include "common/table/table.h"

namespace tombola::collector {
namespace {

// The cells of a node's table, whose counts come about otherwise.
class SummedTable final : public mechanism::Table {
 public:
  SummedTable(std::shared_ptr<const mechanism::Table> node, const mechanism::CountModel& model)
      : node_(std::move(node)), model_(model) {}

  int64_t domain_size() const override { return node_->domain_size(); }
  mechanism::Filling filling() const override { return node_->filling(); }
  mechanism::Layout layout() const override { return node_->layout(); }
  void DrawFake(RandomSource& random, absl::Span<uint8_t> report) const override {
    node_->DrawFake(random, report);
  }
  mechanism::CountModel count_model() const override { return model_; }

 private:
  std::shared_ptr<const mechanism::Table> node_;
  mechanism::CountModel model_;
};

std::unique_ptr<const Answerer> AnswererOf(absl::string_view kind) {
  if (kind == Set::kName) return std::make_unique<SetAnswerer>();
  if (kind == KeyValueKind::kName) return std::make_unique<KeyValueAnswerer>();
  return std::make_unique<NumberAnswerer>();
}

// The kind over another table.
std::shared_ptr<const Kind> Over(const Kind& kind, std::shared_ptr<const mechanism::Table> table) {
  if (kind.name() == Set::kName) {
    return std::make_shared<const Set>(static_cast<const Set&>(kind).cells(), std::move(table),
                                       kind.scheme());
  }
  if (kind.name() == KeyValueKind::kName) {
    const auto& pairs = static_cast<const KeyValueKind&>(kind);
    return std::make_shared<const KeyValueKind>(pairs.cells(), pairs.levels(), std::move(table),
                                                kind.scheme());
  }
  return std::make_shared<const NumberKind>(static_cast<const NumberKind&>(kind).cells(),
                                            std::move(table), kind.scheme());
}

// The columns that the bodies of sets and of key-value pairs share, and the counts that their
// shares are.
template <typename Body>
void TakeShares(Body& body, int64_t submissions, v1::StreamTotal* total) {
  const auto all = static_cast<double>(submissions);
  v1::Histogram& shares = *total->mutable_shares();
  shares.set_max_error(body.max_error());
  *shares.mutable_values() = std::move(*body.mutable_values());
  *shares.mutable_labels() = std::move(*body.mutable_labels());
  *shares.mutable_frequencies() = std::move(*body.mutable_frequencies());
  *shares.mutable_raw() = std::move(*body.mutable_raw());
  *shares.mutable_standard_errors() = std::move(*body.mutable_standard_errors());
  *shares.mutable_low() = std::move(*body.mutable_low());
  *shares.mutable_high() = std::move(*body.mutable_high());
  *total->mutable_sizes() = std::move(*body.mutable_sizes());
  for (int row = 0; row < shares.values_size(); ++row) {
    total->add_counts(all * shares.raw(row));
    total->add_count_standard_errors(all * shares.standard_errors(row));
    total->add_count_low(all * shares.low(row));
    total->add_count_high(all * shares.high(row));
  }
}

}  // namespace

SummedNodes::SummedNodes(const Task& task)
    : task_(task), kind_(task.kind().OfOneBatch()), answerer_(AnswererOf(kind_.name())) {}

v1::GetAnswerRequest SummedNodes::QuestionOf(const v1::GetAnswerRequest& request) const {
  const v1::StreamQuestion& asked = request.stream();
  v1::GetAnswerRequest question;
  question.set_confidence(request.confidence());
  if (kind_.name() == NumberKind::kName) {
    *question.mutable_number()->mutable_fractions() = asked.fractions();
    question.mutable_number()->set_bins(asked.bins());
    return question;
  }
  if (kind_.name() == Set::kName) {
    question.mutable_set()->set_top(asked.top());
    *question.mutable_set()->mutable_values() = asked.values();
  } else {
    question.mutable_key_value()->set_top(asked.top());
    *question.mutable_key_value()->mutable_values() = asked.values();
  }
  return question;
}

absl::Status SummedNodes::PickValues(const NodeSum& sum, Postprocess postprocess,
                                     v1::GetAnswerRequest* question) const {
  if (question->set().top() == 0 && question->key_value().top() == 0) return absl::OkStatus();
  TOMBOLA_ASSIGN_OR_RETURN(v1::Answer answer, Ask(sum, *question, postprocess));
  if (question->has_set()) {
    question->mutable_set()->set_top(0);
    *question->mutable_set()->mutable_values() = answer.set().values();
  } else {
    question->mutable_key_value()->set_top(0);
    *question->mutable_key_value()->mutable_values() = answer.key_value().values();
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::Answer> SummedNodes::Ask(const NodeSum& sum,
                                            const v1::GetAnswerRequest& question,
                                            Postprocess postprocess) const {
  const std::shared_ptr<const Kind> summed =
      Over(kind_, std::make_shared<const SummedTable>(
                      kind_.tables()[0], sum.errors.AsOneBatch(sum.submissions, sum.background)));
  // Sums of whole numbers, which went through a subtraction of their background.
  Counts counts;
  std::vector<int64_t>& cells = counts.tables.emplace_back().counts;
  cells.reserve(sum.holders.size());
  for (const double holders : sum.holders) cells.push_back(std::llround(holders + sum.background));
  v1::Answer answer;
  TOMBOLA_RETURN_IF_ERROR(answerer_->Fill({.task = task_,
                                           .counts = counts,
                                           .tally = {.submissions = sum.submissions},
                                           .summed = summed.get()},
                                          question, postprocess, &answer));
  return answer;
}

absl::Status SummedNodes::Fill(const NodeSum& sum, const v1::GetAnswerRequest& question,
                               Postprocess postprocess, v1::StreamTotal* total) const {
  TOMBOLA_ASSIGN_OR_RETURN(v1::Answer answer, Ask(sum, question, postprocess));
  if (answer.has_set()) {
    TakeShares(*answer.mutable_set(), sum.submissions, total);
  } else if (answer.has_key_value()) {
    v1::KeyValues& pairs = *answer.mutable_key_value();
    TakeShares(pairs, sum.submissions, total);
    *total->mutable_means() = std::move(*pairs.mutable_means());
    *total->mutable_mean_standard_errors() = std::move(*pairs.mutable_mean_standard_errors());
    *total->mutable_mean_low() = std::move(*pairs.mutable_mean_low());
    *total->mutable_mean_high() = std::move(*pairs.mutable_mean_high());
  } else {
    *total->mutable_number() = std::move(*answer.mutable_number());
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> SummedNodes::Bytes(const v1::GetAnswerRequest& question,
                                           AnswerForm form) const {
  // Its own columns, and the counts beside them; numbers of the sizes.
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t bytes, answerer_->Bytes(task_, question, form));
  return 2 * bytes + 64 * kind_.tables()[0]->filling().held;
}

}  // namespace tombola::collector
