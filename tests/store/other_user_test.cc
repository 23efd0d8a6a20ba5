// A user who may not write to the folder reads while the owner writes.
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "store/nights/store.h"
#include "support/made_up_evaluations.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

EvaluationRecord night(std::int64_t number) {
  return made_up({.seed = static_cast<std::uint32_t>(number), .topics = 40});
}

/// Runs as another user, and returns what that says; empty if all is well.
template <class Body>
class OtherUser {
 public:
  explicit OtherUser(const Body& body) {
    EXPECT_EQ(pipe(ends_), 0);
    child_ = fork();
    if (child_ != 0) {
      close(ends_[1]);
      return;
    }
    constexpr uid_t kNobody = 65534;
    std::string said = "cannot become another user";
    if (setgroups(0, nullptr) == 0 && setgid(kNobody) == 0 && setuid(kNobody) == 0) {
      try {
        said = body();
      } catch (const std::exception& error) {
        said = error.what();
      }
    }
    static_cast<void>(!write(ends_[1], said.data(), said.size()));
    _exit(0);
  }
  ~OtherUser() {
    close(ends_[0]);
    waitpid(child_, nullptr, 0);
  }
  OtherUser(const OtherUser&) = delete;
  OtherUser& operator=(const OtherUser&) = delete;

  [[nodiscard]] std::string said() const {
    std::string said(1000, '\0');
    const ssize_t size = read(ends_[0], said.data(), said.size());
    said.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return said;
  }

 private:
  int ends_[2] = {-1, -1};
  pid_t child_ = -1;
};

/// Reads again and again until the last night is there: nights never vanish, and each is whole.
std::string read_until(const std::filesystem::path& path, std::int64_t last) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  for (std::size_t before = 0; before < static_cast<std::size_t>(last);) {
    if (std::chrono::steady_clock::now() > give_up) return "the last night never came";
    const Store store = Store::open(path, Store::Access::kRead);
    const std::vector<Night> nights = store.nights();
    if (nights.size() < before) return "a night has vanished";
    before = nights.size();
    const auto newest = static_cast<std::int64_t>(before);
    const auto& [measure, mean] = nights.back().means.front();
    if (mean_of(store.evaluation(newest), Measure::parse(measure)) != mean) return "means differ";
  }
  return "";
}

class OtherUserTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only the administrator can become another user";
    std::filesystem::permissions(folder_.path(), std::filesystem::perms{0755});
    writer().add(night(1));
  }
  [[nodiscard]] Store writer() const { return Store::open(path_, Store::Access::kWrite); }

  static constexpr std::int64_t kNights = 60;
  ScratchFolder folder_;
  std::filesystem::path path_ = folder_.path() / "nights.db";
};

// Every night makes the write-ahead log and removes it, as pin and gate do.
TEST_F(OtherUserTest, ReadsWhatIsWrittenNightByNight) {
  const OtherUser reader([&] { return read_until(path_, kNights); });
  for (std::int64_t number = 2; number <= kNights; ++number) writer().add(night(number));
  EXPECT_EQ(reader.said(), "");
  static_cast<void>(writer());  // the last one may have left its log to the reader
  EXPECT_FALSE(std::filesystem::exists(path_.string() + "-wal"));
}

TEST_F(OtherUserTest, ReadsWhileTheStoreStaysOpen) {
  Store open = writer();
  const OtherUser reader([&] { return read_until(path_, kNights); });
  for (std::int64_t number = 2; number <= kNights; ++number) open.add(night(number));
  EXPECT_EQ(reader.said(), "");
}

// One connection goes on reading what it began with.
TEST_F(OtherUserTest, OpenStoreIsAPictureOfOneMoment) {
  const OtherUser reader([&]() -> std::string {
    const Store store = Store::open(path_, Store::Access::kRead);
    while (Store::open(path_, Store::Access::kRead).nights().size() < kNights) {
    }
    expect_same(store.evaluation(1), night(1));
    return store.nights().size() == 1 && !HasFailure() ? "" : "the copy has changed";
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  for (std::int64_t number = 2; number <= kNights; ++number) writer().add(night(number));
  EXPECT_EQ(reader.said(), "");
}

TEST_F(OtherUserTest, KnowsThatACopyIsOutdated) {
  const OtherUser reader([&]() -> std::string {
    const Database database = open_store_file(path_, Database::Access::kRead);
    if (database.is_outdated()) return "outdated at once";
    while (!database.is_outdated()) {
    }
    return "";
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  writer().add(night(2));
  EXPECT_EQ(reader.said(), "");
}

}  // namespace
}  // namespace prescope
