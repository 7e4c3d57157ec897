// A device's own rows, joined with public tables where they are.
#ifndef TOMBOLA_CLIENT_PUBLIC_TOMBOLA_STAR_JOIN_H_
#define TOMBOLA_CLIENT_PUBLIC_TOMBOLA_STAR_JOIN_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tombola/record.h"

namespace tombola {

// What a server would join by the ids of users is joined here before anything leaves the device: a
// row of a product's number becomes one with that product's price and kind, from a table that is no
// secret and is the same on every device. What comes out is for Client::ReportRows.
//
// Keys are compared as texts, a number as its shortest form without an exponent: 1234567 is
// "1234567", and 2.5 "2.5". Whole numbers beyond 2^53, which doubles do not tell apart, must be
// texts. Not thread-safe while tables are added, thread-safe after.
class StarJoin {
 public:
  // `texts`: names of columns whose fields stay texts even where they read as numbers: labels.
  explicit StarJoin(std::vector<std::string> texts = {});

  // A table of comma-separated values (RFC 4180), of which the first line has the columns' names
  // and `key` is one of them; a byte order mark before it is skipped. Tables are joined in the
  // order in which they were added, so that a key may come from an earlier one. InvalidArgument
  // naming the line: a key is there twice, a line has more or fewer fields than the first; or there
  // is no column of that name.
  absl::Status AddTable(absl::string_view csv, const std::string& key);

  // The rows with the fields of `profile`, which all of them get, and of each table those of their
  // key. A row whose key a table does not have is left out, as it has no place in an inner join; so
  // it is before a choice is made of too many. InvalidArgument: a row lacks a key, or would have
  // two fields of one name.
  absl::StatusOr<std::vector<Row>> Join(absl::Span<const Row> rows, const Row& profile = {}) const;

 private:
  struct Table {
    std::string key;
    std::map<std::string, Row> rows;  // by their keys, without them
  };

  absl::StatusOr<bool> AddColumns(const Table& table, Row* row) const;

  std::vector<std::string> texts_;
  std::vector<Table> tables_;
};

}  // namespace tombola

#endif  // TOMBOLA_CLIENT_PUBLIC_TOMBOLA_STAR_JOIN_H_
