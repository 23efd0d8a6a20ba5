#include "runs/scan/mapped_window.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "prescope/error.h"
#include "runs/run_facts.h"
#include "runs/scan/run_input.h"
#include "runs/scan/text_window.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kReach = MappedWindow::kReach, kPage = 4096;

std::string text_of(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += static_cast<char>('a' + (i * i + i / kPage) % 26);
  return text;
}

struct OpenFile {
  explicit OpenFile(const std::filesystem::path& path)
      : descriptor(::open(path.c_str(), O_RDONLY)) {}
  ~OpenFile() { ::close(descriptor); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int descriptor;
};

class MappedWindowTest : public ::testing::Test {
 protected:
  testing::ScratchFolder folder_;
};

TEST_F(MappedWindowTest, NothingIsMappedBeforeAProgramAllowsIt) {
  const auto path = folder_.write("file", text_of(3 * kReach));
  const OpenFile file(path);
  MappedWindow window;
  EXPECT_TRUE(window.move_to(file.descriptor, 0, 0, 3 * kReach).empty());
  EXPECT_TRUE(RunInput(path).reader()->map(0).empty());
}

TEST_F(MappedWindowTest, ShowsTheFileFromAnyByteToTheNextBorder) {
  allow_mapped_files();
  const std::string text = text_of(3 * kReach + 5);
  const OpenFile file(folder_.write("file", text));
  MappedWindow window;
  EXPECT_EQ(window.move_to(file.descriptor, 0, 0, text.size()), text.substr(0, kReach));
  for (const std::size_t begin : {kReach - 1, kReach - kPage, kReach - kPage - 77}) {
    EXPECT_EQ(window.move_to(file.descriptor, begin, kReach, text.size()),
              text.substr(begin, 2 * kReach - begin));
  }
  EXPECT_EQ(window.move_to(file.descriptor, kPage + 1, kReach - 1, text.size()),
            text.substr(kPage + 1, kReach - kPage - 1));
  EXPECT_EQ(window.move_to(file.descriptor, 3 * kReach - 9, 3 * kReach, text.size()),
            text.substr(3 * kReach - 9));
  EXPECT_FALSE(window.was_cut());
}

TEST_F(MappedWindowTest, ZerosFollowOnAFileThatEndsWithAPage) {
  allow_mapped_files();
  const OpenFile file(folder_.write("file", text_of(2 * kPage)));
  MappedWindow window;
  const std::string_view shown = window.move_to(file.descriptor, 7, 7, 2 * kPage);
  ASSERT_EQ(shown.size(), 2 * kPage - 7);
  EXPECT_TRUE(std::all_of(shown.end(), shown.end() + kReach, [](char c) { return c == '\0'; }));
  EXPECT_FALSE(window.was_cut());
}

TEST_F(MappedWindowTest, WhatAFileNoLongerHasIsZeroAndSaidSo) {
  allow_mapped_files();
  const auto path = folder_.write("file", text_of(kReach));
  const OpenFile file(path);
  MappedWindow window, other;
  const std::string_view shown = window.move_to(file.descriptor, 0, 0, kReach);
  ASSERT_EQ(shown.size(), kReach);
  ASSERT_FALSE(other.move_to(file.descriptor, 0, 0, kReach).empty());
  std::filesystem::resize_file(path, kPage);
  EXPECT_EQ(shown.substr(0, kPage), text_of(kPage));
  EXPECT_EQ(shown[5 * kPage], '\0');
  EXPECT_EQ(shown.back(), '\0');
  EXPECT_TRUE(window.was_cut());
  EXPECT_FALSE(other.was_cut());
}

TEST_F(MappedWindowTest, AReaderRefusesAFileThatBecameShorter) {
  allow_mapped_files();
  const auto path = folder_.write("run.txt", text_of(3 * kReach));
  for (const bool reads : {false, true}) {
    std::filesystem::resize_file(path, 3 * kReach);
    const RunInput input(path);
    const auto reader = input.reader();
    const std::string_view mapped = reader->map(0);
    ASSERT_EQ(mapped.size(), kReach);
    std::filesystem::resize_file(path, 10);
    EXPECT_EQ(mapped.back(), '\0');
    char byte = 0;
    const auto refused = testing::refusal_of([&] {
      if (reads) {
        (void)reader->read(&byte, 1);
      } else {
        (void)reader->map(0);
      }
    });
    EXPECT_EQ(refused.code, ErrorCode::kIo);
    EXPECT_THAT(refused.message, HasSubstr("run.txt: became shorter while it was read"));
  }
}

TEST_F(MappedWindowTest, AnotherFaultEndsTheProcessAsBefore) {
  allow_mapped_files();
  const auto path = folder_.write("file", text_of(2 * kPage));
  const OpenFile file(path);
  void* const foreign = ::mmap(nullptr, 2 * kPage, PROT_READ, MAP_SHARED, file.descriptor, 0);
  ASSERT_NE(foreign, MAP_FAILED);
  std::filesystem::resize_file(path, 0);
  const volatile char* const gone = static_cast<const char*>(foreign) + kPage;
  EXPECT_DEATH(std::exit(*gone), "");
  ::munmap(foreign, 2 * kPage);
}

TEST_F(MappedWindowTest, WhereTooManyAreMappedFurtherOnesAreReadInstead) {
  allow_mapped_files();
  const OpenFile file(folder_.write("file", text_of(kPage)));
  std::vector<std::unique_ptr<MappedWindow>> windows;
  std::size_t mapped = 0;
  for (int i = 0; i < 100; ++i) {
    windows.push_back(std::make_unique<MappedWindow>());
    mapped += windows.back()->move_to(file.descriptor, 0, 0, kPage).empty() ? 0 : 1;
  }
  EXPECT_EQ(mapped, 64U);
  windows.erase(windows.begin() + 10, windows.begin() + 20);
  MappedWindow later;
  EXPECT_EQ(later.move_to(file.descriptor, 0, 0, kPage), text_of(kPage));
}

/// Larger than a window, with topics across the borders of windows.
std::string large_run(bool scattered, std::string_view end_of_line) {
  constexpr int kTopics = 60, kHits = 2'000;
  std::string text;
  for (int i = 0; i < kTopics * kHits; ++i) {
    const int topic = scattered ? i % kTopics : i / kHits,
              hit = scattered ? i / kTopics : i % kHits;
    text += "t" + std::to_string(topic) + " Q0 d" + std::to_string(hit * 31 % 9'973) + " 1 " +
            std::to_string((hit % 100 == 7 ? 2'000 : 4'000) - hit) + " some-tag-to-make-it-longer";
    text += end_of_line;
  }
  return text;
}

TEST_F(MappedWindowTest, RunsAreTheSameMappedAndCopied) {
  std::vector<Qrels::Line> judged;
  for (int i = 0; i < 3'000; ++i) {
    judged.push_back({TopicId("t" + std::to_string(i % 60)), Docno("d" + std::to_string(i)), 1});
  }
  const Qrels qrels = Qrels::from_lines(judged);
  std::vector<std::pair<std::filesystem::path, RunFacts>> copied;
  for (const bool scattered : {false, true}) {
    for (const std::string_view end_of_line : {"\n", "\r\n"}) {
      std::string text = large_run(scattered, end_of_line);
      if (!scattered) text.resize(text.size() - end_of_line.size());
      const std::string name = "run" + std::to_string(copied.size());
      const auto path = folder_.write(name, text);
      copied.emplace_back(path, read_run_facts(qrels, path));
      ASSERT_GT(text.size(), 2 * kReach);
    }
  }
  allow_mapped_files();
  for (const auto& [path, facts] : copied) {
    for (const unsigned threads : {1U, 2U, 5U}) {
      SCOPED_TRACE(path.string() + ", " + std::to_string(threads));
      const RunFacts mapped = read_run_facts(qrels, path, {.threads = threads});
      EXPECT_EQ(mapped.topics, facts.topics);
      EXPECT_EQ(mapped.retrieved, facts.retrieved);
      EXPECT_EQ(mapped.tag, facts.tag);
      EXPECT_EQ(mapped.lines, facts.lines);
    }
  }
}

constexpr int kMostReads = 200;
#ifdef __SANITIZE_THREAD__
constexpr int kLeastReads = 20;  // it sees no writing to files, and is slow
#else
constexpr int kLeastReads = kMostReads;
#endif

std::string short_lines(bool scattered) {
  std::string text;
  for (int i = 10'000; text.size() < 3 * TextWindow::kSmallestMapped; ++i) {
    text += (scattered && i % 2 != 0 ? "t1 Q0 d" : "t0 Q0 d") + std::to_string(i) + " 1 0.5 x\n";
  }
  return text;
}

TEST_F(MappedWindowTest, LinesThatAreJoinedWhileTheyAreReadDoNoHarm) {
  allow_mapped_files();
  const Qrels qrels = Qrels::from_lines(
      std::vector<Qrels::Line>{{TopicId("t0"), Docno("d1"), 1}, {TopicId("t1"), Docno("d2"), 1}});
  for (const bool scattered : {false, true}) {
    const std::string text = short_lines(scattered);
    const auto path = folder_.write("run", text);
    // The last line feed that is mapped: what follows is copied, so that its last line can be
    // ended.
    const std::size_t last = text.rfind('\n', text.size() - kPage - 1);
    std::jthread writer([&](const std::stop_token& stop) {
      const int file = ::open(path.c_str(), O_WRONLY);
      for (int i = 0; !stop.stop_requested(); ++i) {
        (void)!::pwrite(file, i % 2 == 0 ? " " : "\n", 1, static_cast<off_t>(last));
      }
      ::close(file);
    });
    int refused = 0;
    for (int i = 0; i < kMostReads && (i < kLeastReads || refused == 0); ++i) {
      try {
        const RunFacts facts = read_run_facts(qrels, path);
        EXPECT_GE(facts.lines, 1000U);
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("changed while it was read"));
        ++refused;
      }
    }
    EXPECT_GT(refused, 0);
  }
}

}  // namespace
}  // namespace prescope
