// tombola.json: where the daemons are and who the caller is.
#ifndef TOMBOLA_CLI_CONNECT_CONFIG_H_
#define TOMBOLA_CLI_CONNECT_CONFIG_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tombola::cli {

// The PEM files of one role.
struct Identity {
  std::string certificate;
  std::string private_key;
};

struct Config {
  std::string shuffler;          // host:port for devices and the operator
  std::string collector_ingest;  // host:port
  std::string collector_query;   // host:port
  std::string roots;             // PEM file: who vouches for the daemons
  std::string shuffler_key;      // long-term public keys, hexadecimal
  std::string collector_key;
  Identity administrator;
  Identity analyst;
  Identity operator_;
  std::string dashboard;  // address of the page, with a token that signs in; empty: there is none

  // Relative paths in the file count from its directory. InvalidArgument names the field that is
  // missing.
  static absl::StatusOr<Config> Load(const std::string& path);
  nlohmann::ordered_json ToJson() const;
};

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_CONNECT_CONFIG_H_
