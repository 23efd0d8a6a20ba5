// A log that is followed while others write to it: each line once, whatever happens to the file.
#include "collect/log_tail.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class FollowedLog : public ::testing::Test {
 protected:
  void append(const std::string& text, const char* name = "log") const {
    std::ofstream(scratch_.path() / name, std::ios::binary | std::ios::app) << text;
  }
  void rename(const char* from, const char* to) const {
    std::filesystem::rename(scratch_.path() / from, scratch_.path() / to);
  }
  LogTail tail(const std::optional<LogPosition>& position = {}) {
    return LogTail(path_, position,
                   {.warn = [this](const std::string& warning) { warnings_.push_back(warning); },
                    .patience = std::chrono::milliseconds(0)});
  }
  static std::string all(LogTail& tail) {
    std::string lines;
    for (std::string more = tail.read(); !more.empty(); more = tail.read()) lines += more;
    return lines;
  }

  ScratchFolder scratch_;
  std::filesystem::path path_ = scratch_.path() / "log";
  std::vector<std::string> warnings_;
};

TEST_F(FollowedLog, GivesCompleteLinesAsTheyCome) {
  LogTail tail = this->tail();
  EXPECT_THAT(tail.read(), IsEmpty()) << "it is not there yet";
  append("one\ntwo\nthr");
  EXPECT_EQ(tail.read(), "one\ntwo\n");
  EXPECT_THAT(tail.read(), IsEmpty());
  append("ee\nfour");
  EXPECT_EQ(tail.read(), "three\n");
  EXPECT_EQ(tail.position().line, 3U);
  EXPECT_EQ(tail.position().offset, 14U);
}

TEST_F(FollowedLog, GoesOnWhereItWas) {
  append("one\ntwo\npart");
  std::optional<LogPosition> position;
  {
    LogTail first = tail();
    static_cast<void>(first.read());
    position = first.position();
  }
  append("ial\n");
  LogTail second = tail(position);
  EXPECT_EQ(second.read(), "partial\n");
  EXPECT_EQ(second.position().line, 3U);
}

TEST_F(FollowedLog, ReadsARenamedLogToItsEndFirst) {
  LogTail tail = this->tail();
  append("1\n");
  EXPECT_EQ(all(tail), "1\n");
  append("2\n");
  rename("log", "log.1");
  append("3\n4", "log.1");
  append("5\n");
  EXPECT_EQ(all(tail), "2\n3\n4\n5\n") << "the last line of a renamed log needs no end";
}

TEST_F(FollowedLog, ReadsAllFilesOfSeveralRotations) {
  append("1\n");
  LogTail tail = this->tail();
  EXPECT_EQ(all(tail), "1\n");
  const std::optional<LogPosition> position = tail.position();
  rename("log", "log.1");
  append("2\n");
  rename("log.1", "log.2");
  rename("log", "log.1");
  append("3\n");
  EXPECT_EQ(all(tail), "2\n3\n");
  LogTail restarted = this->tail(position);
  EXPECT_EQ(all(restarted), "2\n3\n");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(FollowedLog, ReadsNoOtherFilesOfItsFolder) {
  append("1\n");
  LogTail tail = this->tail();
  EXPECT_EQ(all(tail), "1\n");
  rename("log", "log-20261130");
  append("a store\n", "log.store");
  append("notes\n", "log2");
  append("2\n");
  EXPECT_EQ(all(tail), "2\n");
}

// A line without an end must not fill the memory; it is refused because of its length.
TEST_F(FollowedLog, KeepsThePlaceBehindALineThatIsTooLong) {
  LogTail tail = this->tail();
  append(std::string(std::size_t{9} << 20U, 'x'));
  EXPECT_THAT(tail.read(), IsEmpty());
  append("x\nshort\n");
  const std::string lines = tail.read();
  EXPECT_LT(lines.size(), std::size_t{6} << 20U);
  EXPECT_TRUE(lines.ends_with("\nshort\n"));
  EXPECT_EQ(tail.position().offset, std::filesystem::file_size(path_));
  append("next\n");
  EXPECT_EQ(tail.read(), "next\n");
}

TEST_F(FollowedLog, BeginsAnewIfTheLogBecomesShorter) {
  append("one\ntwo\n");
  LogTail tail = this->tail();
  EXPECT_EQ(all(tail), "one\ntwo\n");
  std::filesystem::resize_file(path_, 0);
  append("3\n");
  EXPECT_EQ(all(tail), "3\n");
  ASSERT_THAT(warnings_, SizeIs(1));
  EXPECT_THAT(warnings_[0], HasSubstr("became shorter"));
}

TEST_F(FollowedLog, SaysWhatItCannotReadAnyMore) {
  append("1\n");
  std::optional<LogPosition> position;
  {
    LogTail first = tail();
    static_cast<void>(first.read());
    position = first.position();
  }
  std::filesystem::remove(path_);
  append("other\n", "keeps the number of the file");
  append("2\n");
  LogTail second = tail(position);
  EXPECT_EQ(all(second), "2\n");
  ASSERT_THAT(warnings_, SizeIs(1));
  EXPECT_THAT(warnings_[0], HasSubstr("is gone"));
}

// Whatever is appended, renamed and read anew, each line comes once and in order.
TEST_F(FollowedLog, EachLineComesOnce) {
  std::mt19937 random(20261130);
  std::string written, read;
  int number = 0, rotations = 0;
  auto tail = std::make_unique<LogTail>(path_, std::nullopt,
                                        LogTail::Options{.warn = [](const std::string&) { FAIL(); },
                                                         .patience = std::chrono::milliseconds(0)});
  append("begin\n");
  written = "begin\n";
  read = tail->read();
  for (int step = 0; step < 3000; ++step) {
    switch (random() % 6) {
      case 0:
      case 1:
      case 2: {
        std::string lines;
        for (auto n = random() % 5; n > 0; --n) lines += fmt::format("line {}\n", number++);
        written += lines;
        append(lines);
        break;
      }
      case 3:
        read += tail->read();
        break;
      case 4: {
        const LogPosition position = tail->position();
        tail = std::make_unique<LogTail>(
            path_, position.file.empty() ? std::nullopt : std::optional(position),
            LogTail::Options{.warn = [](const std::string&) { FAIL(); },
                             .patience = std::chrono::milliseconds(0)});
        break;
      }
      default:
        if (random() % 4 == 0 && std::filesystem::exists(path_)) {
          rename("log", fmt::format("log.{}", ++rotations).c_str());
        }
    }
  }
  append("end\n");
  written += "end\n";
  read += all(*tail);
  EXPECT_EQ(read, written);
  EXPECT_GT(rotations, 50);
}

}  // namespace
}  // namespace prescope
