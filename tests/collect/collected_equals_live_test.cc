// Lines that are posted give the same summary as the same visits in the process that served them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "base/utc_time.h"
#include "collect/collector.h"
#include "prescope/report.h"
#include "store/sessions/rebuilt_session.h"
#include "support/citation_file.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

constexpr int kMadeUpTopics = 30, kVisits = 400;
const std::vector<std::string> kMadeUpArms = {"a", "b", "c"};

/// What one arm ranked for one visit.
struct MadeUpRanking {
  std::size_t arm = 0;
  std::vector<std::string> docnos{};
  std::uint32_t depth = 10;
  std::chrono::milliseconds latency{};
  std::optional<std::uint64_t> total{};
  std::vector<std::pair<std::string, RankingFlags>> flags{};
  bool is_posted = true;
};
struct MadeUpVisit {
  std::string name, topic;
  UtcTime served{};
  std::vector<MadeUpRanking> rankings{};  ///< the first was served
};

class MadeUpVisits {
 public:
  explicit MadeUpVisits(unsigned seed) : random_(seed) {}

  MadeUpVisit next(int number, bool is_paired) {
    MadeUpVisit visit{
        .name = fmt::format("visit {}", number),
        .topic = fmt::format("EP{}", below(kMadeUpTopics + 3)),  // three are not judged
        .served = parse_utc_time("2026-11-27T10:00:00Z") + std::chrono::minutes(number)};
    std::vector<std::size_t> arms = {0, 1, 2};
    std::shuffle(arms.begin(), arms.end(), random_);
    arms.resize(is_paired ? 3 : 1);
    for (const std::size_t arm : arms) visit.rankings.push_back(ranking(arm, visit.topic));
    // Now and then the ranking of an arm is missing.
    if (is_paired && below(10) == 0) visit.rankings.back().is_posted = false;
    return visit;
  }

 private:
  int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }

  MadeUpRanking ranking(std::size_t arm, const std::string& topic) {
    MadeUpRanking ranking{.arm = arm, .latency = std::chrono::milliseconds(1 + below(50))};
    if (below(15) == 0) {
      ranking.flags = {below(2) == 0 ? std::pair("failed", RankingFlags::kFailed)
                                     : std::pair("timed_out", RankingFlags::kTimedOut)};
      return ranking;
    }
    const int hits = below(4) == 0 ? below(10) : 10;
    for (int r = 0; r < hits; ++r) {
      ranking.docnos.push_back(below(4) == 0 ? fmt::format("US{}{}", topic.substr(2), below(3))
                                             : fmt::format("CN{}", below(100'000)));
    }
    if (below(3) == 0) ranking.total = 1000;
    if (hits == 0) ranking.total.reset();
    if (below(12) == 0) ranking.flags = {{"sorted", RankingFlags::kSorted}};
    if (below(12) == 0) ranking.flags.emplace_back("filtered", RankingFlags::kFiltered);
    return ranking;
  }

  std::mt19937 random_;
};

RankingFlags flags_of(const MadeUpRanking& ranking) {
  RankingFlags flags = RankingFlags::kNone;
  for (const auto& [word, flag] : ranking.flags) flags = flags | flag;
  return flags;
}

std::string lines_of(const MadeUpVisit& visit) {
  std::string lines;
  for (const MadeUpRanking& one : visit.rankings) {
    if (!one.is_posted) continue;
    nlohmann::json line{{"id", fmt::format("{}/{}", visit.name, one.arm)},
                        {"visit", visit.name},
                        {"topic", visit.topic},
                        {"arm", kMadeUpArms[one.arm]},
                        {"time", utc_text(visit.served)},
                        {"latency_ms", one.latency.count()},
                        {"depth", one.depth},
                        {"docnos", one.docnos}};
    for (const auto& [word, flag] : one.flags) line["flags"].push_back(word);
    if (one.total) line["total"] = *one.total;
    lines += line.dump() + '\n';
  }
  return lines;
}

/// A host that serves the visits itself.
class ServingHost {
 public:
  ServingHost(Qrels qrels, ExperimentOptions options) : experiment(std::move(qrels), options) {}

  void serve(const MadeUpVisit& visit) {
    Visit begun =
        experiment.visit(TopicId(visit.topic), {.key = visit.name, .served = visit.served});
    begun.started = {};
    const MadeUpRanking& first = visit.rankings.front();
    observe(begun, first);
    if (visit.rankings.size() == 1) return;
    std::vector<std::vector<std::string_view>> docnos;
    std::vector<Ranking> others;
    docnos.reserve(visit.rankings.size());
    for (std::size_t i = 1; i < visit.rankings.size(); ++i) {
      if (!visit.rankings[i].is_posted) continue;
      docnos.emplace_back(visit.rankings[i].docnos.begin(), visit.rankings[i].docnos.end());
      others.push_back(ranking_of(visit.rankings[i], docnos.back()));
    }
    experiment.observe_comparison(begun, ArmIndex(std::uint32_t(first.arm)), others);
  }

  Experiment experiment;

 private:
  static Ranking ranking_of(const MadeUpRanking& from, std::span<const std::string_view> docnos) {
    return {.arm = ArmIndex(std::uint32_t(from.arm)),
            .kind = HitKind::kDocnos,
            .docnos = docnos,
            .requested_depth = from.depth,
            .total_hits = from.total.value_or(0),
            .latency = from.latency,
            .flags = flags_of(from)};
  }
  void observe(const Visit& visit, const MadeUpRanking& from) {
    const ArmIndex arm(std::uint32_t(from.arm));
    if (has(flags_of(from), RankingFlags::kFailed)) {
      experiment.observe_failure(visit, arm, Experiment::SearchFailure::kFailed);
    } else if (has(flags_of(from), RankingFlags::kTimedOut)) {
      experiment.observe_failure(visit, arm, Experiment::SearchFailure::kTimedOut);
    } else {
      const std::vector<std::string_view> docnos(from.docnos.begin(), from.docnos.end());
      experiment.observe(visit, ranking_of(from, docnos));
    }
  }
};

/// Removes what differs from run to run: times of the clock, and prescope's own time.
void remove_clocks(nlohmann::json& json) {
  if (json.is_object()) {
    for (auto member = json.begin(); member != json.end();) {
      const std::string& key = member.key();
      const bool is_clock = key.find("self") != std::string::npos || key == "began" ||
                            key == "ended" || key == "time" || key == "log_waiting";
      member = is_clock ? json.erase(member) : std::next(member);
    }
  }
  if (json.is_structured()) {
    for (auto& each : json) remove_clocks(each);
  }
}

void remove_key(nlohmann::json& json, const std::string& key) {
  if (json.is_object()) json.erase(key);
  for (auto& each : json) {
    if (each.is_structured()) remove_key(each, key);
  }
}

nlohmann::json document_of(Experiment& experiment) {
  nlohmann::json json = nlohmann::json::parse(to_json(*experiment.summary()));
  remove_clocks(json);
  return json;
}

CollectorOptions made_up_options(const ScratchFolder& scratch, Mode mode) {
  CollectorOptions options{.store = scratch.path() / "x.store"};
  options.live.mode = mode;
  options.live.salt = "salt";
  ReplayOptions& files = options.live.experiment;
  files.name = "x";
  files.measures = {Measure::parse("PRES@10"), Measure::parse("R@5"), Measure::parse("AP@10")};
  for (const std::string& arm : kMadeUpArms) {
    files.arms.push_back({.config = {.id = ArmId(arm), .settings = {}}});
  }
  return options;
}

/// Posts the lines, waits for the answer, and ends the collector.
void post_all(Collector& collector, const std::string& lines) {
  std::promise<CollectAnswer> answered;
  ASSERT_TRUE(
      collector.post(lines, [&](const CollectAnswer& answer) { answered.set_value(answer); }));
  const CollectAnswer answer = answered.get_future().get();
  EXPECT_TRUE(answer.refused.empty()) << answer.refused[0].why;
  EXPECT_TRUE(answer.not_stored.empty());
  collector.end();
}

std::string difference(const nlohmann::json& a, const nlohmann::json& b) {
  return nlohmann::json::diff(a, b).dump(1);
}

class CollectedEqualsLive : public ::testing::TestWithParam<Mode> {};

TEST_P(CollectedEqualsLive, KeyByKey) {
  const ScratchFolder scratch;
  std::string qrels;
  for (int t = 0; t < kMadeUpTopics; ++t) {
    for (int d = 0; d < 3; ++d) qrels += fmt::format("EP{0} 0 US{0}{1} 1\n", t, d);
  }
  CollectorOptions options = made_up_options(scratch, GetParam());
  ReplayOptions& files = options.live.experiment;
  files.qrels = scratch.write("qrels.txt", qrels);
  std::string slices = "topic\tthird\n";
  for (int t = 0; t < kMadeUpTopics + 1; ++t) slices += fmt::format("EP{}\t{}\n", t, t % 3);
  files.slices.file = scratch.write("slices.tsv", slices);
  Collector collector(options);
  ExperimentOptions same = collector.experiment().options();
  same.logs.clear();
  ServingHost host(Qrels::load(files.qrels), same);

  MadeUpVisits visits(17);
  std::string lines;
  for (int v = 0; v < kVisits; ++v) {
    const MadeUpVisit visit = visits.next(v, GetParam() == Mode::kPaired);
    host.serve(visit);
    lines += lines_of(visit);
  }
  post_all(collector, lines);
  host.experiment.end_logs();
  const nlohmann::json collected = document_of(collector.experiment());
  EXPECT_EQ(difference(document_of(host.experiment), collected), "[]");
  // The slices of the file, of ten judged topics each; EP30 is not judged.
  const nlohmann::json& of_pair = collected["pairs"][0];
  ASSERT_EQ(of_pair["slices"].size(), 3U);
  EXPECT_EQ(of_pair["slices"][0]["judged"], 10);
  EXPECT_NE(of_pair["words"]["about_slices"].dump().find("1 topic of the slices is not judged, "
                                                         "such as EP30."),
            std::string::npos);
}

constexpr int kTopicNumbers = 1'000'000, kMembers = 3'000'000, kCited = 5'000'000;

std::string topic_patent(int t) { return fmt::format("EP{}", kTopicNumbers + t); }

/// Renames the made-up documents of a visit: topic EP7 is EP1000007, and document US72, its
/// citation 2, is US5000702, or the member of its family EP3000702. Some documents that are not
/// judged are citations of other topics.
void rename_documents(MadeUpVisit& visit) {
  const int topic = std::stoi(visit.topic.substr(2));
  visit.topic = topic_patent(topic);
  for (MadeUpRanking& ranking : visit.rankings) {
    for (std::size_t i = 0; i < ranking.docnos.size(); ++i) {
      std::string& docno = ranking.docnos[i];
      const int number = std::stoi(docno.substr(2));
      if (docno.starts_with("CN") && number % 3 > 0) continue;
      const int of = docno.starts_with("CN") ? (topic + 1 + number % 2) % kMadeUpTopics : topic;
      const bool is_member = (static_cast<int>(i) + of) % 2 == 0;
      docno = fmt::format("{}{}", is_member ? "EP" : "US",
                          (is_member ? kMembers : kCited) + of * 100 + number % 10 % 3);
    }
  }
}

/// Leaves out the documents of families that a ranking has already.
void leave_out_later_members(MadeUpRanking& ranking) {
  std::set<std::string> families;
  std::erase_if(ranking.docnos, [&](const std::string& docno) {
    const int number = std::stoi(docno.substr(2));
    const bool is_alone = docno.starts_with("CN");
    return !families.insert(is_alone ? docno : fmt::format("{}", number % kTopicNumbers)).second;
  });
}

/// A topic that is asked for, and of which nothing is observed.
constexpr int kOnlyAsked = kMadeUpTopics + 10;

/// Topics 0 and 1 are of one family, 2 and 3 of another one, and so on up to 9.
void write_made_up_citations(const std::filesystem::path& path) {
  std::vector<CitingDocument> documents;
  for (int t = 0; t <= kOnlyAsked; ++t) {
    if (t >= kMadeUpTopics && t < kOnlyAsked) continue;
    CitingDocument topic{.publication = {.number = topic_patent(t) + "A1"}};
    if (t < 10) topic.family = fmt::format("{}", 900 + t / 2);
    for (int d = 0; d < 3; ++d) {
      const std::string cited = fmt::format("US{}A", kCited + t * 100 + d);
      const std::string family = fmt::format("{}", 1000 + t * 100 + d);
      topic.citations.push_back(
          {.cited = {.number = cited}, .categories = "X", .source = "examiner"});
      documents.push_back({.publication = {.number = cited}, .family = family});
      documents.push_back({.publication = {.number = fmt::format("EP{}A1", kMembers + t * 100 + d)},
                           .family = family});
    }
    documents.push_back(std::move(topic));
  }
  write_citation_store(path, documents);
}

/// Sorts what is in the order of the topics' positions. Of equal losses the first topics are shown.
void sort_topics(nlohmann::json& json) {
  if (json.is_object()) json.erase("worst");
  for (auto& each : json) {
    if (each.is_structured()) sort_topics(each);
  }
  const auto is_of_topic = [](const nlohmann::json& one) {
    return one.is_object() && (one.contains("topic") || one.contains("id"));
  };
  if (!json.is_array() || json.empty() || !std::ranges::all_of(json, is_of_topic)) return;
  const auto name_of = [](const nlohmann::json& one) {
    return one.contains("topic") ? one["topic"] : one["id"];
  };
  std::sort(json.begin(), json.end(),
            [&](const auto& a, const auto& b) { return name_of(a) < name_of(b); });
}

/// Serves and posts the same visits, and compares the summaries. The collector has no list of
/// topics. If rankings are collapsed, the host serves each family once.
void compare_found_topics(Mode mode, bool collapses) {
  const ScratchFolder scratch;
  CollectorOptions options = made_up_options(scratch, mode);
  ReplayOptions& files = options.live.experiment;
  files.qrels = scratch.path() / "citations.store";
  files.qrels_options.docno = DocnoPolicy::kFamily;
  const QrelsOptions of_host = files.qrels_options;
  files.qrels_options.collapses = collapses;
  write_made_up_citations(files.qrels);
  std::vector<std::string> topics;
  for (int t = 0; t < kMadeUpTopics; ++t) topics.push_back(topic_patent(t));
  Collector collector(options);
  EXPECT_EQ(collector.experiment().qrels().num_topics(), 0U);
  ExperimentOptions same = collector.experiment().options();
  same.logs.clear();
  ServingHost host(load_judgements(files.qrels, of_host, [&] { return topics; }), same);

  MadeUpVisits visits(17);
  std::string lines;
  for (int v = 0; v < kVisits; ++v) {
    MadeUpVisit visit = visits.next(v, mode == Mode::kPaired);
    rename_documents(visit);
    MadeUpVisit served = visit;
    for (MadeUpRanking& ranking : served.rankings) {
      const std::size_t hits = ranking.docnos.size();
      if (collapses) leave_out_later_members(ranking);
      ranking.depth -= static_cast<std::uint32_t>(hits - ranking.docnos.size());
    }
    host.serve(served);
    const std::string number = visit.topic.substr(2);
    visit.topic = v % 3 == 0 ? "EP-" + number + "-B1" : v % 3 == 1 ? "ep " + number : visit.topic;
    lines += lines_of(visit);
  }
  (void)collector.arm_for(topic_patent(kOnlyAsked));
  post_all(collector, lines);
  host.experiment.end_logs();
  EXPECT_EQ(collector.experiment().qrels().num_topics(), std::size_t{kMadeUpTopics + 1});
  nlohmann::json listed = document_of(host.experiment), found = document_of(collector.experiment());
  sort_topics(listed);
  sort_topics(found);
  EXPECT_EQ(found.at("collapse"), collapses);
  EXPECT_EQ(found.at("rule"), "examiner");
  // Only a list of all topics has counts of its lines.
  EXPECT_EQ(listed.at("judgements_merged"), 3 * kMadeUpTopics);
  listed["judgements_merged"] = 0;
  // Only a list of all topics says how many are left.
  for (nlohmann::json& pair : listed["pairs"]) {
    if (pair["outlook"].is_object()) pair["outlook"]["left"] = nullptr;
  }
  listed["words"]["notes"].erase(1);
  if (collapses) {
    listed["collapse"] = true;
    nlohmann::json& notes = found["words"]["notes"];
    EXPECT_NE(notes.at(1).get<std::string>().find("collapsed"), std::string::npos);
    notes.erase(1);
  }
  EXPECT_EQ(difference(listed, found), "[]");

  nlohmann::json rebuilt =
      nlohmann::json::parse(to_json(RebuiltSession(options.store, 1).summary()));
  remove_clocks(rebuilt);
  sort_topics(rebuilt);
  // A stored session knows documents by their families.
  for (nlohmann::json* const json : {&found, &rebuilt}) remove_key(*json, "docno");
  // The store only counts unjudged queries, which counts of arms have.
  for (const char* const key :
       {"topics", "families", "judgements", "topics_without_relevant", "pairs", "per_topic"}) {
    EXPECT_EQ(difference(found.at(key), rebuilt.at(key)), "[]") << key;
  }
}

/// In spellings of all kinds. The session that was stored gives the same, too.
TEST_P(CollectedEqualsLive, TopicsOfACitationStoreAsIfTheyHadBeenListed) {
  compare_found_topics(GetParam(), false);
}

TEST_P(CollectedEqualsLive, CollapsedRankingsAsIfEachFamilyHadBeenServedOnce) {
  compare_found_topics(GetParam(), true);
}

INSTANTIATE_TEST_SUITE_P(Modes, CollectedEqualsLive,
                         ::testing::Values(Mode::kObserve, Mode::kPaired, Mode::kSplit));

}  // namespace
}  // namespace prescope
