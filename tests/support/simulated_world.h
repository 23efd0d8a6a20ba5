#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include "prescope/experiment.h"

namespace prescope::simulation {

inline constexpr ArmIndex kArmA{0}, kArmB{1};

/// Statements about arms A and B that a summary can make. They are combined with `|`.
enum class Claims : std::uint32_t {
  kNone = 0,
  kABetter = 1,  ///< leading or confirmed
  kBBetter = 2,
  kAFaster = 4,
  kBFaster = 8,
  kAnyBetter = kABetter | kBBetter,
  kAnyFaster = kAFaster | kBFaster
};
[[nodiscard]] constexpr Claims operator|(Claims a, Claims b) noexcept {
  return Claims(std::uint32_t(a) | std::uint32_t(b));
}
[[nodiscard]] constexpr bool have_common(Claims a, Claims b) noexcept {
  return (std::uint32_t(a) & std::uint32_t(b)) != 0;
}

/// The number of relevant documents of each topic.
inline constexpr std::uint32_t kRelevant = 3;

/// A topic. `hardness` is uniform in [0, 1); the ranks of the relevant documents grow with it.
struct Topic {
  TopicIndex index{};
  double hardness = 0.0;
  std::array<double, kRelevant> log_ranks{};
  std::array<double, 2> effects{};  ///< of A and of B on the logarithms; alike in distribution

  [[nodiscard]] bool is_hardest(double share) const noexcept { return hardness >= 1.0 - share; }
  [[nodiscard]] bool is_easiest(double share) const noexcept { return hardness < share; }
};

/// The outcome of one search: a part of the arm's list of `available` documents.
struct Answer {
  enum class Outcome {
    kRanking,
    kFailed,    ///< reported by the host
    kTimedOut,  ///< reported by the host
    kThrown,    ///< the search throws; for a user the same as kFailed
    kUnseen,    ///< answered by a cache that prescope does not see
    kForgotten  ///< a user's visit was announced, and the host never mentions it again
  };
  std::vector<Rank> relevant{};  ///< ranks of the relevant documents in the list
  Rank first_rank = 1;
  std::uint32_t requested = 50, available = 1000;
  std::uint64_t total_hits = 0;
  Outcome outcome = Outcome::kRanking;
  RankingFlags flags = RankingFlags::kNone;
  double ms = 10.0;
  bool has_table = true;  ///< else its docids cannot be matched
  /// Served after, and in place of, the ranking described so far, if not empty.
  std::vector<Rank> reranked{};
};

/// How many searches of a visit there were before, that of the user among them.
struct Before {
  std::uint32_t of_arm = 0, of_all = 0;
};

/// A visit in Mode::kPaired: A serves it, then the pool searches with both arms.
struct Compared {
  Answer served{};  ///< by A
  std::array<Answer, 2> searched{};
  bool is_offered = true;  ///< to the pool
  /// Returns the milliseconds of a search, instead of Answer::ms.
  std::function<double(ArmIndex arm, const Before& before)> ms{};
};

struct WorldOptions {
  Mode mode = Mode::kPaired;
  std::uint32_t topics = 300;
  /// Topics that come in families have equal rankings within their family; a family map says so.
  std::uint32_t topics_in_family = 1;
  bool has_baseline = false;  ///< Mode::kSplit: the expected scores of the topics
  double share_of_a = 1.0;    ///< Mode::kSplit: for 1 of B
  std::string_view measure = "PRES@50";
  bool is_timed = false;  ///< else rankings have no latency, which saves half the work
  ShadowOptions::Latency latency = ShadowOptions::Latency::kBothArms;
};

/// One experiment with two arms, through the public interface. Everything but the order of searches
/// for comparison follows from the seed. Latencies are given, not taken: nothing sleeps.
class World {
 public:
  World(const WorldOptions& options, std::uint64_t seed);
  ~World() { wait_for_pool(); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// The topics, in random order.
  [[nodiscard]] const std::vector<Topic>& topics() const noexcept { return topics_; }
  [[nodiscard]] ArmIndex arm_for(const Topic& topic) const;
  [[nodiscard]] bool happens(double share) { return uniform() < share; }
  [[nodiscard]] double uniform() { return std::uniform_real_distribution()(random_); }
  [[nodiscard]] double normal() { return std::normal_distribution()(random_); }

  /// Returns what an arm ranks for a topic. A positive `shift` of the logarithms of ranks makes it
  /// worse.
  [[nodiscard]] Answer answer(const Topic& topic, ArmIndex arm, double shift = 0.0);
  /// A user's request that one arm serves. Pages of one visit share `session`.
  void serve(const Topic& topic, ArmIndex arm, const Answer& answer, std::string_view session = {});
  /// Mode::kPaired. Returns before the pool has searched.
  void compare(const Topic& topic, Compared compared);

  /// Waits for the pool and returns what the summary says.
  [[nodiscard]] Claims look();

 private:
  void wait_for_pool() const;
  void observe(const Topic& topic, ArmIndex arm, const Answer& answer);
  void observe_ranking(const Topic& topic, ArmIndex arm, const Answer& answer);
  void search(const Topic& topic, ArmIndex arm, Compared& compared, std::array<Before, 2>& before);

  bool is_timed_;
  std::mt19937_64 random_;
  std::vector<Topic> topics_;
  std::atomic<std::uint32_t> waiting_{0};  // visits that the pool has not finished
  Experiment experiment_;
  ResolvedQrels table_;
};

}  // namespace prescope::simulation
