// Who may do what: the roles that certificates and tokens carry.
#ifndef TOMBOLA_COMMON_BASE_ROLES_H_
#define TOMBOLA_COMMON_BASE_ROLES_H_

#include "absl/strings/string_view.h"

namespace tombola {

// A certificate names its holder's role in a URI of its subject alternative names: this, then the
// role.
inline constexpr absl::string_view kRoleUriPrefix = "tombola://role/";

inline constexpr absl::string_view kRoleDevice = "device";
inline constexpr absl::string_view kRoleShuffler = "shuffler";
inline constexpr absl::string_view kRoleOperator = "operator";
inline constexpr absl::string_view kRoleAnalyst = "analyst";
inline constexpr absl::string_view kRoleAdministrator = "administrator";
inline constexpr absl::string_view kRoleMonitor = "monitor";  // reads metrics and nothing else

}  // namespace tombola

#endif  // TOMBOLA_COMMON_BASE_ROLES_H_
