#include "common/kind/stream.h"

#include <cmath>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/kind/key_value.h"
#include "common/kind/number.h"
#include "common/kind/set.h"
#include "common/mechanism/correlated.h"
#include "common/mechanism/registry.h"
#include "common/scheme/stream_scheme.h"
#include "common/table/count_model.h"

namespace tombola {
namespace {

constexpr int64_t kMostNodesOver = 32;
// Of all nodes together, 16 bytes each: before anybody has compared the task with anything.
constexpr double kMostTableEntries = 1 << 24;

absl::Status Refuse(absl::string_view field, absl::string_view bound) {
  return absl::InvalidArgumentError(absl::StrCat("task.", field, " must be ", bound));
}

// Of the tables from which a node's clusters are drawn, about, and not less: their weights end
// below 2^-120 of the first.
double TableEntries(const v1::Mechanism& of) {
  if (!of.has_correlated()) return 0;
  const auto entries = [](uint64_t success) {
    return 84 / (1 - std::ldexp(static_cast<double>(success), -64));
  };
  return entries(of.correlated().noise_success()) + entries(of.correlated().flood_success());
}

absl::StatusOr<stream::Structure> StructureOf(const v1::Stream& wire) {
  if (wire.start_size() < 1 || wire.start_size() > stream::kMostSearchedPeriods) {
    return Refuse("stream.start",
                  absl::StrCat("of 1 to ", stream::kMostSearchedPeriods, " periods"));
  }
  if (wire.nodes_size() != wire.start_size()) {
    return Refuse("stream.nodes", "as many as stream.start");
  }
  std::vector<int64_t> start;
  int64_t covered = 0;
  for (int i = 0; i < wire.start_size(); ++i) {
    if (wire.start(i) > static_cast<uint32_t>(i)) {
      return Refuse("stream.start", "before its node: start[t - 1] < t");
    }
    start.push_back(wire.start(i));
    covered += i + 1 - start.back();
  }
  // Each is a group of every submission.
  if (covered > kMostNodesOver * wire.start_size()) {
    return Refuse("stream.start", absl::StrCat("such that at most ", kMostNodesOver,
                                               " nodes cover a period on average"));
  }
  return stream::Structure::FromStart(start);
}

// Noise that is sized for a number of submissions, or reports that are noisy themselves: these only
// where nodes are the periods, and of values.
absl::Status CheckMechanism(const mechanism::Mechanism& of, const mechanism::Mechanism& first,
                            bool one_period, bool values) {
  if (of.name() != first.name()) return Refuse("stream.nodes", "of one kind of mechanism");
  if (of.parameters().honest.has_value() && of.fakes() == 0) {
    // mix_dump answers at random besides.
    if (of.name() != "mix_dump") return absl::OkStatus();
  }
  if (of.name() == "grr" && one_period && values) return absl::OkStatus();
  return Refuse("stream.nodes",
                "counted by correlated, pure_dump or aue, or by grr where each covers one period "
                "and a device says one value");
}

// What a device holds in a period, as a task of that kind alone would say it, counted as the first
// node is; null: one value.
absl::StatusOr<std::shared_ptr<const Kind>> ReadOf(const v1::Task& task) {
  const v1::Kind of = task.stream().of();
  if (of == v1::KIND_UNSPECIFIED) {
    if (!task.has_items() && !task.has_levels() && !task.has_numbers()) return nullptr;
    return absl::InvalidArgumentError(
        "task.items, levels and numbers must be absent for a stream of values");
  }
  v1::Task one;
  one.set_kind(of);
  *one.mutable_domain() = task.domain();
  *one.mutable_mechanism() = task.stream().nodes(0).mechanism();
  if (task.has_items()) *one.mutable_items() = task.items();
  if (task.has_levels()) *one.mutable_levels() = task.levels();
  if (task.has_numbers()) *one.mutable_numbers() = task.numbers();
  absl::StatusOr<std::shared_ptr<const Kind>> read =
      Refuse("stream.of", "KIND_SET, KIND_KEY_VALUE or KIND_NUMBER, or absent");
  if (of == v1::KIND_SET) read = Set::Read(one);
  if (of == v1::KIND_KEY_VALUE) read = KeyValueKind::Read(one);
  if (of == v1::KIND_NUMBER) read = NumberKind::Read(one);
  TOMBOLA_RETURN_IF_ERROR(read.status());
  const mechanism::Filling filling = (*read)->tables()[0]->filling();
  if (filling.sent == filling.held) return read;
  return Refuse("items.sent and numbers.sent", "all that a device fills, for a stream");
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Kind>> StreamKind::Read(const v1::Task& task) {
  if (task.has_records() || task.has_mechanism()) {
    return absl::InvalidArgumentError("task.records and mechanism must be absent for a stream");
  }
  TOMBOLA_ASSIGN_OR_RETURN(stream::Structure structure, StructureOf(task.stream()));
  TOMBOLA_ASSIGN_OR_RETURN(std::shared_ptr<const Kind> of, ReadOf(task));
  const int64_t cells =
      of == nullptr ? static_cast<int64_t>(task.domain().size()) : of->tables()[0]->domain_size();
  const mechanism::Filling filling =
      of == nullptr ? mechanism::Filling() : of->tables()[0]->filling();
  NodeList nodes;
  // Many nodes are alike, and what tables and accountants make of one serves all of them.
  absl::flat_hash_map<std::string, std::shared_ptr<const mechanism::Mechanism>> known;
  double entries = 0;
  for (int i = 0; i < task.stream().nodes_size(); ++i) {
    const v1::StreamNode& node = task.stream().nodes(i);
    std::shared_ptr<const mechanism::Mechanism>& mechanism =
        known[node.mechanism().SerializeAsString()];
    if (mechanism == nullptr) {
      entries += TableEntries(node.mechanism());
      if (!(entries <= kMostTableEntries)) {
        return Refuse("stream.nodes", "such that their clusters' tables have at most 2^24 entries");
      }
      TOMBOLA_ASSIGN_OR_RETURN(mechanism, mechanism::FromProto(node.mechanism(), cells, filling));
    }
    nodes.mechanisms.push_back(mechanism);
    TOMBOLA_RETURN_IF_ERROR(CheckMechanism(*mechanism, *nodes.mechanisms.front(),
                                           structure.start(i + 1) == i,
                                           /*values=*/of == nullptr));
    if (node.smallest_batch() < 2 || node.smallest_batch() > uint64_t{1} << 52) {
      return Refuse("stream.nodes.smallest_batch", "between 2 and 2^52");
    }
    nodes.smallest.push_back(static_cast<int64_t>(node.smallest_batch()));
    nodes.honest.push_back(
        mechanism::HonestOf(nodes.smallest.back(), task.batch_policy().dishonest_share()));
    if (nodes.honest.back() < 1) {
      return Refuse("batch_policy.dishonest_share", "such that each node has an honest submission");
    }
  }
  return std::make_shared<const StreamKind>(std::move(structure), std::move(nodes), std::move(of));
}

StreamKind::StreamKind(stream::Structure structure, NodeList list, std::shared_ptr<const Kind> of)
    : mechanisms_(std::move(list.mechanisms)), of_(std::move(of)) {
  std::vector<mechanism::StreamNode> nodes;
  for (size_t i = 0; i < mechanisms_.size(); ++i) {
    tables_.push_back(mechanism::Tables({mechanisms_[i]}));
    nodes.push_back({.scheme = mechanisms_[i],
                     .honest = mechanisms_[i]->parameters().honest.value_or(list.honest[i]),
                     .smallest_batch = list.smallest[i]});
  }
  nodes_ = std::make_shared<const mechanism::Nodes>(std::move(structure), std::move(nodes));
  scheme_ = std::make_shared<const mechanism::StreamScheme>(nodes_);
}

std::string StreamKind::StructureName() const {
  const stream::Structure& own = nodes_->structure();
  const auto is = [&](const absl::StatusOr<stream::Structure>& other) {
    for (int64_t t = 1; t <= own.periods(); ++t) {
      if (other->start(t) != own.start(t)) return false;
    }
    return true;
  };
  if (is(stream::Structure::Plain(own.periods()))) return "plain";
  if (is(stream::Structure::Fenwick(own.periods()))) return "fenwick";
  const auto norm = mechanisms_.front()->name() == mechanism::Correlated::kName ? stream::Norm::kL1
                                                                                : stream::Norm::kL2;
  return is(stream::Structure::Best(own.periods(), norm)) ? "best" : "listed";
}

// What the first node's kind says of a batch, by how much the nodes of the total vary in place of
// it: everything but the rounding of numbers to levels grows with the noise.
double StreamKind::PredictedMse(int64_t submissions) const {
  const auto periods = static_cast<double>(nodes_->count());
  const double all = periods * static_cast<double>(submissions);
  const double times = of_ == nullptr ? 1
                                      : of_->PredictedMse(submissions) /
                                            mechanisms_.front()->PredictedMse(submissions);
  double mse = 0;
  for (const int64_t node : nodes_->structure().Chain(nodes_->count())) {
    const auto number = static_cast<uint64_t>(node);
    const int64_t length = node - static_cast<int64_t>(nodes_->FirstPeriod(number)) + 1;
    const int64_t batch = length * submissions;
    // Of a share of the node's own submissions; of all of them it is smaller.
    const double part = static_cast<double>(batch) / all;
    mse += part * part * mechanisms_[number - 1]->PredictedMse(batch);
  }
  return times * mse;
}

}  // namespace tombola
