// Shuffler and collector in this process, over real TLS on loopback and real disk.
#ifndef TOMBOLA_TESTS_SUPPORT_DEPLOYMENT_H_
#define TOMBOLA_TESTS_SUPPORT_DEPLOYMENT_H_

#include <grpcpp/channel.h>

#include <memory>
#include <string>

#include "collector/catalog/key_ring.h"
#include "collector/daemon.h"
#include "common/base/clock.h"
#include "common/rpc/tls.h"
#include "shuffler/daemon.h"
#include "tombola/v1/collector.pb.h"

namespace tombola {

// Everything lies in a directory of its own, removed at the end. Failures abort the test.
class TestDeployment {
 public:
  struct Options {
    std::shared_ptr<const Clock> clock = std::make_shared<SystemClock>();  // of both daemons
    collector::DaemonOptions collector = {};  // paths and addresses are set here
  };

  TestDeployment() : TestDeployment(Options()) {}
  explicit TestDeployment(Options options);
  ~TestDeployment();

  std::string shuffler_address() const;
  std::string ingest_address() const;
  std::string query_address() const;
  const std::string& directory() const { return directory_; }

  // The PEM files of a role; no certificate for an empty one.
  rpc::TlsFiles FilesFor(const std::string& role) const;
  // A channel as this role.
  std::shared_ptr<grpc::Channel> Connect(const std::string& address, const std::string& role) const;

  // Makes a task and waits until the shuffler serves it.
  v1::TaskInfo CreateTask(const v1::CreateTaskRequest& request) const;
  // A request that is valid: 20 values, epsilon 8, 100 users.
  v1::CreateTaskRequest TaskRequest() const;

  void StopShuffler() { shuffler_.reset(); }
  void StartShuffler();
  void StopCollector() { collector_.reset(); }
  // On another port: a shuffler that runs does not find it.
  void StartCollector();

 private:
  const Options options_;
  std::string directory_;
  std::string shuffler_key_;
  std::unique_ptr<collector::Daemon> collector_;
  std::unique_ptr<shuffler::Daemon> shuffler_;
};

}  // namespace tombola

#endif  // TOMBOLA_TESTS_SUPPORT_DEPLOYMENT_H_
