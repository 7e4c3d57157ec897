#include "shuffler/batch/intervals.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "common/disk/whole_file.h"
#include "shuffler/test_parts.h"

namespace tombola::shuffler {
namespace {

TaskId TaskOf(uint8_t fill) {
  TaskId task;
  task.fill(fill);
  return task;
}

TEST(IntervalsTest, AreThereAgainAfterARestart) {
  const ScratchDirectory scratch;
  {
    auto intervals = *Intervals::Open(scratch.In("intervals"));
    EXPECT_EQ(intervals.Ended(TaskOf(1)), std::nullopt);
    intervals.Note(TaskOf(1), 0);
    intervals.Note(TaskOf(2), 7);
    intervals.Note(TaskOf(3), 9);
    ASSERT_TRUE(intervals.Save().ok());
    intervals.Note(TaskOf(2), 8);
    intervals.Forget(TaskOf(3));
    ASSERT_TRUE(intervals.Save().ok());
    intervals.Note(TaskOf(1), 100);  // and a crash
  }
  const auto intervals = *Intervals::Open(scratch.In("intervals"));
  EXPECT_EQ(intervals.Ended(TaskOf(1)), 0);
  EXPECT_EQ(intervals.Ended(TaskOf(2)), 8);
  EXPECT_EQ(intervals.Ended(TaskOf(3)), std::nullopt);
}

TEST(IntervalsTest, WhatCouldNotBeWrittenIsTriedAgain) {
  const ScratchDirectory scratch;
  std::filesystem::create_directory(scratch.In("away"));
  auto intervals = *Intervals::Open(scratch.In("away/intervals"));
  intervals.Note(TaskOf(1), 3);
  std::filesystem::remove(scratch.In("away"));
  EXPECT_FALSE(intervals.Save().ok());
  std::filesystem::create_directory(scratch.In("away"));
  EXPECT_TRUE(intervals.Save().ok());
  EXPECT_EQ(Intervals::Open(scratch.In("away/intervals"))->Ended(TaskOf(1)), 3);
}

TEST(IntervalsTest, EveryChangedByteAndEveryTruncationIsDataLoss) {
  const ScratchDirectory scratch;
  const std::string path = scratch.In("intervals");
  auto intervals = *Intervals::Open(path);
  intervals.Note(TaskOf(1), 3);
  ASSERT_TRUE(intervals.Save().ok());
  const std::string good = *ReadSmallFile(path);
  for (size_t i = 0; i < good.size(); ++i) {
    ASSERT_TRUE(ReplaceFile(path, good.substr(0, i)).ok());
    EXPECT_TRUE(absl::IsDataLoss(Intervals::Open(path).status())) << i;
    std::string changed = good;
    changed[i] ^= 1;
    ASSERT_TRUE(ReplaceFile(path, changed).ok());
    EXPECT_TRUE(absl::IsDataLoss(Intervals::Open(path).status())) << i;
  }
}

}  // namespace
}  // namespace tombola::shuffler
