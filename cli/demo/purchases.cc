#include "cli/demo/purchases.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/query/records_truth.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/disk/whole_file.h"
#include "common/kind/records.h"
#include "tombola/star_join.h"

namespace tombola::cli {
namespace {

// Products are numbered from 1.
constexpr int kProducts = 12;
constexpr char kProductTable[] =
    "product,price,kind\n"
    "1,1.5,food\n"
    "2,3,food\n"
    "3,6.5,food\n"
    "4,12,food\n"
    "5,8,books\n"
    "6,14,books\n"
    "7,27,books\n"
    "8,6,toys\n"
    "9,18,toys\n"
    "10,33,toys\n"
    "11,22,tools\n"
    "12,38,tools\n";

// A tree over ages, and prices by kinds with what is bought of them.
constexpr char kPurchaseSchema[] = R"({
  "attributes": [
    {"name": "age", "low": 16, "high": 80, "bins": 64},
    {"name": "price", "low": 0, "high": 40, "bins": 4},
    {"name": "kind", "labels": ["food", "books", "toys", "tools"]}
  ],
  "measures": [{"name": "amount", "low": 0, "high": 10}],
  "max_records": 3,
  "questions": [
    {"attributes": ["age"], "branching": 8},
    {"attributes": ["price", "kind"], "measure": "amount"}
  ],
  "joins": [{"table": "products.csv", "key": "product"}]
}
)";

class Purchases final : public Population {
 public:
  explicit Purchases(int64_t devices) : Population(devices), join_({"kind"}) {
    TOMBOLA_CHECK(join_.AddTable(kProductTable, "product").ok());
  }

  absl::Status Describe(const std::string& directory, TaskRequestOptions* request) const override {
    request->kind = std::string(RecordsKind::kName);
    request->name = "purchases";
    request->schema_file = absl::StrCat(directory, "/purchases.json");
    TOMBOLA_RETURN_IF_ERROR(ReplaceFile(absl::StrCat(directory, "/products.csv"), kProductTable));
    return ReplaceFile(request->schema_file, kPurchaseSchema);
  }

  std::vector<QueryOptions> Questions() const override {
    return {{.where = {"price=10..30", "kind=books,toys"}, .measure = "amount"},
            {.where = {"age=30..45"}},
            {.by = {"price", "kind"}},
            {.measure = "amount", .by = {"kind"}},
            {.quantile = "0.25,0.5,0.75", .by = {"age"}}};
  }

  Truth TruthOf(const v1::Answer& answer, const Task& task) const override {
    const RecordCells& cells = static_cast<const RecordsKind&>(task.kind()).cells();
    RecordsTruth truth(answer.records(), cells.schema);
    for (const Purchase& purchase : purchases_) {
      for (const Row& row : Joined({&purchase, 1})) truth.Add(row);
    }
    return truth.Take();
  }

 private:
  // In few bytes: there may be many.
  struct Purchase {
    uint8_t age;
    uint8_t product;
    uint8_t tenths;  // of the amount
  };

  int Below(int end) { return std::min(static_cast<int>(Uniform() * end), end - 1); }

  // Food is bought by all, toys more by the young; the dearer, the less of it.
  Purchase NextPurchase(int age) {
    int product = 1 + Below(kProducts);
    const bool toys = product >= 8 && product <= 10;
    if (toys && Uniform() < static_cast<double>(age) / 80) product = 1 + Below(4);
    const double most = product <= 4 ? 10 : product <= 7 ? 4 : product <= 10 ? 6 : 3;
    const auto tenths = static_cast<uint8_t>(std::lround(10 * most * std::pow(Uniform(), 2)));
    return {.age = static_cast<uint8_t>(age),
            .product = static_cast<uint8_t>(product),
            .tenths = tenths};
  }

  // Of one device, as it does itself.
  std::vector<Row> Joined(absl::Span<const Purchase> purchases) const {
    std::vector<Row> rows;
    for (const Purchase& purchase : purchases) {
      rows.push_back({{.name = "product", .value = static_cast<double>(purchase.product)},
                      {.name = "amount", .value = purchase.tenths / 10.0}});
    }
    if (rows.empty()) return rows;
    const Row profile = {{.name = "age", .value = static_cast<double>(purchases.front().age)}};
    absl::StatusOr<std::vector<Row>> joined = join_.Join(rows, profile);
    TOMBOLA_CHECK(joined.ok());
    return *std::move(joined);
  }

  Record NextDevice() override {
    const int age = 16 + (Below(64) + Below(48)) / 2;
    const int bought = std::min(Below(6), 3);
    const size_t before = purchases_.size();
    for (int i = 0; i < bought; ++i) purchases_.push_back(NextPurchase(age));
    return Joined(absl::MakeConstSpan(purchases_).subspan(before));
  }

  StarJoin join_;
  std::vector<Purchase> purchases_;  // of every device
};

}  // namespace

std::unique_ptr<Population> MakePurchases(int64_t devices) {
  return std::make_unique<Purchases>(devices);
}

}  // namespace tombola::cli
