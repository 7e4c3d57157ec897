#include "collector/http/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "collector/test_batch.h"
#include "common/disk/whole_file.h"
#include "tests/support/scratch_directory.h"

namespace tombola::collector {
namespace {

using ::testing::HasSubstr;

std::string Header(const http::Response& response, const std::string& name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return "";
}

class FilesTest : public ::testing::Test {
 protected:
  FilesTest() {
    Write("index.html", "<p>page</p>");
    Write("assets/app-1a2b.js", "let x;");
    Write(".hidden", "no");
  }
  void Write(const std::string& name, const std::string& content) {
    const std::filesystem::path path = std::filesystem::path(Root()) / name;
    std::filesystem::create_directories(path.parent_path());
    ASSERT_TRUE(ReplaceFile(path.string(), content).ok());
  }
  std::string Root() const { return directory_.In("web"); }
  http::Response Get(const std::string& path, const std::string& if_none_match = "") {
    http::Request request;
    request.path = path;
    request.if_none_match = if_none_match;
    return Files::Load(Root())->Serve(request);
  }

  ScratchDirectory directory_;
};

TEST_F(FilesTest, ServesThePageAndItsAssets) {
  const http::Response page = Get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(*page.body, "<p>page</p>");
  EXPECT_EQ(page.type, "text/html; charset=utf-8");
  EXPECT_EQ(Header(page, "Cache-Control"), "no-cache");
  EXPECT_THAT(Header(page, "Content-Security-Policy"), HasSubstr("default-src 'none'"));
  EXPECT_EQ(Header(page, "Cross-Origin-Opener-Policy"), "same-origin");
  const http::Response asset = Get("/assets/app-1a2b.js");
  EXPECT_EQ(*asset.body, "let x;");
  EXPECT_EQ(asset.type, "text/javascript; charset=utf-8");
  EXPECT_EQ(Header(asset, "Cache-Control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(*Get("/index.html").body, *page.body);
}

TEST_F(FilesTest, WhoHasItIsToldSo) {
  const std::string tag = Header(Get("/"), "ETag");
  EXPECT_EQ(tag.size(), 66u);
  for (const std::string& known : {tag, "\"x\", W/" + tag, std::string("*")}) {
    const http::Response response = Get("/", known);
    EXPECT_EQ(response.status, 304) << known;
    EXPECT_EQ(response.body, nullptr);
    EXPECT_EQ(Header(response, "ETag"), tag);
  }
  EXPECT_EQ(Get("/", "\"x\"").status, 200);
}

TEST_F(FilesTest, WhatARequestNamesIsNeverLookedForOnDisk) {
  ASSERT_TRUE(ReplaceFile(directory_.In("secret"), "secret").ok());
  for (const char* const path : {"/../secret", "/assets/../../secret", "//index.html", "/.hidden",
                                 "/assets", "/assets/", "index.html", "/index.html/"}) {
    EXPECT_EQ(Get(path).status, 404) << path;
  }
  // Nor is what came after the start.
  const auto files = Files::Load(Root());
  Write("later.txt", "later");
  http::Request request;
  request.path = "/later.txt";
  EXPECT_EQ(files->Serve(request).status, 404);
}

TEST_F(FilesTest, AMissingFolderIsNotFoundAndToldToTheLogAlone) {
  EXPECT_TRUE(absl::IsNotFound(Files::Load(directory_.In("nowhere")).status()));
  http::Request request;
  request.path = "/";
  const http::Response response = Files().Serve(request);
  EXPECT_EQ(response.status, 404);
  EXPECT_THAT(*response.body, HasSubstr("page_missing"));
}

TEST_F(FilesTest, AFolderOfSomethingElseIsNotServed) {
  std::filesystem::remove(Root() + "/index.html");
  const absl::Status status = Files::Load(Root()).status();
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("has no index.html"));
}

TEST_F(FilesTest, AFolderThatIsTooLargeIsRefused) {
  Write("large", std::string(33 << 20, 'x'));
  const absl::Status status = Files::Load(Root()).status();
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("32 MiB"));
}

}  // namespace
}  // namespace tombola::collector
