#include <cstdlib>
#include <cstring>
#include <new>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/crypto/hpke_suite.h"
#include "common/crypto/secret_bytes.h"
#include "common/crypto/sha256.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

// One block of memory that is looked at in the moment it is given back.
struct WatchedBlock {
  const void* block = nullptr;
  size_t size = 0;
  bool freed = false;
  bool was_zero = false;
} g_watched;

void LookAt(const void* block) {
  if (block == nullptr || block != g_watched.block) return;
  const auto* const bytes = static_cast<const volatile unsigned char*>(block);
  unsigned char any = 0;
  for (size_t i = 0; i < g_watched.size; ++i) any |= bytes[i];
  g_watched.freed = true;
  g_watched.was_zero = any == 0;
  g_watched.block = nullptr;
}

void Watch(absl::Span<const uint8_t> bytes) {
  g_watched = {bytes.data(), bytes.size(), false, false};
}

}  // namespace

// Not inlined, for GCC would take the malloc inside for a mismatch.
[[gnu::noinline]] void* operator new(size_t size) {
  if (void* const block = std::malloc(size)) return block;
  std::abort();
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
  LookAt(block);
  std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, size_t) noexcept {
  LookAt(block);
  std::free(block);
}

namespace tombola::crypto {
namespace {

std::string Hex(absl::Span<const uint8_t> bytes) {
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

// FIPS 180-4's examples.
TEST(Sha256, MatchesThePublishedDigests) {
  EXPECT_EQ(Hex(Sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Hex(Sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Hex(Sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Hex(Sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, TakesTextBytesAndPartsAlike) {
  const std::string text = "one two three, and a block of sixty-four bytes is well exceeded here";
  const std::vector<uint8_t> bytes(text.begin(), text.end());
  const absl::string_view view = text;
  EXPECT_EQ(Sha256(bytes), Sha256(text));
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_EQ(Sha256({view.substr(0, cut), "", view.substr(cut)}), Sha256(text));
  }
  const std::vector<absl::string_view> parts = {view.substr(0, 3), view.substr(3)};
  EXPECT_EQ(Sha256(absl::MakeConstSpan(parts)), Sha256(text));
}

TEST(HpkeKeyId, IsTheStartOfTheDigest) {
  const std::vector<uint8_t> key = {'a', 'b', 'c'};
  EXPECT_EQ(Hex(HpkeKeyId(key)), "ba7816bf8f01cfea");
}

TEST(WatchedBlock, NoticesWhatIsNotWiped) {
  {
    const std::vector<uint8_t> plain(100, 0xab);
    Watch(plain);
  }
  EXPECT_TRUE(g_watched.freed);
  EXPECT_FALSE(g_watched.was_zero);
}

TEST(SecretBytes, WipesOnDestruction) {
  {
    const SecretBytes secret(std::string(100, 's'));
    Watch(secret.ExposeSecret());
  }
  EXPECT_TRUE(g_watched.freed);
  EXPECT_TRUE(g_watched.was_zero);
}

TEST(SecretBytes, WipesWhatAMoveReplaces) {
  SecretBytes secret(std::string(100, 's'));
  Watch(secret.ExposeSecret());
  secret = SecretBytes("other");
  EXPECT_TRUE(g_watched.freed);
  EXPECT_TRUE(g_watched.was_zero);
  EXPECT_EQ(secret.ExposeSecretAsString(), "other");
}

TEST(SecretBytes, MovesLeaveTheSourceEmptyAndNoCopy) {
  SecretBytes first(std::string(100, 's'));
  const uint8_t* const memory = first.ExposeSecret().data();
  SecretBytes second(std::move(first));
  EXPECT_TRUE(first.empty());  // NOLINT(bugprone-use-after-move): the contract says so.
  EXPECT_EQ(second.ExposeSecret().data(), memory);
  SecretBytes third;
  third = std::move(second);
  EXPECT_TRUE(second.empty());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(third.ExposeSecret().data(), memory);
  EXPECT_EQ(third.ExposeSecretAsString(), std::string(100, 's'));
}

TEST(SecretBytes, SurvivesAMoveToItself) {
  SecretBytes secret("s");
  SecretBytes& same = secret;
  secret = std::move(same);
  EXPECT_EQ(secret.ExposeSecretAsString(), "s");
}

TEST(SecretBytes, ClonesOnlyWhenAsked) {
  static_assert(!std::is_copy_constructible_v<SecretBytes>);
  static_assert(!std::is_copy_assignable_v<SecretBytes>);
  const SecretBytes secret("s");
  const SecretBytes clone = secret.Clone();
  EXPECT_EQ(clone.ExposeSecretAsString(), "s");
  EXPECT_NE(clone.ExposeSecret().data(), secret.ExposeSecret().data());
}

TEST(SecretBytes, IsFilledInPlace) {
  SecretBytes secret = SecretBytes::OfSize(3);
  EXPECT_THAT(secret.ExposeSecret(), ::testing::ElementsAre(0, 0, 0));
  secret.ExposeSecretForWriting()[1] = 7;
  EXPECT_THAT(secret.ExposeSecret(), ::testing::ElementsAre(0, 7, 0));
}

template <typename T>
concept Printable = requires(std::ostream& out, const T& value) {
  out << value;
};
static_assert(Printable<std::string> && !Printable<SecretBytes>);

}  // namespace
}  // namespace tombola::crypto
