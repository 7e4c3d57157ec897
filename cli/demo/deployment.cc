#include "cli/demo/deployment.h"

#include <signal.h>
#include <sys/wait.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/base/ids.h"
#include "common/base/status_macros.h"
#include "common/crypto/certificate.h"
#include "common/crypto/ed25519_sign.h"
#include "common/crypto/key_file.h"
#include "common/disk/directory.h"
#include "common/disk/whole_file.h"
#include "common/http/token_file.h"
#include "common/random/secure_random.h"
#include "common/rpc/server.h"
#include "common/rpc/tls.h"

namespace tombola::cli {
namespace {

// Where things lie in the directory.
struct Layout {
  std::string directory;

  std::string In(absl::string_view name) const { return absl::StrCat(directory, "/", name); }
  std::string Roots() const { return In("certificates/ca.pem"); }
  std::string Certificate(absl::string_view who) const {
    return In(absl::StrCat("certificates/", who, ".pem"));
  }
  std::string PrivateKey(absl::string_view who) const {
    return In(absl::StrCat("certificates/", who, ".key"));
  }
  std::string Seed(absl::string_view who) const { return In(absl::StrCat("keys/", who, ".seed")); }
  std::string Tokens() const { return In("keys/http-tokens"); }
  std::string PublicKey(absl::string_view who) const {
    return In(absl::StrCat("keys/", who, ".pub"));
  }
  Identity Who(absl::string_view who) const {
    return {.certificate = Certificate(who), .private_key = PrivateKey(who)};
  }
};

absl::Status IssueCertificates(const Layout& layout) {
  TOMBOLA_ASSIGN_OR_RETURN(
      const auto authority,
      crypto::CertificateAuthority::Create("tombola up", absl::Hours(24 * 3650), absl::Now()));
  for (const absl::string_view role : {absl::string_view("collector"), kRoleShuffler, kRoleOperator,
                                       kRoleAnalyst, kRoleAdministrator}) {
    crypto::IssueOptions options;
    options.common_name = std::string(role);
    options.role = std::string(role);
    options.dns_names = {"localhost"};
    options.ip_addresses = {"127.0.0.1"};
    TOMBOLA_ASSIGN_OR_RETURN(const crypto::CertificatePem pem, authority.Issue(options));
    TOMBOLA_RETURN_IF_ERROR(crypto::WriteSecretFile(layout.PrivateKey(role), pem.private_key,
                                                    crypto::ExistingFile::kReplace));
    TOMBOLA_RETURN_IF_ERROR(ReplaceFile(layout.Certificate(role), pem.certificate));
  }
  return ReplaceFile(layout.Roots(), authority.certificate());
}

absl::Status GenerateLongTermKey(const Layout& layout, absl::string_view who) {
  SecureRandom random;
  TOMBOLA_ASSIGN_OR_RETURN(const crypto::SigningKey key, crypto::SigningKey::Generate(random));
  TOMBOLA_RETURN_IF_ERROR(
      crypto::WriteSecretFile(layout.Seed(who), key.seed(), crypto::ExistingFile::kReplace));
  return ReplaceFile(layout.PublicKey(who), absl::StrCat(ToHex(key.public_key()), "\n"));
}

// Everything is made before the file that a second start looks for.
absl::Status Prepare(const Layout& layout) {
  // Whatever the umask: the daemons refuse keys in a directory that others may write.
  for (const absl::string_view name : {"certificates", "keys"}) {
    TOMBOLA_RETURN_IF_ERROR(MakeDirectories(layout.In(name)));
    std::error_code error;
    std::filesystem::permissions(
        layout.In(name), std::filesystem::perms::group_write | std::filesystem::perms::others_write,
        std::filesystem::perm_options::remove, error);
  }
  const std::string complete = layout.In("keys/complete");
  if (std::filesystem::exists(complete)) return absl::OkStatus();
  TOMBOLA_RETURN_IF_ERROR(IssueCertificates(layout));
  TOMBOLA_RETURN_IF_ERROR(GenerateLongTermKey(layout, "collector"));
  TOMBOLA_RETURN_IF_ERROR(GenerateLongTermKey(layout, "shuffler"));
  return ReplaceFile(complete, "keys and certificates are complete\n");
}

std::string Address(int port) { return absl::StrCat("127.0.0.1:", port); }

// Of no earlier start: whoever has seen the address of that one is not let in any more. Tokens that
// somebody has added stay. Once the collector runs, so that a second start that fails leaves the
// first as it is.
absl::StatusOr<std::string> MakeToken(const Layout& layout) {
  constexpr absl::string_view kName = "dashboard";
  const absl::Status former = http::RevokeToken(layout.Tokens(), kName);
  if (!former.ok() && !absl::IsNotFound(former)) return former;
  SecureRandom random;
  return http::CreateToken(layout.Tokens(),
                           {.role = std::string(kRoleAnalyst), .name = std::string(kName)}, random);
}

absl::StatusOr<Child> StartCollector(const Layout& layout, int port_base, bool dashboard) {
  const Identity who = layout.Who("collector");
  const auto listen = [port_base](int place) {
    return Address(port_base == 0 ? 0 : port_base + place);
  };
  std::vector<std::string> arguments = {"--data-dir",      layout.In("collector"),
                                        "--listen-ingest", listen(1),
                                        "--listen-query",  listen(2),
                                        "--cert",          who.certificate,
                                        "--key",           who.private_key,
                                        "--roots",         layout.Roots(),
                                        "--signing-key",   layout.Seed("collector")};
  if (dashboard) {
    for (const std::string& word :
         {std::string("--listen-http"), listen(3), std::string("--http-plaintext"),
          std::string("--http-tokens"), layout.Tokens()}) {
      arguments.push_back(word);
    }
  }
  return Child::Start("tombola-collector", arguments, layout.In("collector.log"));
}

absl::StatusOr<Child> StartShuffler(const Layout& layout, int port_base, int ingest_port) {
  const Identity who = layout.Who(kRoleShuffler);
  return Child::Start("tombola-shuffler",
                      {"--data-dir", layout.In("shuffler"), "--listen", Address(port_base),
                       "--cert", who.certificate, "--key", who.private_key, "--roots",
                       layout.Roots(), "--collector", Address(ingest_port), "--collector-key",
                       layout.PublicKey("collector"), "--signing-key", layout.Seed("shuffler")},
                      layout.In("shuffler.log"));
}

absl::StatusOr<std::string> ReadPublicKey(const Layout& layout, absl::string_view who) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(layout.PublicKey(who)));
  return std::string(absl::StripAsciiWhitespace(text));
}

}  // namespace

absl::StatusOr<Deployment> Deployment::Start(const Options& options) {
  if (options.directory.empty()) return absl::InvalidArgumentError("--dir must not be empty");
  const Layout layout{std::filesystem::absolute(options.directory).lexically_normal().string()};
  TOMBOLA_RETURN_IF_ERROR(MakeDirectories(layout.directory));
  TOMBOLA_ASSIGN_OR_RETURN(DiskLock lock, DiskLock::OfDirectory(layout.directory));
  TOMBOLA_RETURN_IF_ERROR(Prepare(layout));
  if (options.dashboard && !std::filesystem::exists(layout.Tokens())) {
    TOMBOLA_RETURN_IF_ERROR(http::ClearTokens(layout.Tokens()));
  }
  TOMBOLA_ASSIGN_OR_RETURN(Child collector,
                           StartCollector(layout, options.port_base, options.dashboard));
  const int ingest_port = collector.Port("ingest_port");
  const int query_port = collector.Port("query_port");
  const int http_port = collector.Port("http_port");
  TOMBOLA_ASSIGN_OR_RETURN(Child shuffler, StartShuffler(layout, options.port_base, ingest_port));
  Deployment deployment(std::move(lock), std::move(collector), std::move(shuffler));
  Config& config = deployment.config_;
  config.shuffler = Address(deployment.shuffler_.Port("port"));
  config.collector_ingest = Address(ingest_port);
  config.collector_query = Address(query_port);
  config.roots = layout.Roots();
  TOMBOLA_ASSIGN_OR_RETURN(config.shuffler_key, ReadPublicKey(layout, "shuffler"));
  TOMBOLA_ASSIGN_OR_RETURN(config.collector_key, ReadPublicKey(layout, "collector"));
  config.administrator = layout.Who(kRoleAdministrator);
  config.analyst = layout.Who(kRoleAnalyst);
  config.operator_ = layout.Who(kRoleOperator);
  if (options.dashboard) {
    TOMBOLA_ASSIGN_OR_RETURN(const std::string token, MakeToken(layout));
    config.dashboard = absl::StrCat("http://", Address(http_port), "/#token=", token);
  }
  deployment.config_path_ = layout.In("tombola.json");
  nlohmann::ordered_json json = config.ToJson();
  json["shuffler_pid"] = deployment.shuffler_pid();
  json["collector_pid"] = deployment.collector_pid();
  // For its owner alone: the dashboard's address has a token in it.
  TOMBOLA_RETURN_IF_ERROR(crypto::WriteSecretFile(
      deployment.config_path_, crypto::SecretBytes(absl::string_view(json.dump(2) + "\n")),
      crypto::ExistingFile::kReplace));
  return deployment;
}

void Deployment::BlockSignals() {
  rpc::BlockTerminationSignals();
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &child, nullptr);
}

absl::Status Deployment::WaitForEnd() const {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&set, signal);
  while (true) {
    int signal = 0;
    sigwait(&set, &signal);
    if (signal != SIGCHLD) return absl::OkStatus();
    for (const pid_t pid : {shuffler_pid(), collector_pid()}) {
      siginfo_t info{};
      if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
          info.si_pid == pid) {
        const char* const who = pid == shuffler_pid() ? "shuffler" : "collector";
        const char* const how = info.si_code == CLD_EXITED ? "exit code " : "signal ";
        return absl::UnavailableError(absl::StrCat("the ", who, " ended by itself (", how,
                                                   info.si_status, "): see ", who, ".log"));
      }
    }
  }
}

absl::Status Deployment::Stop() {
  // The shuffler first: it forwards to the collector.
  const absl::Status shuffler = shuffler_.Stop();
  const absl::Status collector = collector_.Stop();
  return shuffler.ok() ? collector : shuffler;
}

}  // namespace tombola::cli
