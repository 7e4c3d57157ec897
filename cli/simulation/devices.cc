#include <string>

#include "cli/simulation/draw_counts.h"
#include "client/encode/encoder.h"
#include "collector/aggregate/aggregator.h"
#include "common/base/check.h"

namespace tombola::simulation {
namespace {

// Counting many at once is faster, as in the collector.
constexpr size_t kReportsAtOnce = 256;

// Counts what devices send.
class Batch {
 public:
  explicit Batch(const std::shared_ptr<const mechanism::Mechanism>& mechanism)
      : mechanism_(*mechanism),
        encoder_(client::MakeEncoder(mechanism)),
        aggregator_(collector::MakeAggregator(mechanism)) {}

  void Add(absl::Span<const uint64_t> cells, RandomSource& random) {
    encoder_->Encode(cells, random, &reports_);
    if (reports_.size() >= kReportsAtOnce * mechanism_.report_bytes()) Count();
  }

  // With the shuffler's fakes.
  std::vector<int64_t> Finish(RandomSource& random) {
    const size_t bytes = mechanism_.report_bytes();
    for (int64_t i = 0; i < mechanism_.fakes(); ++i) {
      const size_t at = reports_.size();
      reports_.resize(at + bytes);
      mechanism_.DrawFake(random, {reinterpret_cast<uint8_t*>(reports_.data()) + at, bytes});
      if (reports_.size() >= kReportsAtOnce * bytes) Count();
    }
    Count();
    return aggregator_->counts();
  }

 private:
  void Count() {
    const auto* begin = reinterpret_cast<const uint8_t*>(reports_.data());
    const auto number = static_cast<int64_t>(reports_.size() / mechanism_.report_bytes());
    TOMBOLA_CHECK(aggregator_->AddAll({begin, reports_.size()}).counted == number);
    reports_.clear();
  }

  const mechanism::Mechanism& mechanism_;
  const std::unique_ptr<client::Encoder> encoder_;
  const std::unique_ptr<collector::Aggregator> aggregator_;
  std::string reports_;
};

}  // namespace

std::vector<int64_t> RunDevices(const std::shared_ptr<const mechanism::Mechanism>& mechanism,
                                absl::Span<const int64_t> truth, RandomSource& random) {
  TOMBOLA_CHECK(static_cast<int64_t>(truth.size()) == mechanism->domain_size());
  Batch batch(mechanism);
  for (uint64_t v = 0; v < truth.size(); ++v) {
    for (int64_t device = 0; device < truth[v]; ++device) {
      batch.Add(absl::MakeConstSpan(&v, 1), random);
    }
  }
  return batch.Finish(random);
}

std::vector<int64_t> RunItemDevices(const std::shared_ptr<const mechanism::Mechanism>& mechanism,
                                    const ItemData& data, Generator& random) {
  TOMBOLA_CHECK(data.cells().cells() == mechanism->domain_size());
  Batch batch(mechanism);
  std::vector<uint64_t> cells;
  for (int64_t user = 0; user < data.users(); ++user) {
    data.Place(user, random, &cells);
    batch.Add(cells, random);
  }
  return batch.Finish(random);
}

std::vector<int64_t> RunRecordDevices(const std::shared_ptr<const mechanism::Mechanism>& mechanism,
                                      const RecordData& data, Generator& random) {
  TOMBOLA_CHECK(data.cells().cells == mechanism->domain_size());
  Batch batch(mechanism);
  std::vector<uint64_t> cells;
  for (int64_t user = 0; user < data.users(); ++user) {
    cells.clear();
    for (const mechanism::Cell& cell : data.Place(user, random)) cells.push_back(cell.index);
    batch.Add(cells, random);
  }
  return batch.Finish(random);
}

std::vector<int64_t> RunNumberDevices(const std::shared_ptr<const mechanism::Mechanism>& mechanism,
                                      const RangeTree& tree, absl::Span<const int64_t> counts,
                                      Generator& random) {
  TOMBOLA_CHECK(tree.cells() == mechanism->domain_size());
  Batch batch(mechanism);
  std::vector<uint64_t> cells(static_cast<size_t>(tree.levels()));
  for (size_t leaf = 0; leaf < counts.size(); ++leaf) {
    for (int64_t level = 0; level < tree.levels(); ++level) {
      cells[static_cast<size_t>(level)] = tree.CellOf(static_cast<int64_t>(leaf), level);
    }
    for (int64_t device = 0; device < counts[leaf]; ++device) {
      batch.Add(cells, random);
    }
  }
  return batch.Finish(random);
}

std::vector<int64_t> FilledNodes(const RangeTree& tree, absl::Span<const int64_t> counts) {
  std::vector<int64_t> filled(static_cast<size_t>(tree.cells()));
  for (size_t leaf = 0; leaf < counts.size(); ++leaf) {
    for (int64_t level = 0; level < tree.levels(); ++level) {
      filled[tree.CellOf(static_cast<int64_t>(leaf), level)] += counts[leaf];
    }
  }
  return filled;
}

}  // namespace tombola::simulation
