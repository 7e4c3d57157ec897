// What a device may hold, by the kind of its task.
#ifndef TOMBOLA_CLIENT_PUBLIC_TOMBOLA_RECORD_H_
#define TOMBOLA_CLIENT_PUBLIC_TOMBOLA_RECORD_H_

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tombola {

// A key and the number that goes with it.
struct KeyValue {
  std::string key = {};
  double value = 0;

  bool operator==(const KeyValue&) const = default;
};

// One value, of a histogram; several, of a set; pairs, of key-values; a number, or that there is
// none, of numbers.
using Record = std::variant<std::string, std::vector<std::string>, std::vector<KeyValue>,
                            std::optional<double>>;

}  // namespace tombola

#endif  // TOMBOLA_CLIENT_PUBLIC_TOMBOLA_RECORD_H_
