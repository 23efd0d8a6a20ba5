// Webhooks: an event is posted until it is taken, and a repeat carries the same key.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "actions/actor.h"
#include "support/fake_server.h"
#include "support/http_client.h"
#include "support/report_summary.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// Answers each request with this status.
FakeServer::Script answers(const std::string& status) {
  return [=](auto&&, auto&&) -> FakeServer::Answer { return {.status = status}; };
}

class PostsTest : public ::testing::Test {
 protected:
  PostsTest() { ::setenv("no_proxy", "127.0.0.1", 1); }

  /// Shows a verdict to a new actor until the journal has no post that waits, or for one look.
  enum class Until { kPosted, kEnded };
  void act(const std::string& url, Until until = Until::kPosted) {
    const auto summary = std::make_shared<Summary>(testing::live_summary());
    summary->pairs[0].differences[0].live->mean = -0.1;
    const auto warn = [this](const std::string& sentence) {
      const std::scoped_lock lock(mutex_);
      warnings_.push_back(sentence);
    };
    const Actor actor(
        {.url = url, .journal = journal_, .on_warning = warn},
        {.newest = [&] { return summary; }, .interval = std::chrono::milliseconds(5)});
    while (until == Until::kPosted && !is_posted()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  [[nodiscard]] bool is_posted() const {
    Journal journal(journal_);
    return !journal.events().empty() && journal.open(Journal::Work::kPost).empty();
  }
  [[nodiscard]] std::string event() const { return *Journal(journal_).events().begin(); }
  [[nodiscard]] std::vector<std::string> warnings() const {
    const std::scoped_lock lock(mutex_);
    return warnings_;
  }

  ScratchFolder scratch_;
  std::filesystem::path journal_ = scratch_.path() / "acts";

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> warnings_;
};

TEST_F(PostsTest, EventIsPostedOnceAsJsonWithItsKey) {
  const FakeServer server(answers("204 No Content"));
  act(server.url("/hooks/secret"));
  act(server.url("/hooks/secret"));
  const std::vector<FakeServer::Request> posts = server.requests();
  ASSERT_THAT(posts, SizeIs(1));
  EXPECT_THAT(posts[0].head, HasSubstr("POST /hooks/secret HTTP/1.1\r\n"));
  EXPECT_EQ(posts[0].field("Content-Type"), "application/json");
  EXPECT_EQ(posts[0].field("Idempotency-Key"), event());
  EXPECT_EQ(posts[0].body, content_of(journal_ / event() / "event.json"));
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(PostsTest, RefusedPostsAndLostAnswersAreRepeatedWithTheSameKey) {
  std::atomic<int> number = 0;
  const FakeServer server([&](auto&&, auto&&) -> FakeServer::Answer {
    const int n = number++;
    return {.status = n == 0 ? "503 Busy" : n == 1 ? "" : "200 OK"};
  });
  act(server.url("/hooks/secret"));
  const std::vector<FakeServer::Request> posts = server.requests();
  ASSERT_THAT(posts, SizeIs(3));
  for (const FakeServer::Request& post : posts) {
    EXPECT_EQ(post.field("Idempotency-Key"), event());
    EXPECT_EQ(post.body, posts[0].body);
  }
  EXPECT_THAT(warnings(), ElementsAre(AllOf(HasSubstr("cannot be posted to http://127.0.0.1:"),
                                            HasSubstr("status 503"), Not(HasSubstr("secret"))),
                                      HasSubstr("it is posted now")));
}

TEST_F(PostsTest, NextProcessPostsWhatWasNotTaken) {
  const std::string nobody = "http://127.0.0.1:" + std::to_string(free_port()) + "/";
  act(nobody, Until::kEnded);
  EXPECT_FALSE(is_posted());
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("cannot be posted")));
  const FakeServer server(answers("200 OK"));
  act(server.url("/hooks/secret"));
  ASSERT_THAT(server.requests(), SizeIs(1));
  EXPECT_EQ(server.requests()[0].field("Idempotency-Key"), event());
}

TEST_F(PostsTest, PostThatNobodyTakesIsGivenUpAfterADay) {
  const std::string nobody = "http://127.0.0.1:" + std::to_string(free_port()) + "/";
  act(nobody, Until::kEnded);
  std::filesystem::last_write_time(
      journal_ / event() / "post.due",
      std::filesystem::file_time_type::clock::now() - std::chrono::hours(25));
  act(nobody);
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("cannot be posted"), HasSubstr("is given up")));
  const FakeServer server(answers("200 OK"));
  act(server.url("/hooks/secret"));
  EXPECT_THAT(server.requests(), IsEmpty());
}

TEST_F(PostsTest, ProcessesWithOneJournalPostOneAtATime) {
  const FakeServer server([](auto&&, auto&&) -> FakeServer::Answer {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return {};
  });
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { act(server.url("/hooks/secret")); });
  threads.clear();
  EXPECT_THAT(server.requests(), SizeIs(1));
}

}  // namespace
}  // namespace prescope
