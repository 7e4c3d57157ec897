// The store crashes while it holds a stream, scatters its periods and releases its nodes.
#include <vector>

#include "shuffler/embedded/crash_harness.h"

namespace tombola::shuffler {
namespace {

Numbers Said(const std::vector<uint64_t>& numbers, uint64_t node) {
  const std::vector<uint64_t> said = InNode(numbers, node);
  return {said.begin(), said.end()};
}

TEST_F(StoreCrashTest, AStreamOfThreePeriods) {
  Record([&] {
    SendToPeriod(1, {1, 2, 3}, {1, 2, 4});
    SendToPeriod(1, {4}, {1, 2, 4});
    Scatter(1);
    const BatchId first = ReleaseAll(OfNode(1));
    SendToPeriod(2, {5, 6}, {2, 4});
    EraseBatch(first);
    Scatter(2);
    SendToPeriod(3, {7}, {3, 4});
    EraseBatch(ReleaseAll(OfNode(2)));
    Scatter(3);
    DestroyAll(Said({7}, 3), OfNode(3));
    EraseBatch(ReleaseAll(OfNode(4)));
  });
  EXPECT_GT(CheckAll(), 200u);
}

TEST_F(StoreCrashTest, APeriodOfManyLogs) {
  Record([&] {
    SendToPeriod(1, {1, 2}, {1, 2});
    Reopen();
    SendToPeriod(1, {3}, {1, 2});
    Reopen();
    SendToPeriod(1, {4, 5}, {1, 2});
    Scatter(1);
    Reopen();
    ReleaseAll(OfNode(1));
    Reopen();
    ReleaseAll(OfNode(2));
  });
  EXPECT_GT(CheckAll(), 100u);
}

// A scatter that failed, and whose traces are removed, does not count beside the one that follows.
TEST_F(StoreCrashTest, AScatterThatIsTriedTwice) {
  for (const char* const point :
       {"scatter/detached", "scatter/written", "scatter/remembered", "scatter/named"}) {
    SCOPED_TRACE(point);
    Know([](Knowledge& known) { known = {}; });
    options_.directory = scratch_.path() + "/store-" + std::string(point).substr(8);
    bool fails = true;
    options_.fault = [&](absl::string_view at) {
      return fails && at == point ? absl::ResourceExhaustedError("disk full") : absl::OkStatus();
    };
    Record([&] {
      SendToPeriod(1, {1, 2}, {1, 2});
      Step("scatter");
      EXPECT_TRUE(absl::IsResourceExhausted(store_->Scatter(OfNode(1)).status()));
      fails = false;
      Scatter(1);
      ReleaseAll(OfNode(1));
      ReleaseAll(OfNode(2));
    });
    options_.fault = nullptr;
    EXPECT_GT(CheckAll(), 50u);
  }
}

}  // namespace
}  // namespace tombola::shuffler
