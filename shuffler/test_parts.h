// A catalogue and a store for the tests of the shuffler's rooms.
#ifndef TOMBOLA_SHUFFLER_TEST_PARTS_H_
#define TOMBOLA_SHUFFLER_TEST_PARTS_H_

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/crypto/hpke_suite.h"
#include "common/task/key_list.h"
#include "shuffler/catalog/catalog.h"
#include "shuffler/embedded/embedded_store.h"
#include "tests/support/scratch_directory.h"
#include "tests/support/test_task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::shuffler {

// An HPKE public key; nothing here opens anything, so any 32 bytes do.
inline std::array<uint8_t, 32> TestPublicKey(uint8_t fill) {
  std::array<uint8_t, 32> key;
  key.fill(fill);
  return key;
}
inline KeyId TestKeyId(uint8_t fill) { return crypto::HpkeKeyId(TestPublicKey(fill)); }

inline v1::SignedKeyList SignedKeys(uint64_t serial, uint8_t fill,
                                    const crypto::SigningKey& signer = TestCollectorKey()) {
  v1::KeyList list;
  list.set_serial(serial);
  list.set_issued(absl::ToUnixSeconds(TestTaskStart()));
  v1::HpkeKey* key = list.add_keys();
  key->set_key_id(std::string(AsView(TestKeyId(fill))));
  key->set_public_key(std::string(AsView(TestPublicKey(fill))));
  key->set_not_before(absl::ToUnixSeconds(TestTaskStart()));
  key->set_not_after(key->not_before() + 1000000);
  v1::SignedKeyList signed_list;
  signed_list.set_key_list(list.SerializeAsString());
  signed_list.set_signature(signer.Sign(absl::StrCat(kKeyListContext, signed_list.key_list())));
  return signed_list;
}

// What a node's key is made of.
inline uint8_t NodeFill(uint64_t node) { return static_cast<uint8_t>(100 + node); }
inline KeyId NodeKeyId(uint64_t node) { return TestKeyId(NodeFill(node)); }

// A general key of fill 7, and one for each node of a stream but for those that are `struck`.
inline v1::SignedKeyList StreamKeys(uint64_t serial, const Task& task,
                                    const std::vector<uint64_t>& struck = {}) {
  v1::KeyList list;
  list.ParseFromString(SignedKeys(serial, 7).key_list());
  for (uint64_t node = 1; node <= static_cast<uint64_t>(task.nodes()->count()); ++node) {
    if (std::find(struck.begin(), struck.end(), node) != struck.end()) continue;
    v1::HpkeKey* key = list.add_keys();
    key->set_key_id(std::string(AsView(NodeKeyId(node))));
    key->set_public_key(std::string(AsView(TestPublicKey(NodeFill(node)))));
    key->set_not_before(
        absl::ToUnixSeconds(task.periods()->Opens(task.nodes()->FirstPeriod(node))));
    key->set_not_after(absl::ToUnixSeconds(task.periods()->Closes(node)));
    key->set_closes(key->not_after());
    key->set_task_id(std::string(AsView(task.id())));
    key->set_part(node);
  }
  v1::SignedKeyList signed_list;
  signed_list.set_key_list(list.SerializeAsString());
  signed_list.set_signature(
      TestCollectorKey().Sign(absl::StrCat(kKeyListContext, signed_list.key_list())));
  return signed_list;
}

// Two keys: `former` is sealed to for the first hour and closes after the second, `present` then.
inline v1::SignedKeyList RotatedKeys(uint64_t serial, uint8_t former, uint8_t present) {
  const int64_t start = absl::ToUnixSeconds(TestTaskStart());
  v1::KeyList list;
  list.set_serial(serial);
  list.set_issued(absl::ToUnixSeconds(TestTaskStart()));
  for (const uint8_t fill : {former, present}) {
    v1::HpkeKey* key = list.add_keys();
    key->set_key_id(std::string(AsView(TestKeyId(fill))));
    key->set_public_key(std::string(AsView(TestPublicKey(fill))));
    key->set_not_before(fill == former ? start : start + 3600);
    key->set_not_after(fill == former ? start + 3600 : start + 1000000);
    key->set_closes(fill == former ? start + 7200 : start + 2000000);
  }
  v1::SignedKeyList signed_list;
  signed_list.set_key_list(list.SerializeAsString());
  signed_list.set_signature(
      TestCollectorKey().Sign(absl::StrCat(kKeyListContext, signed_list.key_list())));
  return signed_list;
}

inline v1::Catalog CatalogOf(uint64_t version, const Task& task, bool closed = false) {
  v1::Catalog catalog;
  catalog.set_version(version);
  catalog.add_tasks()->set_task(task.bytes());
  catalog.mutable_tasks(0)->set_closed(closed);
  *catalog.mutable_keys() = SignedKeys(1, 7);
  return catalog;
}

inline Catalog::Options CatalogOptions(const ScratchDirectory& scratch) {
  return {.path = scratch.In("catalog"),
          .shuffler_key = TestShufflerKey().public_key(),
          .collector_key = TestCollectorKey().public_key()};
}

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_TEST_PARTS_H_
