#include "client/encode/among_dummies.h"

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "client/encode/random_order.h"

namespace tombola::client {

int64_t AppendAmongDummies(const mechanism::ValueReport& own, const mechanism::Dummies& dummies,
                           int64_t domain_size, RandomSource& random, std::string* out) {
  const int64_t number = 1 + dummies.Draw(random);
  std::vector<mechanism::ValueReport> reports(static_cast<size_t>(number));
  reports[0] = own;
  for (size_t i = 1; i < reports.size(); ++i) {
    reports[i].value =
        static_cast<uint32_t>(UniformBelow(static_cast<uint64_t>(domain_size), random));
  }
  AppendInRandomOrder(absl::MakeSpan(reports), random, out);
  return number;
}

}  // namespace tombola::client
