#include "common/config/nearest.h"

#include <gtest/gtest.h>

namespace tombola::config {
namespace {

const std::vector<std::string>& Known() {
  static const std::vector<std::string>* const known =
      new std::vector<std::string>{"query", "report", "--epsilon", "--delta", "task"};
  return *known;
}

TEST(NearestTest, FindsWhatWasMistyped) {
  EXPECT_EQ(Nearest("qurey", Known()), "query");  // swapped
  EXPECT_EQ(Nearest("reprot", Known()), "report");
  EXPECT_EQ(Nearest("repor", Known()), "report");  // left out
  EXPECT_EQ(Nearest("--epsilons", Known()), "--epsilon");
  EXPECT_EQ(Nearest("tusk", Known()), "task");
}

TEST(NearestTest, SaysNothingOfWhatIsFarFromAll) {
  EXPECT_EQ(Nearest("banana", Known()), "");
  EXPECT_EQ(Nearest("", Known()), "");
  EXPECT_EQ(Nearest(std::string(1000, 'q'), Known()), "");
}

}  // namespace
}  // namespace tombola::config
