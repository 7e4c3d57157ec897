#include "tombola/star_join.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kProducts[] =
    "product,price,\"kind\"\r\n"
    "1,2.5,\"fruit, fresh\"\r\n"
    "b,10,\"\"\"hard\"\" ware\"\r\n";

StarJoin WithProducts() {
  StarJoin join({"kind"});
  EXPECT_TRUE(join.AddTable(kProducts, "product").ok());
  return join;
}

TEST(StarJoinTest, ARowGetsTheColumnsOfItsKeyAndTheProfile) {
  const auto joined = WithProducts().Join({{{"product", 1.0}, {"amount", 3.0}}}, {{"age", 31.0}});
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_THAT(*joined, ElementsAre(Row{{"product", 1.0},
                                       {"amount", 3.0},
                                       {"age", 31.0},
                                       {"price", 2.5},
                                       {"kind", "fruit, fresh"}}));
}

TEST(StarJoinTest, ARowWithoutAPartnerIsLeftOut) {
  const std::vector<Row> rows = {{{"product", "c"}}, {{"product", "b"}}, {{"product", 2.0}}};
  const auto joined = WithProducts().Join(rows);
  ASSERT_EQ(joined->size(), 1u);
  EXPECT_EQ(joined->front().back().value, (std::variant<double, std::string>("\"hard\" ware")));
  EXPECT_THAT(*WithProducts().Join({}), IsEmpty());
}

TEST(StarJoinTest, AKeyMayComeFromAnEarlierTableOrTheProfile) {
  StarJoin join({"region"});
  ASSERT_TRUE(join.AddTable("shop,town\n7,Oslo\n", "shop").ok());
  ASSERT_TRUE(join.AddTable("town,region\nOslo,1\n", "town").ok());
  const auto joined = join.Join({{{"amount", 1.0}}}, {{"shop", 7.0}});
  ASSERT_EQ(joined->size(), 1u);
  EXPECT_EQ(joined->front().back(), (Field{"region", "1"}));
}

TEST(StarJoinTest, RefusesTablesAndRowsThatDoNotFit) {
  const auto refusal = [](const char* csv) {
    StarJoin join;
    return std::string(join.AddTable(csv, "k").message());
  };
  EXPECT_THAT(refusal(""), HasSubstr("no line of names"));
  EXPECT_THAT(refusal("a,b\n"), HasSubstr("no column \"k\""));
  EXPECT_THAT(refusal("k,b\n1,2\n1,3\n"), HasSubstr("line 3: k \"1\" is there twice"));
  EXPECT_THAT(refusal("k,b\n1\n"), HasSubstr("line 2 has 1 fields"));
  EXPECT_THAT(refusal("k,b\n1,\"x\n"), HasSubstr("line 2 has a quote that is not closed"));
  EXPECT_THAT(refusal("k,b\n1,\"x\"y\n"), HasSubstr("line 2 has a quote that ends before"));
  EXPECT_THAT(refusal("k,b,b\n1,2,3\n"), HasSubstr("\"b\""));
  EXPECT_THAT(std::string(WithProducts().Join({{{"amount", 1.0}}}).status().message()),
              HasSubstr("lacks \"product\""));
  EXPECT_THAT(
      std::string(WithProducts().Join({{{"product", "b"}, {"price", 1.0}}}).status().message()),
      HasSubstr("\"price\""));
}

}  // namespace
}  // namespace tombola
