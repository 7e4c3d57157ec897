// Shuffler and collector in this process, over real TLS on loopback and real disk.
#ifndef TOMBOLA_TESTS_SUPPORT_DEPLOYMENT_H_
#define TOMBOLA_TESTS_SUPPORT_DEPLOYMENT_H_

#include <grpcpp/channel.h>

#include <memory>
#include <string>
#include <vector>

#include "collector/catalog/key_ring.h"
#include "collector/daemon.h"
#include "common/base/clock.h"
#include "common/crypto/certificate.h"
#include "common/daemon/options.h"
#include "common/rpc/tls.h"
#include "shuffler/daemon.h"
#include "tests/support/scratch_directory.h"
#include "tombola/v1/collector.pb.h"
#include "tombola/v1/shuffler.pb.h"

namespace tombola {

// Everything lies in a directory of its own, removed at the end. Failures abort the test.
class TestDeployment {
 public:
  struct Options {
    std::shared_ptr<const Clock> clock = std::make_shared<SystemClock>();  // of both daemons
    // Against which steps of it are recognised; nothing: the clock itself, which then has none.
    std::shared_ptr<const SteadyClock> steady = nullptr;
    collector::DaemonOptions collector = {};                 // paths and addresses are set here
    absl::Duration catalog_period = absl::Milliseconds(20);  // the shuffler's
  };

  TestDeployment() : TestDeployment(Options()) {}
  explicit TestDeployment(Options options);
  ~TestDeployment();

  std::string shuffler_address() const;
  std::string ingest_address() const;
  std::string query_address() const;
  const std::string& directory() const { return directory_.path(); }

  // The PEM files of a role; no certificate for an empty one.
  tls::Files FilesFor(const std::string& role) const;
  // A channel as this role.
  std::shared_ptr<grpc::Channel> Connect(const std::string& address, const std::string& role) const;

  // Makes a task and waits until the shuffler serves it.
  v1::TaskInfo CreateTask(const v1::CreateTaskRequest& request) const;
  // As the shuffler's operator gets it.
  v1::ShufflerStatus ShufflerStatus() const;
  // A request that is valid: 20 values, epsilon 8, 100 users.
  v1::CreateTaskRequest TaskRequest() const;

  // A further certificate with this role, known by its name where a role is asked for.
  void Issue(const std::string& name, const std::string& role) const;
  // Revokes the certificates of these roles and no others, at both daemons.
  void Revoke(const std::vector<std::string>& roles) const;

  void StopShuffler() { shuffler_.reset(); }
  void StartShuffler();
  void StopCollector() { collector_.reset(); }
  // On another port: a shuffler that runs does not find it.
  void StartCollector();

 private:
  std::shared_ptr<const SteadyClock> Steady() const;
  // What both daemons are told.
  daemon::Options OptionsFor(const std::string& name) const;

  const Options options_;
  const crypto::CertificateAuthority authority_;
  const ScratchDirectory directory_;
  std::string shuffler_key_;
  std::unique_ptr<collector::Daemon> collector_;
  std::unique_ptr<shuffler::Daemon> shuffler_;
};

}  // namespace tombola

#endif  // TOMBOLA_TESTS_SUPPORT_DEPLOYMENT_H_
