// Where a party's certificates lie.
#ifndef TOMBOLA_COMMON_TLS_FILES_H_
#define TOMBOLA_COMMON_TLS_FILES_H_

#include <string>

namespace tombola::tls {

// Paths of PEM files.
struct Files {
  std::string certificate;  // one's own chain; empty for a client without one
  std::string private_key;
  std::string roots;  // who vouches for the other side
};

// Paths of PEM files.
struct RevocationFiles {
  std::string lists;  // empty: nothing is revoked
  std::string roots;  // who signs the lists
};

}  // namespace tombola::tls

#endif  // TOMBOLA_COMMON_TLS_FILES_H_
