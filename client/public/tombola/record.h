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

// A number, or the label of an attribute that has labels, under its name.
struct Field {
  std::string name = {};
  std::variant<double, std::string> value = {};

  bool operator==(const Field&) const = default;
};
// One of a device's records: a purchase, a crash, a trip.
using Row = std::vector<Field>;

// One value, of a histogram or of strings; several, of a set; pairs, of key-values; a number, or
// that there is none, of numbers; rows, of records.
using Record = std::variant<std::string, std::vector<std::string>, std::vector<KeyValue>,
                            std::optional<double>, std::vector<Row>>;

}  // namespace tombola

#endif  // TOMBOLA_CLIENT_PUBLIC_TOMBOLA_RECORD_H_
