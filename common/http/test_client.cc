#include "common/http/test_client.h"

#include <netinet/in.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/check.h"
#include "common/crypto/openssl_handles.h"

namespace tombola::http {
namespace {

constexpr int kPatienceSeconds = 30;

using Bio = std::unique_ptr<BIO, crypto::OpenSslDeleter<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, crypto::OpenSslDeleter<X509_free>>;
using PrivateKey = std::unique_ptr<EVP_PKEY, crypto::OpenSslDeleter<EVP_PKEY_free>>;

Bio Reading(absl::string_view text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}
Certificate ToCertificate(absl::string_view pem) {
  return Certificate(PEM_read_bio_X509(Reading(pem).get(), nullptr, nullptr, nullptr));
}

int Open(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  TOMBOLA_CHECK(socket >= 0);
  const timeval patience{.tv_sec = kPatienceSeconds, .tv_usec = 0};
  TOMBOLA_CHECK(setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0);
  TOMBOLA_CHECK(setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) == 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) return socket;
  close(socket);
  return -1;
}

}  // namespace

struct TestClient::Handles {
  ~Handles() {
    SSL_free(tls);
    if (socket >= 0) close(socket);
  }

  int socket = -1;
  std::unique_ptr<SSL_CTX, crypto::OpenSslDeleter<SSL_CTX_free>> context;
  SSL* tls = nullptr;
};

TestClient::TestClient(std::unique_ptr<Handles> handles) : handles_(std::move(handles)) {}
TestClient::~TestClient() = default;
TestClient::TestClient(TestClient&&) noexcept = default;
TestClient& TestClient::operator=(TestClient&&) noexcept = default;

std::optional<TestClient> TestClient::Connect(int port) {
  auto handles = std::make_unique<Handles>();
  handles->socket = Open(port);
  if (handles->socket < 0) return std::nullopt;
  return TestClient(std::move(handles));
}

std::optional<TestClient> TestClient::ConnectTls(int port, const TlsClientOptions& options) {
  std::optional<TestClient> client = Connect(port);
  if (!client.has_value()) return client;
  Handles& handles = *client->handles_;
  handles.context.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* context = handles.context.get();
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  TOMBOLA_CHECK(X509_STORE_add_cert(SSL_CTX_get_cert_store(context),
                                    ToCertificate(options.roots).get()) == 1);
  if (options.certificate != nullptr) {
    const PrivateKey key(PEM_read_bio_PrivateKey(
        Reading(options.certificate->private_key.ExposeSecretAsString()).get(), nullptr, nullptr,
        nullptr));
    TOMBOLA_CHECK(SSL_CTX_use_certificate(
                      context, ToCertificate(options.certificate->certificate).get()) == 1 &&
                  SSL_CTX_use_PrivateKey(context, key.get()) == 1);
  }
  if (options.version != 0) {
    TOMBOLA_CHECK(SSL_CTX_set_min_proto_version(context, options.version) == 1 &&
                  SSL_CTX_set_max_proto_version(context, options.version) == 1);
    SSL_CTX_set_security_level(context, 0);  // else it would not even offer an old version
  }
  TOMBOLA_CHECK(SSL_CTX_set_alpn_protos(
                    context, reinterpret_cast<const unsigned char*>(options.protocols.data()),
                    static_cast<unsigned>(options.protocols.size())) == 0);
  handles.tls = SSL_new(context);
  TOMBOLA_CHECK(SSL_set_fd(handles.tls, handles.socket) == 1);
  const bool connected = SSL_connect(handles.tls) == 1;
  ERR_clear_error();
  if (!connected) return std::nullopt;
  return client;
}

bool TestClient::Send(absl::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t sent = 0;
    if (handles_->tls != nullptr) {
      sent = SSL_write(handles_->tls, bytes.data(), static_cast<int>(bytes.size()));
      ERR_clear_error();
    } else {
      sent = send(handles_->socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

void TestClient::EndSending() { shutdown(handles_->socket, SHUT_WR); }

bool TestClient::Receive() {
  std::array<char, 65536> chunk;
  ssize_t got = 0;
  if (handles_->tls != nullptr) {
    got = SSL_read(handles_->tls, chunk.data(), static_cast<int>(chunk.size()));
    ERR_clear_error();
  } else {
    got = recv(handles_->socket, chunk.data(), chunk.size(), 0);
  }
  if (got > 0) received_.append(chunk.data(), static_cast<size_t>(got));
  return got > 0;
}

std::optional<Reply> TestClient::Read(bool head) {
  size_t end = 0;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!Receive()) return std::nullopt;
  }
  std::vector<std::string> lines = absl::StrSplit(received_.substr(0, end), "\r\n");
  received_.erase(0, end + 4);
  Reply reply;
  TOMBOLA_CHECK(absl::SimpleAtoi(lines[0].substr(9, 3), &reply.status));
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::pair<std::string, std::string> field =
        absl::StrSplit(lines[i], absl::MaxSplits(": ", 1));
    TOMBOLA_CHECK(reply.headers.emplace(absl::AsciiStrToLower(field.first), field.second).second);
  }
  size_t length = 0;
  if (!head && reply.headers.contains("content-length")) {
    TOMBOLA_CHECK(absl::SimpleAtoi(reply.headers["content-length"], &length));
  }
  while (received_.size() < length) {
    if (!Receive()) return std::nullopt;
  }
  reply.body = received_.substr(0, length);
  received_.erase(0, length);
  return reply;
}

std::optional<Reply> TestClient::Get(absl::string_view target, absl::string_view headers) {
  if (!Send(absl::StrCat("GET ", target, " HTTP/1.1\r\nHost: test\r\n", headers, "\r\n"))) {
    return std::nullopt;
  }
  return Read();
}

bool TestClient::Ends() {
  do errno = 0;
  while (Receive());
  return errno != EAGAIN;
}

std::string TestClient::protocol() const {
  const unsigned char* name = nullptr;
  unsigned length = 0;
  SSL_get0_alpn_selected(handles_->tls, &name, &length);
  return std::string(reinterpret_cast<const char*>(name), length);
}

int TestClient::tls_version() const { return SSL_version(handles_->tls); }

std::string TestClient::server_certificate() const {
  const Certificate certificate(SSL_get1_peer_certificate(handles_->tls));
  const Bio bio(BIO_new(BIO_s_mem()));
  TOMBOLA_CHECK(PEM_write_bio_X509(bio.get(), certificate.get()) == 1);
  char* text = nullptr;
  const long length = BIO_get_mem_data(bio.get(), &text);
  return std::string(text, static_cast<size_t>(length));
}

}  // namespace tombola::http
