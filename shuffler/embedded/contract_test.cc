// The embedded store does what every store does.
#include <filesystem>
#include <memory>
#include <string>

#include "shuffler/embedded/embedded_store.h"
#include "shuffler/store/contract_harness.h"
#include "tests/support/scratch_directory.h"

namespace tombola::shuffler {
namespace {

class EmbeddedWorld final : public StoreWorld {
 public:
  absl::StatusOr<std::unique_ptr<Store>> Open() override {
    return EmbeddedStore::Open({.directory = directory_});
  }
  void Crash() override {
    const std::string copy = directory_ + "+";
    std::filesystem::copy(directory_, copy, std::filesystem::copy_options::recursive);
    directory_ = copy;
  }

 private:
  ScratchDirectory scratch_{ScratchDirectory::Place::kMemory};
  std::string directory_ = scratch_.path() + "/store";
};

INSTANTIATE_TEST_SUITE_P(Embedded, StoreContractTest,
                         ::testing::Values(StoreEngine{
                             "embedded", [] { return std::make_unique<EmbeddedWorld>(); }}));

}  // namespace
}  // namespace tombola::shuffler
