// Tasks, keys and catalogues that targets and their seeds share.
#ifndef TOMBOLA_TESTS_FUZZ_FIXTURES_H_
#define TOMBOLA_TESTS_FUZZ_FIXTURES_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/crypto/hpke_suite.h"
#include "common/task/key_list.h"
#include "common/task/task.h"
#include "tests/support/test_task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::fuzz {

// The test task under every mechanism, the hash families of local_hash apart; then sets and
// key-value pairs, whose devices say some or all of several cells.
std::vector<v1::Task> TasksOfEveryMechanism();

// Any 32 bytes are a public key.
inline std::array<uint8_t, 32> PublicKey(uint8_t fill) {
  std::array<uint8_t, 32> key;
  key.fill(fill);
  return key;
}

// `keys` keys one after the other, each for as long as the test task lasts.
inline v1::KeyList KeyListOf(uint64_t serial, int keys) {
  v1::KeyList list;
  list.set_issued(1800000000);
  list.set_serial(serial);
  int64_t from = absl::ToUnixSeconds(TestTaskStart());
  for (int i = 0; i < keys; ++i) {
    const auto public_key = PublicKey(static_cast<uint8_t>(7 + i));
    v1::HpkeKey* key = list.add_keys();
    key->set_key_id(std::string(AsView(crypto::HpkeKeyId(public_key))));
    key->set_public_key(std::string(AsView(public_key)));
    key->set_not_before(from);
    key->set_not_after(from += 30 * 24 * 3600);
  }
  return list;
}

// Signs the list as it is.
inline void SignKeys(v1::SignedKeyList* keys) {
  keys->set_signature(TestCollectorKey().Sign(absl::StrCat(kKeyListContext, keys->key_list())));
}

inline v1::Catalog CatalogOf(uint64_t version, const std::vector<v1::Task>& tasks) {
  v1::Catalog catalog;
  catalog.set_version(version);
  for (const v1::Task& task : tasks) catalog.add_tasks()->set_task(task.SerializeAsString());
  catalog.mutable_keys()->set_key_list(KeyListOf(1, 2).SerializeAsString());
  SignKeys(catalog.mutable_keys());
  return catalog;
}

}  // namespace tombola::fuzz

#endif  // TOMBOLA_TESTS_FUZZ_FIXTURES_H_
