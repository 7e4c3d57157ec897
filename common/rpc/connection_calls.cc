#include "common/rpc/connection_calls.h"

#include <grpc/grpc.h>

#include <atomic>

#include "common/base/mutex.h"

namespace tombola::rpc {
namespace {

// The number lives in the connection's own memory: gRPC keeps properties until the connection and
// its last call are gone, never moves their values, and hands out where they are.
constexpr char kCalls[] = "tombola_calls";

std::atomic_ref<int64_t> NumberAt(char* value) {
  return std::atomic_ref<int64_t>(*reinterpret_cast<int64_t*>(value));
}

char* Find(const grpc_auth_context* connection) {
  grpc_auth_property_iterator found = grpc_auth_context_find_properties_by_name(connection, kCalls);
  const grpc_auth_property* const property = grpc_auth_property_iterator_next(&found);
  return property == nullptr ? nullptr : property->value;
}

char* FindOrAdd(grpc_auth_context* connection) {
  static Mutex* const mutex = new Mutex;
  // A handler looks at the properties only after the first call of its connection was here.
  MutexLock lock(*mutex);
  if (char* const found = Find(connection)) return found;
  const char zero[sizeof(int64_t)] = {};
  grpc_auth_context_add_property(connection, kCalls, zero, sizeof(zero));
  return Find(connection);
}

void Begin(void*, grpc_auth_context* connection, const grpc_metadata*, size_t,
           grpc_process_auth_metadata_done_cb done, void* call) {
  const auto number = NumberAt(FindOrAdd(connection));
  const bool room = number.fetch_add(1) < kMostCallsOfConnection;
  if (!room) number.fetch_sub(1);
  done(call, nullptr, 0, nullptr, 0, room ? GRPC_STATUS_OK : GRPC_STATUS_RESOURCE_EXHAUSTED,
       room ? nullptr : "busy: this connection has too many calls under way");
}

}  // namespace

void LimitCallsOfConnections(grpc_server_credentials* credentials) {
  grpc_server_credentials_set_auth_metadata_processor(
      credentials, {.process = &Begin, .destroy = nullptr, .state = nullptr});
}

CallOfConnection::CallOfConnection(const grpc::ServerContextBase& context)
    : connection_(context.auth_context()) {}

CallOfConnection::~CallOfConnection() {
  for (const grpc::string_ref& value : connection_->FindPropertyValues(kCalls)) {
    NumberAt(const_cast<char*>(value.data())).fetch_sub(1);
  }
}

}  // namespace tombola::rpc
