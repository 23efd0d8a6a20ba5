#include "support/simulated_world.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace prescope::simulation {
namespace {

using std::chrono::milliseconds;
using Outcome = Answer::Outcome;

constexpr std::uint32_t kCollection = 100'000'000;
constexpr std::uint32_t kNotJudged = 50'000'000;  // docids from here on are not judged
constexpr double kEasiest = 0.5, kRange = 4.0;    // logarithms of ranks

std::string topic_name(std::uint32_t topic) { return "EP" + std::to_string(1'000'000 + topic); }
std::string docno_name(std::uint32_t docid) { return "US" + std::to_string(5'000'000 + docid); }

Qrels qrels_of(const WorldOptions& options) {
  std::vector<Qrels::Line> lines;
  for (std::uint32_t d = 0; d < options.topics * kRelevant; ++d) {
    lines.push_back({TopicId(topic_name(d / kRelevant)), Docno(docno_name(d)), 1});
  }
  if (options.topics_in_family == 1) return Qrels::from_lines(lines);
  auto families = std::make_shared<FamilyMap>();
  for (std::uint32_t t = 0; t < options.topics; ++t) {
    families->add(Docno(topic_name(t)), "f" + std::to_string(t / options.topics_in_family));
  }
  return Qrels::from_lines(lines, {.families = families});
}

/// Returns PRES@50 as it is on average for a topic of this hardness, roughly.
double expected_score(double hardness) {
  return std::clamp(1.0 - std::exp(kEasiest + kRange * hardness) / 50.0, 0.05, 1.0);
}

ExperimentOptions options_of(const WorldOptions& world, std::span<const Topic> topics,
                             std::uint64_t seed) {
  ExperimentOptions options{
      .arms = {"A", "B"},
      .measures = {std::string(world.measure)},
      .mode = world.mode,
      .recording = {.queue_bytes = 1U << 20U,
                    .drain_interval = milliseconds(1000),
                    .publish_interval = milliseconds(3'600'000)},
      .shadow = {.queue = 4096, .deadline = milliseconds(3'600'000), .latency = world.latency},
      .split = {.salt = "seed " + std::to_string(seed)}};
  if (world.share_of_a != 1.0) options.split.shares = {{"A", world.share_of_a}};
  for (const Topic& topic : topics.first(world.has_baseline ? topics.size() : 0)) {
    options.split.baseline.push_back({TopicId(topic_name(topic.index.value())),
                                      std::string(world.measure), expected_score(topic.hardness)});
  }
  return options;
}

std::vector<Resolution> resolutions_of(const JudgedDocnos& judged, std::uint32_t topics) {
  std::vector<Resolution> resolutions;
  for (std::uint32_t d = 0; d < topics * kRelevant; ++d) {
    resolutions.push_back({judged.find(docno_name(d)), DocId(d)});
  }
  return resolutions;
}

/// Returns the docids of a page.
std::vector<DocId> page_of(const Topic& topic, std::span<const Rank> relevant,
                           const Answer& answer) {
  const std::uint32_t behind = answer.available - std::min(answer.available, answer.first_rank - 1);
  std::vector<DocId> page(std::min(answer.requested, behind));
  for (std::uint32_t i = 0; i < page.size(); ++i) {
    page[i] = DocId(kNotJudged + answer.first_rank + i);
  }
  for (std::uint32_t d = 0; d < relevant.size(); ++d) {
    const std::uint32_t place = relevant[d] - answer.first_rank;  // large for an earlier rank
    if (place < page.size()) page[place] = DocId(topic.index.value() * kRelevant + d);
  }
  return page;
}

Claims score_claims(const MeasureDifference& difference) {
  const auto& live = difference.live;
  const bool is_verdict =
      live && (live->state == LiveState::kLeading || live->state == LiveState::kConfirmed);
  if (!is_verdict) return Claims::kNone;
  return *live->mean > 0.0 ? Claims::kBBetter : Claims::kABetter;
}

Claims latency_claims(const LatencyRatio& ratio) {
  if (!ratio.differs) return Claims::kNone;
  return *ratio.mean < 1.0 ? Claims::kBFaster : Claims::kAFaster;
}

/// Counts a visit for as long as the pool holds its function.
class Waiting {
 public:
  explicit Waiting(std::atomic<std::uint32_t>& count) : count_(count) { ++count_; }
  ~Waiting() {
    if (--count_ == 0) count_.notify_all();
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  std::atomic<std::uint32_t>& count_;
};

/// Returns the topics in random order. Families have consecutive indices.
std::vector<Topic> draw_topics(const WorldOptions& options, std::mt19937_64& random) {
  std::vector<Topic> topics(options.topics);
  std::uniform_real_distribution<> uniform;
  std::normal_distribution<> normal;
  for (std::uint32_t t = 0; t < options.topics; ++t) {
    Topic& topic = topics[t];
    if (t % options.topics_in_family == 0) {
      topic.hardness = uniform(random);
      for (double& log_rank : topic.log_ranks) {
        log_rank = kEasiest + kRange * topic.hardness + 0.6 * normal(random);
      }
      for (double& effect : topic.effects) effect = 0.3 * normal(random);
    } else {
      topic = topics[t - 1];
    }
    topic.index = TopicIndex(t);
  }
  std::ranges::shuffle(topics, random);
  return topics;
}

}  // namespace

World::World(const WorldOptions& options, std::uint64_t seed)
    : is_timed_(options.is_timed),
      random_(seed),
      topics_(draw_topics(options, random_)),
      experiment_(qrels_of(options), options_of(options, topics_, seed)),
      table_(experiment_.judged(), resolutions_of(experiment_.judged(), options.topics),
             experiment_.next_generation(), kCollection) {}

ArmIndex World::arm_for(const Topic& topic) const {
  return experiment_.arm_for(topic_name(topic.index.value()));
}

Answer World::answer(const Topic& topic, ArmIndex arm, double shift) {
  Answer answer;
  for (const double log_rank : topic.log_ranks) {
    const double moved = log_rank + topic.effects[arm.value()] + shift;
    answer.relevant.push_back(static_cast<Rank>(std::ceil(std::exp(std::clamp(moved, 0.0, 9.0)))));
  }
  std::ranges::sort(answer.relevant);
  for (std::size_t i = 1; i < answer.relevant.size(); ++i) {
    answer.relevant[i] = std::max(answer.relevant[i], answer.relevant[i - 1] + 1);
  }
  answer.ms = 10.0 * std::exp(0.3 * normal());
  if (!is_timed_) answer.flags = RankingFlags::kUntimed;
  return answer;
}

void World::serve(const Topic& topic, ArmIndex arm, const Answer& answer,
                  std::string_view session) {
  if (answer.outcome == Outcome::kForgotten) {
    (void)experiment_.visit(topic.index, {.key = session});
    return;
  }
  const QueryScope scope(experiment_, topic.index, {.key = session});
  observe(topic, arm, answer);
}

void World::observe(const Topic& topic, ArmIndex arm, const Answer& answer) {
  switch (answer.outcome) {
    case Outcome::kRanking:
      return observe_ranking(topic, arm, answer);
    case Outcome::kFailed:
    case Outcome::kThrown:
      experiment_.observe_failure(arm, Experiment::SearchFailure::kFailed);
      return;
    case Outcome::kTimedOut:
      experiment_.observe_failure(arm, Experiment::SearchFailure::kTimedOut);
      return;
    case Outcome::kUnseen:
    case Outcome::kForgotten:
      return;
  }
}

void World::observe_ranking(const Topic& topic, ArmIndex arm, const Answer& answer) {
  const auto started = QueryScope::current()->visit().started;
  const auto took = std::chrono::duration<double, std::milli>(answer.ms);
  const auto observe = [&](const std::vector<Rank>& relevant, std::uint32_t requested) {
    Answer asked = answer;
    asked.requested = requested;
    const std::vector<DocId> page = page_of(topic, relevant, asked);
    experiment_.observe(
        {.arm = arm,
         .resolved = answer.has_table ? &table_ : nullptr,
         .docids = page,
         .first_rank = answer.first_rank,
         .requested_depth = requested,
         .total_hits = answer.total_hits,
         .search_started = started,
         .search_ended = started + std::chrono::duration_cast<std::chrono::nanoseconds>(took),
         .flags = answer.flags});
  };
  if (answer.reranked.empty()) return observe(answer.relevant, answer.requested);
  observe(answer.relevant, answer.available);
  observe(answer.reranked, answer.requested);
}

void World::compare(const Topic& topic, Compared compared) {
  const Visit visit = experiment_.visit(topic.index);
  {
    const QueryScope scope(experiment_, visit);
    observe(topic, kArmA, compared.served);
  }
  if (!compared.is_offered) return;
  const auto shared = std::make_shared<Compared>(std::move(compared));
  const auto before = std::make_shared<std::array<Before, 2>>();
  (*before)[0] = {.of_arm = 1, .of_all = 1};
  (*before)[1] = {.of_arm = 0, .of_all = 1};
  const auto waiting = std::make_shared<Waiting>(waiting_);
  experiment_.shadow(visit, kArmA, [this, topic, shared, before, waiting](ArmIndex arm) {
    search(topic, arm, *shared, *before);
  });
}

void World::search(const Topic& topic, ArmIndex arm, Compared& compared,
                   std::array<Before, 2>& before) {
  Answer& answer = compared.searched[arm.value()];
  if (compared.ms) answer.ms = compared.ms(arm, before[arm.value()]);
  ++before[arm.value()].of_arm;
  for (Before& searches : before) ++searches.of_all;
  if (answer.outcome == Outcome::kThrown) throw std::runtime_error("the search failed");
  observe(topic, arm, answer);
}

void World::wait_for_pool() const {
  for (std::uint32_t n = waiting_.load(); n > 0; n = waiting_.load()) waiting_.wait(n);
}

Claims World::look() {
  wait_for_pool();
  const std::shared_ptr<const Summary> summary = experiment_.summary(SummaryDetail::kVerdicts);
  const ArmPair& pair = summary->pairs.front();
  return score_claims(pair.differences.front()) | latency_claims(pair.latency);
}

}  // namespace prescope::simulation
