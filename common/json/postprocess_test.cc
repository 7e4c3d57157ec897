#include "common/json/postprocess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tombola {
namespace {

TEST(PostprocessTest, HasTheNamesThatPeopleUseTheUsualOneFirst) {
  EXPECT_THAT(PostprocessNames(),
              testing::ElementsAre("pop", "none", "norm_sub", "base_cut", "em"));
}

TEST(PostprocessTest, ReadsThemAndNothingElse) {
  EXPECT_EQ(PostprocessFromName("pop"), v1::POSTPROCESS_POP);
  EXPECT_EQ(PostprocessFromName("norm_sub"), v1::POSTPROCESS_NORM_SUB);
  for (const char* const word : {"", "Pop", "NORM_SUB", "unspecified"}) {
    EXPECT_EQ(PostprocessFromName(word), std::nullopt) << word;
  }
}

}  // namespace
}  // namespace tombola
