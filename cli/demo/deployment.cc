#include "cli/demo/deployment.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/base/ids.h"
#include "common/base/status_macros.h"
#include "common/crypto/certificate.h"
#include "common/crypto/ed25519_sign.h"
#include "common/crypto/key_file.h"
#include "common/crypto/sha256.h"
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

constexpr absl::string_view kTokenName = "dashboard";
constexpr absl::string_view kTokenMark = "/#token=";

// The token of an earlier start, if it still signs in: bookmarks live on. Else empty.
std::string EarlierToken(const Layout& layout, const Config& earlier) {
  const size_t at = earlier.dashboard.rfind(std::string(kTokenMark));
  if (at == std::string::npos) return "";
  std::string token = earlier.dashboard.substr(at + kTokenMark.size());
  const auto entries = http::ReadTokenFile(layout.Tokens());
  if (!entries.ok()) return "";
  const crypto::Sha256Digest digest = crypto::Sha256(token);
  for (const http::TokenEntry& entry : *entries) {
    if (entry.name == kTokenName && entry.digest == digest && entry.expires > absl::Now()) {
      return token;
    }
  }
  return "";
}

// Tokens that somebody has added stay. Once the collector runs, so that a second start that fails
// leaves the first as it is.
absl::StatusOr<std::string> MakeToken(const Layout& layout) {
  const absl::string_view kName = kTokenName;
  const absl::Status former = http::RevokeToken(layout.Tokens(), kName);
  if (!former.ok() && !absl::IsNotFound(former)) return former;
  SecureRandom random;
  return http::CreateToken(layout.Tokens(),
                           {.role = std::string(kRoleAnalyst), .name = std::string(kName)}, random);
}

// What the daemons listen at; 0: a free one.
struct Ports {
  int shuffler = 0, ingest = 0, query = 0, http = 0;
};

bool IsFree(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return false;
  const int reuse = 1;  // as the daemons do: connections that linger are in nobody's way
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof(reuse));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool bound =
      bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  close(socket);
  return bound;
}

// The port in "127.0.0.1:7001" or "http://127.0.0.1:7001/...", if it is free; else 0.
int PortAgain(absl::string_view address) {
  const size_t host = address.find("127.0.0.1:");
  if (host == absl::string_view::npos) return 0;
  address.remove_prefix(host + 10);
  int port = 0;
  const bool read = absl::SimpleAtoi(address.substr(0, address.find('/')), &port);
  return read && port > 0 && port < 65536 && IsFree(port) ? port : 0;
}

// Those that were asked for, or those of an earlier start as far as they are free.
Ports ChoosePorts(int base, const Config& earlier) {
  if (base != 0) return {.shuffler = base, .ingest = base + 1, .query = base + 2, .http = base + 3};
  return {.shuffler = PortAgain(earlier.shuffler),
          .ingest = PortAgain(earlier.collector_ingest),
          .query = PortAgain(earlier.collector_query),
          .http = PortAgain(earlier.dashboard)};
}

absl::StatusOr<Child> StartCollector(const Layout& layout, const Ports& ports,
                                     const Deployment::Options& options) {
  const Identity who = layout.Who("collector");
  std::vector<std::string> arguments = {
      "--data-dir",     layout.In("collector"),  "--listen-ingest", Address(ports.ingest),
      "--listen-query", Address(ports.query),    "--cert",          who.certificate,
      "--key",          who.private_key,         "--roots",         layout.Roots(),
      "--signing-key",  layout.Seed("collector")};
  if (options.dashboard) {
    for (const std::string& word :
         {std::string("--listen-http"), Address(ports.http), std::string("--http-plaintext"),
          std::string("--http-tokens"), layout.Tokens()}) {
      arguments.push_back(word);
    }
  }
  arguments.insert(arguments.end(), options.collector_flags.begin(), options.collector_flags.end());
  return Child::Start("tombola-collector", arguments, layout.In("collector.log"));
}

absl::StatusOr<Child> StartShuffler(const Layout& layout, int port, int ingest_port) {
  const Identity who = layout.Who(kRoleShuffler);
  return Child::Start(
      "tombola-shuffler",
      {"--data-dir", layout.In("shuffler"), "--listen", Address(port), "--cert", who.certificate,
       "--key", who.private_key, "--roots", layout.Roots(), "--collector", Address(ingest_port),
       "--collector-key", layout.PublicKey("collector"), "--signing-key", layout.Seed("shuffler")},
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
  // Of an earlier start in this directory; empty where there was none, or none that can be read.
  const absl::StatusOr<Config> former = Config::Load(layout.In("tombola.json"));
  const Config earlier = former.ok() ? *former : Config();
  const Ports ports = ChoosePorts(options.port_base, earlier);
  TOMBOLA_ASSIGN_OR_RETURN(Child collector, StartCollector(layout, ports, options));
  const int ingest_port = collector.Port("ingest_port");
  const int query_port = collector.Port("query_port");
  const int http_port = collector.Port("http_port");
  TOMBOLA_ASSIGN_OR_RETURN(Child shuffler, StartShuffler(layout, ports.shuffler, ingest_port));
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
    std::string token = options.new_token ? "" : EarlierToken(layout, earlier);
    if (token.empty()) {
      TOMBOLA_ASSIGN_OR_RETURN(token, MakeToken(layout));
    }
    config.dashboard = absl::StrCat("http://", Address(http_port), kTokenMark, token);
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
