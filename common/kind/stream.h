// A device holds one value in each period, or what another kind takes; asked is what has come of it
// up to any of them.
#ifndef TOMBOLA_COMMON_KIND_STREAM_H_
#define TOMBOLA_COMMON_KIND_STREAM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/kind/kind.h"
#include "common/mechanism/mechanism.h"
#include "common/scheme/nodes.h"
#include "tombola/v1/task.pb.h"

namespace tombola {

// One table a node, all of the same domain and layout. Its cells are the values, or those of the
// kind that the stream is of: a set, key-value pairs or a number, of which a device says all that
// it fills.
class StreamKind final : public Kind {
 public:
  static constexpr absl::string_view kName = "stream";

  // InvalidArgument naming the field and its bound.
  static absl::StatusOr<std::shared_ptr<const Kind>> Read(const v1::Task& task);

  // Of every node, from 1 on: what counts it, how many submissions it has at least, and how many of
  // these are honest where its noise is not sized for a number of them.
  struct NodeList {
    std::vector<std::shared_ptr<const mechanism::Mechanism>> mechanisms;
    std::vector<int64_t> smallest;
    std::vector<int64_t> honest;
  };
  // `of`: null for one value.
  StreamKind(stream::Structure structure, NodeList nodes, std::shared_ptr<const Kind> of = nullptr);

  absl::string_view name() const override { return kName; }
  // Of the first node: those of the others differ in their noise.
  const mechanism::Tables& tables() const override { return tables_.front(); }
  const mechanism::Tables& TablesOf(uint64_t part) const override { return tables_[part - 1]; }
  const std::shared_ptr<const mechanism::Scheme>& scheme() const override { return scheme_; }
  const mechanism::Nodes* nodes() const override { return nodes_.get(); }
  // Counted as the first node is; this, where a device holds one value.
  const Kind& OfOneBatch() const override { return of_ == nullptr ? *this : *of_; }
  // "plain", "fenwick" or "best", which depends on the mechanism; else "listed". Milliseconds.
  std::string StructureName() const;
  const mechanism::Mechanism& MechanismOf(uint64_t node) const { return *mechanisms_[node - 1]; }
  // Of a share in the total over all periods, or what the kind that it is of says.
  double PredictedMse(int64_t submissions) const override;

 private:
  std::vector<std::shared_ptr<const mechanism::Mechanism>> mechanisms_;
  std::vector<mechanism::Tables> tables_;
  std::shared_ptr<const mechanism::Nodes> nodes_;
  std::shared_ptr<const mechanism::Scheme> scheme_;
  std::shared_ptr<const Kind> of_;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_KIND_STREAM_H_
