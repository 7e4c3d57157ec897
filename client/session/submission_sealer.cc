#include "client/session/submission_sealer.h"

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/kind/kind.h"

namespace tombola::client {

absl::StatusOr<SubmissionSealer> SubmissionSealer::Create(const Task& task,
                                                          const Recipient& recipient) {
  const std::vector<uint64_t> parts = task.PartsOf(recipient.part);
  TOMBOLA_CHECK(parts.size() == recipient.keys.size());
  std::vector<Group> groups;
  for (size_t i = 0; i < parts.size(); ++i) {
    const HpkeKey& key = recipient.keys[i];
    TOMBOLA_ASSIGN_OR_RETURN(ReportSealer sealer, ReportSealer::Create(task, key, parts[i]));
    groups.push_back({.key = key.id,
                      .part = parts[i],
                      .encoder = SubmissionEncoder(task.kind().TablesOf(parts[i])),
                      .sealer = std::move(sealer)});
  }
  return SubmissionSealer(std::move(groups));
}

absl::Status SubmissionSealer::Seal(const mechanism::Cells& cells, RandomSource& random,
                                    std::vector<SealedGroup>* groups) {
  groups->resize(groups_.size());
  for (size_t i = 0; i < groups_.size(); ++i) {
    SealedGroup& group = (*groups)[i];
    group.key = groups_[i].key;
    group.part = groups_[i].part;
    plaintext_.clear();
    group.reports = groups_[i].encoder.Encode(cells, random, &plaintext_);
    group.sealed_reports.clear();
    TOMBOLA_RETURN_IF_ERROR(groups_[i].sealer.Append(plaintext_, random, &group.sealed_reports));
  }
  return absl::OkStatus();
}

absl::Status SubmissionSealer::SealReport(absl::string_view report, RandomSource& random,
                                          std::vector<SealedGroup>* groups) {
  TOMBOLA_CHECK(groups_.size() == 1);
  groups->resize(1);
  SealedGroup& group = groups->front();
  group = {.key = groups_[0].key, .part = groups_[0].part, .reports = 1, .sealed_reports = ""};
  return groups_[0].sealer.Append(report, random, &group.sealed_reports);
}

SubmitCall::SubmitCall(const Task& task, uint64_t part, uint64_t window) : task_(task) {
  request_.set_task_id(std::string(AsView(task.id())));
  request_.set_part(part);
  request_.set_window(window);
}

void SubmitCall::Add(const SubmissionId& id, const std::vector<SealedGroup>& groups) {
  request_.mutable_submission_ids()->append(AsView(id).data(), id.size());
  if (task_.nodes() == nullptr) {
    const SealedGroup& only = groups.front();
    request_.set_key_id(std::string(AsView(only.key)));
    request_.add_report_counts(static_cast<uint32_t>(only.reports));
    request_.mutable_sealed_reports()->append(only.sealed_reports);
    return;
  }
  if (request_.groups().empty()) {
    for (const SealedGroup& group : groups) {
      v1::NodeGroup* const wire = request_.add_groups();
      wire->set_node(group.part);
      wire->set_key_id(std::string(AsView(group.key)));
    }
  }
  TOMBOLA_CHECK(groups.size() == static_cast<size_t>(request_.groups_size()));
  for (size_t i = 0; i < groups.size(); ++i) {
    v1::NodeGroup* const wire = request_.mutable_groups(static_cast<int>(i));
    wire->add_report_counts(static_cast<uint32_t>(groups[i].reports));
    wire->mutable_sealed_reports()->append(groups[i].sealed_reports);
  }
}

}  // namespace tombola::client
