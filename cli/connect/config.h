// tombola.json: where the daemons are and who the caller is.
#ifndef TOMBOLA_CLI_CONNECT_CONFIG_H_
#define TOMBOLA_CLI_CONNECT_CONFIG_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace CLI {
class App;
}

namespace tombola::cli {

// The PEM files of one role; empty where the caller does not have it.
struct Identity {
  std::string certificate;
  std::string private_key;

  // Whether both can be read: a file that several people share may name what only others have.
  bool IsAtHand() const;
};

// Who has one role only needs no more than roots, and what is of that role: the rest may be absent,
// and what needs it says so.
struct Config {
  std::string file;              // where it was read from, for messages
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

  // Relative paths in the file count from its directory. An empty path: the file that the
  // environment or a usual place has (kUsualPlaces). InvalidArgument names the field that is wrong,
  // or says where a file was looked for.
  static absl::StatusOr<Config> Load(const std::string& path);
  nlohmann::ordered_json ToJson() const;
};

// In words, for help texts.
inline constexpr char kUsualPlaces[] =
    "$TOMBOLA_CONFIG, else ~/.config/tombola/tombola.json, else /etc/tombola/tombola.json";

// The flag --config of a command that talks to a deployment.
void AddConfigFlag(CLI::App& app, std::string* path);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_CONNECT_CONFIG_H_
