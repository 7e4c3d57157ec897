// A client that says exactly what a test wants said, over TCP or TLS, and waits for no longer than
// half a minute.
#ifndef TOMBOLA_COMMON_HTTP_TEST_CLIENT_H_
#define TOMBOLA_COMMON_HTTP_TEST_CLIENT_H_

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "common/crypto/certificate.h"

namespace tombola::http {

struct Reply {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

struct TlsClientOptions {
  std::string roots;
  const crypto::CertificatePem* certificate = nullptr;  // none: anonymous
  std::string protocols = std::string("\x08http/1.1");  // of ALPN, each after its length
  int version = 0;                                      // of TLS, as OpenSSL numbers them; 0: any
};

class TestClient {
 public:
  // Nothing if nobody listens.
  static std::optional<TestClient> Connect(int port);
  // Nothing if the handshake fails. With TLS 1.3 a server that refuses the client's certificate
  // shows only when something is read.
  static std::optional<TestClient> ConnectTls(int port, const TlsClientOptions& options);
  ~TestClient();
  TestClient(TestClient&&) noexcept;
  TestClient& operator=(TestClient&&) noexcept;

  // False if the connection is broken.
  bool Send(absl::string_view bytes);
  // No more will be sent.
  void EndSending();
  // The next answer; nothing if the connection ends before it is whole.
  std::optional<Reply> Read(bool head = false);
  // Sends GET and reads the answer.
  std::optional<Reply> Get(absl::string_view target, absl::string_view headers = "");
  // Reads until the end; false if that does not come.
  bool Ends();

  std::string protocol() const;            // that ALPN chose
  int tls_version() const;                 // as OpenSSL numbers them
  std::string server_certificate() const;  // in PEM

 private:
  struct Handles;

  explicit TestClient(std::unique_ptr<Handles> handles);
  // More bytes into the buffer; false at the end and when time is over.
  bool Receive();

  std::unique_ptr<Handles> handles_;
  std::string received_;
};

}  // namespace tombola::http

#endif  // TOMBOLA_COMMON_HTTP_TEST_CLIENT_H_
