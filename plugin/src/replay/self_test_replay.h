#pragma once

#include "replay/replay.h"

namespace prescope {

/// How often a topic is searched for in a self test.
enum class TopicDraw {
  kZipf,     ///< the n-th topic of a random order 1 / n times as often as the first
  kUniform,  ///< all topics alike
};

/// The topics of a stream of visits; the n-th visit has the same topic and arm whatever the number
/// of threads.
class DrawnVisits {
 public:
  struct Visit {
    std::size_t topic = 0;
    bool is_second_arm = false;  ///< a fair coin chooses the arm that serves
  };
  /// `topics` >= 1.
  DrawnVisits(std::size_t topics, TopicDraw draw, std::uint64_t seed);
  [[nodiscard]] Visit operator[](std::uint64_t visit) const;

 private:
  std::vector<std::size_t> order_;
  std::vector<double> up_to_;  // the share of visits up to each place in the order
  std::uint64_t seed_;
};

struct SelfTestReplay {
  std::optional<std::uint64_t> visits{};  ///< else as many as fit into `minutes`
  std::chrono::minutes minutes{60};
  ShadowOptions::Latency latency = ShadowOptions::Latency::kBothArms;
  TopicDraw draw = TopicDraw::kZipf;
  std::filesystem::path store{};
  LogWarning on_warning{};
  /// Called for each visit, one call at a time, with the visits that are done and the time since
  /// the first one began. Returns false to end the test early.
  std::function<bool(std::uint64_t done, std::chrono::milliseconds elapsed)> on_visit{};
};

/// The first hits of each ranking that are stored and compared.
inline constexpr std::uint32_t kSelfTestHits = 20;

struct SelfTestTraffic {
  std::int64_t session = 0;  ///< in the store
  std::uint64_t visits = 0;
  std::uint64_t answered = 0, failed = 0;  ///< searches
  std::string failure{};                   ///< of the first search that failed, with its topic
  bool was_ended = false;                  ///< by `on_visit`
  ReplayTopics topics{};
};

/// Returns the name under which an arm stands against itself: "bm25 again".
[[nodiscard]] ArmId again(const ArmId& arm);

/// Searches as the one arm of `live.experiment`'s experiment file, twice: in Mode::kPaired, with
/// searches for comparison, `options.threads` visits at the same time. Each visit waits for its
/// searches for comparison. `options` has one arm; primary measure, alpha and the test's options
/// are those of `live`. Throws as `replay` does, but a search that fails is counted; Error(kEngine)
/// if all of them fail.
[[nodiscard]] SelfTestTraffic replay_self_test(ReplayOptions options, const LiveOptions& live,
                                               const SelfTestReplay& how);

}  // namespace prescope
