#include "common/task/key_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/crypto/hpke_suite.h"
#include "common/crypto/sha256.h"
#include "common/task/manifest.h"
#include "tests/support/test_task.h"
#include "tombola/v1/report.pb.h"

namespace tombola {
namespace {

using ::testing::HasSubstr;

// Any 32 bytes are an X25519 public key.
v1::HpkeKey Key(char fill, int64_t not_before, int64_t not_after) {
  std::array<uint8_t, 32> public_key;
  public_key.fill(static_cast<uint8_t>(fill));
  v1::HpkeKey key;
  key.set_public_key(std::string(AsView(public_key)));
  key.set_key_id(std::string(AsView(crypto::HpkeKeyId(public_key))));
  key.set_not_before(not_before);
  key.set_not_after(not_after);
  return key;
}

// One of many different keys, each valid after the one before it.
v1::HpkeKey NumberedKey(int number) {
  v1::HpkeKey key = Key('k', 10 * number, 10 * number + 10);
  std::array<uint8_t, 32> public_key{};
  public_key[0] = static_cast<uint8_t>(number);
  public_key[1] = static_cast<uint8_t>(number >> 8);
  key.set_public_key(std::string(AsView(public_key)));
  key.set_key_id(std::string(AsView(crypto::HpkeKeyId(public_key))));
  return key;
}

constexpr char kStream[] = "a stream's id, which is 32 bytes";

v1::HpkeKey NodeKey(char fill, uint64_t node, int64_t not_before, int64_t not_after) {
  v1::HpkeKey key = Key(fill, not_before, not_after);
  key.set_task_id(kStream, sizeof(TaskId));
  key.set_part(node);
  return key;
}

TaskId StreamId() { return *IdFromBytes<TaskId>({kStream, sizeof(TaskId)}); }

v1::KeyList ListOf(const std::vector<v1::HpkeKey>& keys) {
  v1::KeyList list;
  list.set_serial(7);
  list.set_issued(90);
  for (const v1::HpkeKey& key : keys) *list.add_keys() = key;
  return list;
}

absl::StatusOr<KeyList> SignAndVerify(const std::string& bytes) {
  return KeyList::Verify(bytes, TestCollectorKey().Sign(absl::StrCat(kKeyListContext, bytes)),
                         TestCollectorKey().public_key());
}

absl::StatusOr<KeyList> SignAndVerify(const std::vector<v1::HpkeKey>& keys) {
  return SignAndVerify(ListOf(keys).SerializeAsString());
}

absl::Time At(int64_t seconds) { return absl::FromUnixSeconds(seconds); }

TEST(KeyListTest, HasSerialAndKeysOfTheMessage) {
  const auto list = SignAndVerify({Key('a', 100, 200), Key('b', 200, 300)});
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->serial(), 7u);
  EXPECT_EQ(list->issued(), At(90));
  ASSERT_EQ(list->keys().size(), 2u);
  EXPECT_EQ(AsView(list->keys()[0].public_key), std::string(32, 'a'));
  EXPECT_EQ(AsView(list->keys()[0].id), AsView(crypto::Sha256(std::string(32, 'a'))).substr(0, 8));
  EXPECT_EQ(list->keys()[0].not_before, At(100));
  EXPECT_EQ(list->keys()[0].not_after, At(200));
  EXPECT_EQ(AsView(list->keys()[1].public_key), std::string(32, 'b'));
}

TEST(KeyListTest, ItsVersionTellsListsOfOneSerialApart) {
  const auto keys = [](const std::vector<v1::HpkeKey>& list) {
    return SignAndVerify(list)->version().keys;
  };
  const auto digest = keys({Key('a', 100, 200), Key('b', 200, 300)});
  EXPECT_EQ(keys({Key('a', 100, 200), Key('b', 200, 300)}), digest);
  v1::HpkeKey closing = Key('b', 200, 300);
  closing.set_closes(400);
  for (const auto& other : {std::vector<v1::HpkeKey>{Key('a', 100, 200)},
                            {Key('a', 100, 200), Key('c', 200, 300)},
                            {Key('a', 100, 200), Key('b', 200, 301)},
                            {Key('a', 99, 200), Key('b', 200, 300)},
                            {Key('a', 100, 200), closing}}) {
    EXPECT_NE(keys(other), digest);
  }
  // The example of docs/wire-format.md: one key of 32 bytes 'a' from 100 to 200, which does not
  // close.
  EXPECT_EQ(ToHex(keys({Key('a', 100, 200)})),
            "90c631c222ea0ca46890aa641059a307b8ae96ea6418f6a87e5b75658d783d51");
}

TEST(KeyListTest, ItsVersionTellsWhatAKeyIsFor) {
  const auto keys = [](const std::vector<v1::HpkeKey>& list) {
    return SignAndVerify(list)->version().keys;
  };
  const auto digest = keys({Key('a', 100, 200), NodeKey('b', 1, 100, 200)});
  v1::HpkeKey other_stream = NodeKey('b', 1, 100, 200);
  other_stream.set_task_id(std::string(32, 't'));
  for (const auto& other : {std::vector<v1::HpkeKey>{Key('a', 100, 200), Key('b', 200, 300)},
                            {NodeKey('a', 1, 100, 200), Key('b', 100, 200)},
                            {Key('a', 100, 200), NodeKey('b', 2, 100, 200)},
                            {Key('a', 100, 200), other_stream}}) {
    EXPECT_NE(keys(other), digest);
  }
  // The other example of docs/wire-format.md: besides that of 'a', one of 32 bytes 'b' for node 2
  // of a stream whose id is 32 bytes 't', from 100 to 200 and closing at 300.
  other_stream.set_part(2);
  other_stream.set_closes(300);
  EXPECT_EQ(ToHex(keys({Key('a', 100, 200), other_stream})),
            "cb5d02689c10cadbfaecd39ff23051218bf4d47225e100462e5cd3ad51fe0e24");
}

TEST(KeyListTest, AListFollowsAnOlderOneOrItself) {
  const KeyListVersion none, five{.serial = 5, .keys = {1}}, other{.serial = 5, .keys = {2}},
      six{.serial = 6, .keys = {3}};
  EXPECT_TRUE(CheckSuccessor(none, five).ok());
  EXPECT_TRUE(CheckSuccessor(five, five).ok());
  EXPECT_TRUE(CheckSuccessor(five, six).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(CheckSuccessor(six, five)));
  EXPECT_TRUE(absl::IsFailedPrecondition(CheckSuccessor(five, other)));
}

TEST(KeyListTest, AKeyIsActiveFromItsFirstMomentUpToButNotIncludingItsLast) {
  const auto list = SignAndVerify({Key('b', 200, 300), Key('a', 100, 200), Key('c', 400, 500)});
  ASSERT_TRUE(list.ok()) << list.status();
  const auto active = [&](absl::Time now) {
    return std::string(1, static_cast<char>(list->ActiveAt(now)->public_key[0]));
  };
  EXPECT_EQ(active(At(100)), "a");
  EXPECT_EQ(active(At(200) - absl::Nanoseconds(1)), "a");
  EXPECT_EQ(active(At(200)), "b");
  EXPECT_EQ(active(At(499)), "c");
  for (const int64_t gap : {99, 300, 399, 500}) {
    const auto none = list->ActiveAt(At(gap));
    EXPECT_TRUE(absl::IsFailedPrecondition(none.status())) << gap;
    EXPECT_THAT(std::string(none.status().message()), HasSubstr("no key that is valid now"));
  }
}

TEST(KeyListTest, ANodesKeyIsForItsNodeAloneAndAGeneralOneForNoNode) {
  const auto list = SignAndVerify({NodeKey('x', 1, 100, 200), Key('a', 100, 200),
                                   NodeKey('y', 2, 100, 300), NodeKey('z', 1, 200, 250)});
  ASSERT_TRUE(list.ok()) << list.status();
  const auto of_node = [&](uint64_t node, int64_t now) {
    const auto key = list->NodeKeyAt(StreamId(), node, At(now));
    return key.ok() ? std::string(1, static_cast<char>(key->public_key[0])) : "";
  };
  EXPECT_EQ(of_node(1, 100), "x");
  EXPECT_EQ(of_node(1, 199), "x");
  EXPECT_EQ(of_node(1, 200), "z");
  EXPECT_EQ(of_node(2, 200), "y");
  EXPECT_EQ(of_node(1, 250), "");
  EXPECT_EQ(of_node(3, 150), "");
  EXPECT_EQ(of_node(0, 150), "");
  const auto none = list->NodeKeyAt(TaskId{}, 1, At(150)).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(none)) << none;
  EXPECT_THAT(std::string(none.message()), HasSubstr("node 1"));
  EXPECT_EQ(list->ActiveAt(At(150))->public_key[0], 'a');
  EXPECT_TRUE(absl::IsFailedPrecondition(list->ActiveAt(At(220)).status()));
}

TEST(KeyListTest, WhatAKeyIsForDependsOnTheTask) {
  const auto histogram = MakeTestTask();
  const auto stream = MakeTestTask([](v1::Task* task) { MakeStream({0, 0}, task); });
  HpkeKey general, node;
  node.task = stream->id();
  node.part = 2;
  EXPECT_TRUE(general.IsFor(*histogram, 0));
  EXPECT_FALSE(general.IsFor(*stream, 2));
  EXPECT_TRUE(node.IsFor(*stream, 2));
  EXPECT_FALSE(node.IsFor(*stream, 1));
  EXPECT_FALSE(node.IsFor(*histogram, 0));
  EXPECT_FALSE(node.IsFor(*histogram, 2));
  node.task = histogram->id();
  EXPECT_FALSE(node.IsFor(*histogram, 2));
  EXPECT_FALSE(node.IsFor(*stream, 2));
}

TEST(KeyListTest, ContainsItsKeysWhetherActiveOrNot) {
  const auto list = SignAndVerify({Key('a', 100, 200), Key('b', 200, 300)});
  ASSERT_TRUE(list.ok());
  EXPECT_TRUE(list->Find(list->keys()[0].id).has_value());
  EXPECT_TRUE(list->Find(list->keys()[1].id).has_value());
  EXPECT_FALSE(list->Find(KeyId{}).has_value());
}

TEST(KeyListTest, AnEmptyListIsValidAndHasNoActiveKey) {
  const auto list = SignAndVerify(std::vector<v1::HpkeKey>{});
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_TRUE(absl::IsFailedPrecondition(list->ActiveAt(At(0)).status()));
}

TEST(KeyListTest, RefusesAnotherSigner) {
  const std::string bytes = ListOf({Key('a', 100, 200)}).SerializeAsString();
  const std::string signature = TestShufflerKey().Sign(absl::StrCat(kKeyListContext, bytes));
  const auto list = KeyList::Verify(bytes, signature, TestCollectorKey().public_key());
  EXPECT_TRUE(absl::IsUnauthenticated(list.status()));
  EXPECT_THAT(std::string(list.status().message()), HasSubstr("key_list.signature"));
}

TEST(KeyListTest, RefusesASignatureThatWasMadeForSomethingElse) {
  const std::string bytes = ListOf({Key('a', 100, 200)}).SerializeAsString();
  for (const std::string& message : {bytes, absl::StrCat(kManifestContext, bytes)}) {
    const auto list =
        KeyList::Verify(bytes, TestCollectorKey().Sign(message), TestCollectorKey().public_key());
    EXPECT_TRUE(absl::IsUnauthenticated(list.status()));
  }
}

TEST(KeyListTest, RefusesEveryChangedByte) {
  const std::string bytes = ListOf({Key('a', 100, 200)}).SerializeAsString();
  const std::string signature = TestCollectorKey().Sign(absl::StrCat(kKeyListContext, bytes));
  const auto verify = [](const std::string& b, const std::string& s) {
    return KeyList::Verify(b, s, TestCollectorKey().public_key()).status();
  };
  ASSERT_TRUE(verify(bytes, signature).ok());
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] ^= 1;
    EXPECT_TRUE(absl::IsUnauthenticated(verify(changed, signature))) << i;
  }
  for (size_t i = 0; i < signature.size(); ++i) {
    std::string changed = signature;
    changed[i] ^= 1;
    EXPECT_TRUE(absl::IsUnauthenticated(verify(bytes, changed))) << i;
  }
  EXPECT_TRUE(absl::IsUnauthenticated(verify(bytes, "")));
}

void ExpectRefused(const absl::Status& status, const std::string& message) {
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(message));
}

TEST(KeyListTest, RefusesSignedBytesThatAreNoList) {
  ExpectRefused(SignAndVerify(std::string("\xff\xff\xff")).status(), "serialised");
}

TEST(KeyListTest, RefusesABrokenKeyNamingItsField) {
  struct Broken {
    std::function<void(v1::HpkeKey*)> change;
    const char* message;
  };
  const std::vector<Broken> broken = {
      {[](v1::HpkeKey* key) { key->mutable_public_key()->pop_back(); },
       "key_list.keys.public_key must be 32 bytes"},
      {[](v1::HpkeKey* key) { key->clear_public_key(); },
       "key_list.keys.public_key must be 32 bytes"},
      {[](v1::HpkeKey* key) { (*key->mutable_key_id())[0] ^= 1; },
       "key_list.keys.key_id must be the first 8 bytes of SHA-256"},
      {[](v1::HpkeKey* key) { key->mutable_key_id()->pop_back(); },
       "key_list.keys.key_id must be the first 8 bytes of SHA-256"},
      {[](v1::HpkeKey* key) { key->set_not_before(-1); }, "key_list.keys.not_after"},
      {[](v1::HpkeKey* key) { key->set_not_after(key->not_before()); }, "key_list.keys.not_after"},
      {[](v1::HpkeKey* key) { key->set_task_id("short"); }, "key_list.keys.task_id must be 32"},
      {[](v1::HpkeKey* key) { key->set_part(1); }, "key_list.keys.part must be at least 1 with"},
      {[](v1::HpkeKey* key) { key->set_task_id(kStream, 32); }, "key_list.keys.part must be"},
  };
  for (const Broken& b : broken) {
    v1::HpkeKey key = Key('a', 100, 200);
    b.change(&key);
    ExpectRefused(SignAndVerify({Key('z', 500, 600), key}).status(), b.message);
  }
}

TEST(KeyListTest, AKeysWindowClosesWhenItSaysOrNever) {
  v1::HpkeKey key = Key('a', 100, 200);
  EXPECT_EQ(SignAndVerify({key})->keys()[0].closes, absl::InfiniteFuture());
  for (const int64_t closes : {200, 500}) {
    key.set_closes(closes);
    EXPECT_EQ(SignAndVerify({key})->keys()[0].closes, At(closes));
  }
  for (const int64_t closes : {199, 1, -1}) {
    key.set_closes(closes);
    const absl::Status status = SignAndVerify({key}).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("closes"));
  }
}

TEST(KeyListTest, RefusesTwoKeysThatAreValidAtOneMoment) {
  const std::string message = "key_list.keys must have at most one valid at any moment";
  ExpectRefused(SignAndVerify({Key('a', 100, 201), Key('b', 200, 300)}).status(), message);
  ExpectRefused(SignAndVerify({Key('b', 200, 300), Key('a', 100, 201)}).status(), message);
  ExpectRefused(SignAndVerify({Key('a', 100, 900), Key('b', 200, 300)}).status(), message);
  ExpectRefused(SignAndVerify({Key('a', 100, 200), Key('b', 100, 200)}).status(), message);
}

TEST(KeyListTest, RefusesTwoKeysOfOneNodeThatAreValidAtOneMoment) {
  const std::string message =
      "key_list.keys must have at most one for each node that is valid at any moment";
  ExpectRefused(SignAndVerify({NodeKey('a', 3, 100, 201), NodeKey('b', 3, 200, 300)}).status(),
                message);
  ExpectRefused(SignAndVerify({NodeKey('b', 3, 150, 160), Key('c', 100, 200),
                               NodeKey('d', 2, 100, 200), NodeKey('a', 3, 100, 200)})
                    .status(),
                message);
  EXPECT_TRUE(SignAndVerify({NodeKey('a', 3, 100, 200), NodeKey('b', 3, 200, 300)}).ok());
}

// Two keys of one id cost a collector a search of 2^32; one key twice stands for them here.
TEST(KeyListTest, RefusesTwoKeysOfOneId) {
  ExpectRefused(
      SignAndVerify({Key('a', 100, 200), Key('b', 200, 300), Key('a', 300, 400)}).status(),
      "key_list.keys must have distinct ids");
}

TEST(KeyListTest, RefusesAListThatDoesNotSayWhenItWasSigned) {
  for (const int64_t issued : {0, -1}) {
    v1::KeyList list = ListOf({Key('a', 100, 200)});
    list.set_issued(issued);
    ExpectRefused(SignAndVerify(list.SerializeAsString()).status(), "key_list.issued must be");
  }
}

TEST(KeyListTest, RefusesMoreThan4096Keys) {
  v1::KeyList list = ListOf({});
  for (int i = 0; i < 4096; ++i) *list.add_keys() = NumberedKey(i);
  EXPECT_TRUE(SignAndVerify(list.SerializeAsString()).ok());
  *list.add_keys() = NumberedKey(4096);
  ExpectRefused(SignAndVerify(list.SerializeAsString()).status(),
                "key_list.keys must be at most 4096");
}

}  // namespace
}  // namespace tombola
