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

TEST(StarJoinTest, ANumbersKeyHasAllItsDigits) {
  StarJoin join;
  ASSERT_TRUE(join.AddTable("id,price\n1234567,1\n1234568,2\n1000000,3\n0.1,4\n0,5\n"
                            "9007199254740992,6\n",
                            "id")
                  .ok());
  const auto price = [&](double id) {
    const auto joined = join.Join({{{"id", id}}});
    EXPECT_EQ(joined->size(), 1u) << id;
    return joined->empty() ? 0 : std::get<double>(joined->front().back().value);
  };
  EXPECT_EQ(price(1234567), 1);
  EXPECT_EQ(price(1234568), 2);
  EXPECT_EQ(price(1e6), 3);
  EXPECT_EQ(price(0.1), 4);
  EXPECT_EQ(price(-0.0), 5);
  EXPECT_EQ(price(0x1p53), 6);
  EXPECT_THAT(*join.Join({{{"id", 5e-324}}, {{"id", 1.7e308}}}), IsEmpty());
}

TEST(StarJoinTest, AByteOrderMarkIsNoPartOfAName) {
  StarJoin join;
  const absl::Status added = join.AddTable("\xEF\xBB\xBFid,price\n1,2\n", "id");
  ASSERT_TRUE(added.ok()) << added;
  EXPECT_EQ(join.Join({{{"id", 1.0}}})->size(), 1u);
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
