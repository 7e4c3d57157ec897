#include "common/http/connection.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/read.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/retry_after.h"
#include "common/crypto/certificate_pair.h"
#include "common/http/request_head.h"
#include "common/http/response_head.h"

namespace tombola::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using beast::error_code;
using TlsStream = asio::ssl::stream<beast::tcp_stream>;

constexpr size_t kFirstReadBytes = 4096;
constexpr size_t kJoinedBodyBytes = 16 << 10;  // smaller bodies are copied behind their head
constexpr size_t kWriteBytes = 1 << 20;        // at a time, so that progress shows
constexpr absl::Duration kLinger = absl::Seconds(2);

using Steady = std::chrono::steady_clock;

std::chrono::nanoseconds Chrono(absl::Duration duration) {
  return absl::ToChronoNanoseconds(duration);
}

// What a handler holds of the request: at most one answer goes through, and one does.
class Pending {
 public:
  explicit Pending(std::weak_ptr<Connection> connection) : connection_(std::move(connection)) {}
  ~Pending() { Give(ErrorResponse(absl::InternalError("the request was left without an answer"))); }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  void Give(Response response) {
    if (given_.exchange(true)) return;
    if (const auto connection = connection_.lock()) connection->Answer(std::move(response));
  }

 private:
  const std::weak_ptr<Connection> connection_;
  std::atomic<bool> given_ = false;
};

// All members run on the strand of the stream, but for those that the interface opens to others.
template <typename Stream>
class StreamConnection final : public Connection,
                               public std::enable_shared_from_this<StreamConnection<Stream>> {
 public:
  template <typename... Args>
  StreamConnection(std::shared_ptr<Serving> serving, TlsContext context, Room room, Args&&... args)
      : serving_(std::move(serving)),
        context_(std::move(context)),
        room_(room),
        stream_(std::forward<Args>(args)...),
        buffer_(static_cast<size_t>(serving_->limits.header_bytes)) {}

  void Start() override {
    asio::post(stream_.get_executor(), [self = this->shared_from_this()] { self->Begin(); });
  }

  // These may come when nobody runs the executor any more: what waits there must not own the
  // connection, which owns the executor.
  void Answer(Response response) override {
    asio::post(stream_.get_executor(),
               [weak = this->weak_from_this(), response = std::move(response)]() mutable {
                 if (const auto self = weak.lock()) self->Write(std::move(response));
               });
  }
  void Drain() override {
    asio::post(stream_.get_executor(), [weak = this->weak_from_this()] {
      const auto self = weak.lock();
      if (self != nullptr && self->idle_) self->Close();
    });
  }
  void Abort() override {
    asio::post(stream_.get_executor(), [weak = this->weak_from_this()] {
      if (const auto self = weak.lock()) self->Close();
    });
  }
  std::optional<Steady::time_point> StrangerAwaitedSince() const override {
    if (own_turn_ || known_) return std::nullopt;
    return awaited_since_.load();
  }

 private:
  static constexpr bool kTls = std::is_same_v<Stream, TlsStream>;

  beast::tcp_stream& Tcp() { return beast::get_lowest_layer(stream_); }

  // A handler that keeps the connection alive and calls the member.
  template <typename Member>
  auto Then(Member member) {
    return [self = this->shared_from_this(), member](auto&&... args) {
      ((*self).*member)(std::forward<decltype(args)>(args)...);
    };
  }

  void Begin() {
    error_code ignored;
    Tcp().socket().set_option(asio::ip::tcp::no_delay(true), ignored);
    if constexpr (kTls) {
      Tcp().expires_after(Chrono(serving_->limits.handshake));
      stream_.async_handshake(asio::ssl::stream_base::server,
                              Then(&StreamConnection::AfterHandshake));
    } else {
      AwaitRequest();
    }
  }

  void AfterHandshake(error_code error) {
    if (error) return Close();
    if constexpr (kTls) {
      certificates_ = PeerCertificates(stream_.native_handle());
      TakeRoles(crypto::CertificateRoles(certificates_).value_or(std::vector<std::string>()));
    }
    AwaitRequest();
  }

  void TakeRoles(std::vector<std::string> roles) {
    const std::vector<std::string>& token_only = serving_->token_only_roles;
    for (std::string& role : roles) {
      if (std::find(token_only.begin(), token_only.end(), role) == token_only.end()) {
        roles_.push_back(std::move(role));
      }
    }
    if (!roles_.empty()) known_ = true;
  }

  bool IsRevoked() const {
    return !certificates_.empty() && serving_->revocation != nullptr &&
           serving_->revocation->Current()->Revoke(certificates_);
  }

  void AwaitRequest() {
    if (buffer_.size() > 0) return ReadRequest();
    if (serving_->connections.draining()) return Close();
    idle_ = true;
    own_turn_ = false;
    awaited_since_ = Steady::now();
    Tcp().expires_after(Chrono(serving_->limits.idle));
    stream_.async_read_some(buffer_.prepare(std::min(kFirstReadBytes, buffer_.max_size())),
                            Then(&StreamConnection::AfterFirstBytes));
  }

  void AfterFirstBytes(error_code error, size_t bytes) {
    if (error || closed_) return Close();
    buffer_.commit(bytes);
    ReadRequest();
  }

  void ReadRequest() {
    idle_ = false;
    parser_.emplace();
    parser_->header_limit(static_cast<uint32_t>(serving_->limits.header_bytes));
    Tcp().expires_after(Chrono(serving_->limits.request));
    beast::http::async_read_header(stream_, buffer_, *parser_, Then(&StreamConnection::AfterHead));
  }

  void AfterHead(error_code error, size_t bytes) {
    if (closed_) return;
    Tcp().expires_never();
    // The parser applies the limit to the request line and to the fields, each by itself.
    if (bytes > static_cast<size_t>(serving_->limits.header_bytes)) {
      error = beast::http::error::header_limit;
    }
    if (error) {
      auto refusal = ParseRefusal(error);
      if (!refusal.has_value()) return Close();
      head_ = {};
      return Write(*std::move(refusal));
    }
    own_turn_ = true;
    head_ = ReadHead(*parser_);
    if (room_ == Room::kHealthOnly) head_.keep_alive = false;
    if (head_.refusal.has_value()) return Write(*std::move(head_.refusal));
    if (room_ == Room::kHealthOnly && !serving_->router.IsHealth(head_.request.path)) {
      absl::Status full = absl::UnavailableError("busy: too many connections");
      SetRetryAfter(absl::Seconds(1), &full);
      return Write(ErrorResponse(full));
    }
    if (IsRevoked()) {
      head_.keep_alive = false;
      return Write(ErrorResponse(absl::UnauthenticatedError("the certificate is revoked")));
    }
    std::vector<std::string> roles = roles_;
    if (!certificates_.empty()) head_.request.caller = crypto::CertificateName(certificates_);
    if (!head_.token.empty() && serving_->tokens != nullptr) {
      std::optional<TokenGrant> granted =
          serving_->tokens->Find(head_.token, serving_->clock->Now());
      head_.request.unknown_token = !granted.has_value();
      if (granted.has_value()) {
        head_.request.tasks = std::move(granted->tasks);
        head_.request.caller = absl::StrCat("token ", granted->name);
        if (std::find(roles.begin(), roles.end(), granted->role) == roles.end()) {
          roles.push_back(std::move(granted->role));
        }
      }
    }
    known_ = !roles.empty();  // a token may have been revoked since the last request
    head_.request.left = [left = left_] { return left->load(); };
    WatchPeer();
    auto pending = std::make_shared<Pending>(this->weak_from_this());
    serving_->router.Serve(
        std::move(head_.request), roles,
        [pending = std::move(pending)](Response response) { pending->Give(std::move(response)); });
  }

  // Nothing is read while an answer is computed, but the end of what the peer says shows. What it
  // says meanwhile stays in the socket, and every part of it, an end too, is told of once.
  void WatchPeer() {
    if (std::exchange(watching_, true)) return;
    Tcp().socket().async_wait(asio::ip::tcp::socket::wait_read,
                              [weak = this->weak_from_this()](error_code error) {
                                const auto self = weak.lock();
                                if (self == nullptr) return;
                                self->watching_ = false;
                                if (!error && !self->closed_ && self->own_turn_) self->AfterNews();
                              });
  }

  void AfterNews() {
    pollfd peer{.fd = Tcp().socket().native_handle(), .events = POLLRDHUP, .revents = 0};
    if (poll(&peer, 1, /*timeout=*/0) > 0) {
      *left_ = true;
    } else {
      WatchPeer();
    }
  }

  void Write(Response response) {
    if (closed_) return;
    keep_ = head_.keep_alive && !serving_->connections.draining();
    text_ = ResponseHead(response, !keep_           ? Connect::kClose
                                   : head_.http_1_0 ? Connect::kKeepAndSay
                                                    : Connect::kKeep);
    body_ = std::move(response.body);
    if (head_.head || response.status == 204 || response.status == 304) body_ = nullptr;
    if (body_ != nullptr && body_->size() <= kJoinedBodyBytes) {
      text_.append(*body_);
      body_ = nullptr;
    }
    written_ = 0;
    const ServerLimits& limits = serving_->limits;
    write_patience_ = Chrono(known_ ? limits.write : limits.stranger_write);
    answer_end_ = Steady::now() + Chrono(known_ ? limits.answer : limits.stranger_answer);
    own_turn_ = false;
    WriteMore();
  }

  void WriteMore() {
    const size_t body_bytes = body_ == nullptr ? 0 : body_->size();
    if (written_ == text_.size() + body_bytes) return AfterAnswer();
    const bool in_text = written_ < text_.size();
    const std::string& part = in_text ? text_ : *body_;
    const size_t from = in_text ? written_ : written_ - text_.size();
    const Steady::time_point now = Steady::now();
    awaited_since_ = now;
    Tcp().expires_at(std::min<Steady::time_point>(now + write_patience_, answer_end_));
    stream_.async_write_some(
        asio::buffer(part.data() + from, std::min(part.size() - from, kWriteBytes)),
        Then(&StreamConnection::AfterWrite));
  }

  void AfterWrite(error_code error, size_t bytes) {
    if (error || closed_) return Close();
    written_ += bytes;
    WriteMore();
  }

  void AfterAnswer() {
    body_ = nullptr;
    text_.clear();
    if (keep_) return AwaitRequest();
    Tcp().expires_after(Chrono(kLinger));
    if constexpr (kTls) {
      stream_.async_shutdown(Then(&StreamConnection::AfterTlsEnd));
    } else {
      AfterTlsEnd({});
    }
  }

  void AfterTlsEnd(error_code) {
    if (closed_) return;
    error_code error;
    Tcp().socket().shutdown(asio::ip::tcp::socket::shutdown_send, error);
    if (error) return Close();
    Discard({}, 0);
  }

  // Until the peer ends or the time to linger is over.
  void Discard(error_code error, size_t) {
    if (error || closed_) return Close();
    Tcp().async_read_some(asio::buffer(discarded_), Then(&StreamConnection::Discard));
  }

  void Close() {
    if (closed_) return;
    closed_ = true;
    Tcp().close();
    serving_->connections.Remove(this);
  }

  const std::shared_ptr<Serving> serving_;  // first: everything else needs its executor
  const TlsContext context_;
  const Room room_;
  Stream stream_;
  beast::flat_buffer buffer_;
  std::string certificates_;        // that the peer showed, in PEM
  std::vector<std::string> roles_;  // of the certificate
  std::optional<RequestParser> parser_;
  RequestHead head_;
  std::string text_;                           // of the answer: its head, and a small body
  std::shared_ptr<const std::string> body_;    // a large one
  size_t written_ = 0;                         // of both
  std::chrono::nanoseconds write_patience_{};  // until more of it must have been taken
  Steady::time_point answer_end_;              // when all of it must have been
  bool keep_ = false;
  bool idle_ = true;  // no request under way
  bool watching_ = false;
  // For other threads.
  const std::shared_ptr<std::atomic<bool>> left_ = std::make_shared<std::atomic<bool>>(false);
  std::atomic<bool> own_turn_ = false;  // from a whole head until there is an answer to it
  std::atomic<bool> known_ = false;     // a role was shown
  std::atomic<Steady::time_point> awaited_since_ = Steady::now();
  bool closed_ = false;
  std::array<char, 1024> discarded_;
};

}  // namespace

std::shared_ptr<Connection> MakeConnection(std::shared_ptr<Serving> serving,
                                           asio::ip::tcp::socket socket, TlsContext context,
                                           Room room) {
  if (context == nullptr) {
    return std::make_shared<StreamConnection<beast::tcp_stream>>(std::move(serving), nullptr, room,
                                                                 std::move(socket));
  }
  asio::ssl::context& tls = *context;
  return std::make_shared<StreamConnection<TlsStream>>(std::move(serving), std::move(context), room,
                                                       std::move(socket), tls);
}

}  // namespace tombola::http
