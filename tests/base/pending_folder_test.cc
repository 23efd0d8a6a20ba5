#include "prescope/pending_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "prescope/error.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PendingFolderTest : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path folder() const { return root_ / "index"; }
  [[nodiscard]] static std::set<std::string> names_in(const fs::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
    return names;
  }
  static void write(const fs::path& file) { std::ofstream(file) << "x"; }
  static std::string none(const fs::path&) { return ""; }

  void expect_refused(const fs::path& folder, const char* why) {
    try {
      PendingFolder pending(folder, none);
      FAIL() << "expected an error with '" << why << "'";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kIo);
      EXPECT_THAT(error.what(), HasSubstr(why));
    }
  }

  const ScratchFolder scratch_;
  const fs::path& root_ = scratch_.path();
};

TEST_F(PendingFolderTest, IsInvisibleUntilPublished) {
  PendingFolder pending(folder(), none);
  write(pending.workplace() / "part");
  EXPECT_FALSE(fs::exists(folder()));
  pending.publish();
  EXPECT_THAT(names_in(root_), ElementsAre("index"));
  EXPECT_THAT(names_in(folder()), ElementsAre("part"));
}

TEST_F(PendingFolderTest, UnpublishedFolderIsRemovedAndTheOldOneStays) {
  fs::create_directories(folder());
  write(folder() / "old");
  {
    PendingFolder pending(folder(), none);
    write(pending.workplace() / "new");
  }
  EXPECT_THAT(names_in(root_), ElementsAre("index"));
  EXPECT_THAT(names_in(folder()), ElementsAre("old"));
}

TEST_F(PendingFolderTest, PublishedFolderReplacesTheOldOne) {
  fs::create_directories(folder());
  write(folder() / "old");
  PendingFolder pending(folder(), none);
  write(pending.workplace() / "new");
  pending.publish();
  EXPECT_THAT(names_in(folder()), ElementsAre("new"));
  EXPECT_THAT(names_in(root_), ElementsAre("index"));
}

TEST_F(PendingFolderTest, ObjectionCountsForNonEmptyFoldersOnly) {
  const auto always = [](const fs::path&) { return std::string("a thesis; choose another"); };
  EXPECT_NO_THROW(PendingFolder(folder(), always));  // missing
  fs::create_directories(folder());
  EXPECT_NO_THROW(PendingFolder(folder(), always));  // empty
  write(folder() / "thesis");
  try {
    PendingFolder pending(folder(), always);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), folder().string() + ": a thesis; choose another");
  }
}

TEST_F(PendingFolderTest, ObjectionAtPublishingKeepsTheOldFolder) {
  fs::create_directories(folder());
  write(folder() / "old");
  std::string objection;
  PendingFolder pending(folder(), [&](const fs::path&) { return objection; });
  write(pending.workplace() / "new");
  objection = "a writer has come";
  EXPECT_THROW(pending.publish(), Error);
  EXPECT_THAT(names_in(folder()), ElementsAre("old"));
}

TEST_F(PendingFolderTest, SecondPendingFolderOfAPathIsRefused) {
  const PendingFolder first(folder(), none);
  expect_refused(folder(), "locked by an index writer that makes a new index");
}

TEST_F(PendingFolderTest, LeftoversOfAKilledProcessAreRemoved) {
  fs::create_directories(root_ / ".index.prescope-partial" / "deep");
  write(root_ / ".index.prescope-partial" / "deep" / "left");
  const PendingFolder pending(folder(), none);
  EXPECT_THAT(names_in(pending.workplace()), IsEmpty());
}

TEST_F(PendingFolderTest, FilesAndTheRootAreRefused) {
  write(root_ / "file");
  expect_refused(root_ / "file", "is a file");
  expect_refused("/", "not a folder that an index can replace");
}

}  // namespace
}  // namespace prescope
