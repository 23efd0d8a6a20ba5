#include <gmock/gmock.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "c/c_handles.h"
#include "prescope/experiment.h"
#include "prescope/offline.h"
#include "prescope/report.h"
#include "support/program.h"
#include "support/scratch_file.h"

// Each way into prescope passes the cases of cases.json, which docs/cases.md describes.
namespace prescope {
namespace {

using Json = nlohmann::ordered_json;

Json all_cases() { return Json::parse(content_of(PRESCOPE_SOURCE_DIR "/tests/cases/cases.json")); }

/// Numbers are equal up to rounding; the words are the same.
void expect_equal(const Json& found, const Json& wanted, const std::string& what) {
  constexpr double kRounding = 1e-12;
  if (wanted.is_number()) {
    ASSERT_TRUE(found.is_number()) << what << ": " << found;
    EXPECT_NEAR(found.get<double>(), wanted.get<double>(), kRounding) << what;
  } else {
    EXPECT_EQ(found, wanted) << what;
  }
}

/// Every member of `wanted` is in `found`.
void expect_members(const Json& found, const Json& wanted, const std::string& what) {
  for (const auto& [name, value] : wanted.items()) {
    ASSERT_TRUE(found.contains(name)) << what << " has no " << name << ": " << found;
    if (value.is_object()) {
      expect_members(found[name], value, what + " " + name);
    } else {
      expect_equal(found[name], value, what + " " + name);
    }
  }
}

std::string joined(const Json& names) {
  std::string list;
  for (const auto& name : names) list += (list.empty() ? "" : ",") + name.get<std::string>();
  return list;
}

std::string_view code_name(ErrorCode code) {
  return code == ErrorCode::kUsage ? "usage" : code == ErrorCode::kBadInput ? "bad_input" : "other";
}

/// The options of a case, with the defaults.
struct CaseOptions {
  explicit CaseOptions(const Json& one) {
    const Json given = one.value("options", Json::object());
    docno = given.value("docno", docno);
    order = given.value("order", order);
    topics = given.value("topics", topics);
    min_grade = given.value("min_grade", min_grade);
    depth = given.value("depth", depth);
    judged_only = given.value("judged_only", judged_only);
  }
  std::string docno = "raw", order = "trec", topics = "all";
  int min_grade = 1;
  std::uint32_t depth = 0;  // all
  bool judged_only = false;
};

/// A way into prescope, with what it found as the JSON of the cases.
class Way {
 public:
  Way() = default;
  virtual ~Way() = default;
  Way(const Way&) = delete;
  Way& operator=(const Way&) = delete;
  /// Returns `scores`, `means` and `missing`, or `error`.
  [[nodiscard]] virtual Json evaluated(const Json& one) const = 0;
  /// Returns `differences`, and `sentence` if the way has one.
  [[nodiscard]] virtual Json compared(const Json& one) const = 0;
};

// ---- C++ ----------------------------------------------------------------------------------------

Qrels qrels_of(const Json& one, const CaseOptions& options) {
  std::vector<Qrels::Line> lines;
  for (const auto& line : one.at("qrels")) {
    lines.push_back({TopicId(line[0].get<std::string>()), Docno(line[1].get<std::string>()),
                     line[2].get<Grade>()});
  }
  return Qrels::from_lines(
      lines, {.docno = parse_docno_policy(options.docno), .min_grade = options.min_grade});
}

JudgedRun run_of(const Qrels& qrels, const Json& run) {
  std::vector<std::string> topics, docnos;
  std::vector<double> scores;
  for (const auto& line : run) {
    topics.push_back(line[0].get<std::string>());
    docnos.push_back(line[1].get<std::string>());
    scores.push_back(line[2].get<double>());
  }
  const std::vector<std::string_view> topic(topics.begin(), topics.end());
  const std::vector<std::string_view> docno(docnos.begin(), docnos.end());
  return JudgedRun::from_columns(qrels, topic, docno, scores);
}

Json json_of(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

class Cpp : public Way {
 public:
  [[nodiscard]] Json evaluated(const Json& one) const override {
    try {
      const CaseOptions options(one);
      const auto measures = parse_measures(joined(one.at("measures")));
      const Qrels qrels = qrels_of(one, options);
      ScoringOptions scoring{.order = options.order == "file" ? RunOrder::kFile : RunOrder::kTrec,
                             .judged_only = options.judged_only,
                             .only_topics_of_run = options.topics == "run"};
      if (options.depth != 0) scoring.depth = options.depth;
      const RunScores found = evaluate(run_of(qrels, one.at("run")), measures, scoring);
      Json json = {{"scores", Json::object()}, {"means", Json::object()}};
      std::set<std::string> answered;
      for (const auto& topic : found.topics) {
        Json& scores = json["scores"][qrels.topic(topic.topic).id().text()];
        for (std::size_t m = 0; m < found.measures.size(); ++m) {
          scores[found.measures[m].name()] = json_of(topic.scores[m]);
        }
        if (topic.num_ret != 0) answered.insert(qrels.topic(topic.topic).id().text());
      }
      for (const TopicQrels& topic : qrels.topics()) {
        if (!answered.contains(topic.id().text())) json["missing"].push_back(topic.id().text());
      }
      for (std::size_t m = 0; m < found.measures.size(); ++m) {
        json["means"][found.measures[m].name()] = json_of(found.means[m].mean);
      }
      return json;
    } catch (const Error& error) {
      return {{"error", code_name(error.code())}};
    }
  }

  [[nodiscard]] Json compared(const Json& one) const override {
    const Qrels qrels = qrels_of(one, CaseOptions(one));
    Json json = {{"differences", Json::object()}};
    for (const RunDifference& found :
         compare(run_of(qrels, one["runs"]["old"]), run_of(qrels, one["runs"]["new"]),
                 parse_measures(joined(one.at("measures"))))) {
      json["differences"][found.measure.name()] = {{"mean_a", json_of(found.mean_a)},
                                                   {"mean_b", json_of(found.mean_b)},
                                                   {"difference", json_of(found.difference)},
                                                   {"wins", found.wins},
                                                   {"ties", found.ties},
                                                   {"losses", found.losses},
                                                   {"p_value", json_of(found.p_value)},
                                                   {"corrected", json_of(found.corrected)},
                                                   {"verdict", to_string(found.verdict)}};
    }
    return json;
  }
};

// ---- Documents of `evaluate` and `compare` ------------------------------------------------------

Json evaluated_json(const Json& document) {
  const Json& run = document.at("runs").at(0);
  Json json = {{"scores", Json::object()}, {"means", run.at("means")}};
  for (const auto& topic : document.at("per_topic")) {
    const Json& of_run = topic.at("runs").at(0);  // null if the topic is left out
    if (of_run.is_object()) json["scores"][topic["topic"].get<std::string>()] = of_run["scores"];
  }
  const Json& missing = document["worth_knowing"]["runs"][0]["topics_missing"]["topics"];
  if (!missing.empty()) json["missing"] = missing;
  return json;
}

Json compared_json(const Json& document) {
  const Json& pair = document.at("comparison").at("pairs").at(0);
  return {{"differences", pair.at("measures")}, {"sentence", pair["words"]["verdict"]}};
}

// ---- C ------------------------------------------------------------------------------------------

/// Strings of a column, with the pointers to them.
class Strings {
 public:
  Strings(const Json& lines, std::size_t column) {
    for (const auto& line : lines) strings_.push_back(line[column].get<std::string>());
    for (const std::string& string : strings_) pointers_.push_back(string.c_str());
  }
  [[nodiscard]] prescope_column column() const { return pointers(pointers_); }

 private:
  std::vector<std::string> strings_;
  std::vector<const char*> pointers_;
};

class C : public Way {
 public:
  [[nodiscard]] Json evaluated(const Json& one) const override {
    return answer([&](prescope_error* error, Json& json) {
      const CaseOptions options(one);
      const std::string measures = joined(one.at("measures"));
      prescope_scoring scoring = PRESCOPE_SCORING_INIT;
      scoring.order = options.order.c_str();
      scoring.depth = options.depth;
      scoring.judged_only = options.judged_only ? 1 : 0;
      scoring.only_topics_of_run = options.topics == "run" ? 1 : 0;
      CQrels qrels;
      CRun run;
      prescope_code code = make(one, options, qrels, error);
      if (code == PRESCOPE_OK) code = make(qrels, one.at("run"), "run", run, error);
      char* text = nullptr;
      const prescope_run* const runs[] = {run.get()};
      if (code == PRESCOPE_OK) {
        code = prescope_evaluate_json(runs, 1, measures.c_str(), &scoring, 1, &text, error);
      }
      if (code == PRESCOPE_OK) json = evaluated_json(Json::parse(CText(text).get()));
      return code;
    });
  }

  [[nodiscard]] Json compared(const Json& one) const override {
    return answer([&](prescope_error* error, Json& json) {
      CQrels qrels;
      CRun before, after;
      char* text = nullptr;
      EXPECT_EQ(make(one, CaseOptions(one), qrels, error), PRESCOPE_OK) << error->message;
      EXPECT_EQ(make(qrels, one["runs"]["old"], "old", before, error), PRESCOPE_OK);
      EXPECT_EQ(make(qrels, one["runs"]["new"], "new", after, error), PRESCOPE_OK);
      const prescope_run* const runs[] = {before.get(), after.get()};
      const prescope_code code = prescope_compare_json(runs, 2, joined(one.at("measures")).c_str(),
                                                       nullptr, nullptr, &text, error);
      if (code == PRESCOPE_OK) json = compared_json(Json::parse(CText(text).get()));
      return code;
    });
  }

  static prescope_code make(const Json& one, const CaseOptions& options, CQrels& qrels,
                            prescope_error* error) {
    const Strings topics(one.at("qrels"), 0), docnos(one.at("qrels"), 1);
    std::vector<std::int32_t> grades;
    for (const auto& line : one.at("qrels")) grades.push_back(line[2].get<std::int32_t>());
    prescope_qrels_options how = PRESCOPE_QRELS_OPTIONS_INIT;
    how.docno = options.docno.c_str();
    how.min_grade = options.min_grade;
    const prescope_column topic = topics.column(), docno = docnos.column();
    prescope_qrels* made = nullptr;
    const prescope_code code =
        prescope_qrels_from_columns(&topic, &docno, grades.data(), &how, &made, error);
    qrels.reset(made);
    return code;
  }

 private:
  template <class Call>
  static Json answer(const Call& call) {
    prescope_error error;
    Json json;
    const prescope_code code = call(&error, json);
    if (code == PRESCOPE_OK) return json;
    return {{"error", code == PRESCOPE_USAGE       ? "usage"
                      : code == PRESCOPE_BAD_INPUT ? "bad_input"
                                                   : "other"}};
  }
  static prescope_code make(const CQrels& qrels, const Json& lines, const char* name, CRun& run,
                            prescope_error* error) {
    const Strings topics(lines, 0), docnos(lines, 1);
    std::vector<double> scores;
    for (const auto& line : lines) scores.push_back(line[2].get<double>());
    prescope_run_columns columns = PRESCOPE_RUN_COLUMNS_INIT;
    columns.name = name;
    columns.topics = topics.column();
    columns.docnos = docnos.column();
    columns.scores = scores.data();
    prescope_run* made = nullptr;
    const prescope_code code = prescope_run_from_columns(qrels.get(), &columns, &made, error);
    run.reset(made);
    return code;
  }
};

// ---- The program --------------------------------------------------------------------------------

std::string qrels_text(const Json& one) {
  std::string text;
  for (const auto& line : one.at("qrels")) {
    text += fmt::format("{} 0 {} {}\n", line[0].get<std::string>(), line[1].get<std::string>(),
                        line[2].get<Grade>());
  }
  return text;
}

std::string run_text(const Json& run) {
  std::string text;
  for (const auto& line : run) {
    text += fmt::format("{} Q0 {} 0 {} x\n", line[0].get<std::string>(), line[1].get<std::string>(),
                        line[2].get<double>());
  }
  return text;
}

class Program : public Way {
 public:
  [[nodiscard]] Json evaluated(const Json& one) const override {
    const ScratchFolder folder;
    const CaseOptions options(one);
    std::vector<std::string> arguments = {"evaluate",
                                          folder.write("qrels", qrels_text(one)).string(),
                                          folder.write("run", run_text(one.at("run"))).string(),
                                          "--per-topic",
                                          "--format",
                                          "json",
                                          "-m",
                                          joined(one.at("measures")),
                                          "--docno",
                                          options.docno,
                                          "--order",
                                          options.order,
                                          "--topics",
                                          options.topics,
                                          "--min-grade",
                                          std::to_string(options.min_grade)};
    if (options.depth != 0) {
      arguments.insert(arguments.end(), {"--depth", std::to_string(options.depth)});
    }
    if (options.judged_only) arguments.emplace_back("--judged-only");
    const auto outcome =
        testing::run_program({.arguments = std::move(arguments), .environment = {}});
    if (outcome.exit_code == 0) return evaluated_json(Json::parse(outcome.out));
    // Its exit code is 2 for both; an unknown measure is the one usage error among the cases.
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    const bool is_usage = outcome.err.find("unknown measure") != std::string::npos;
    return {{"error", is_usage ? "usage" : "bad_input"}};
  }

  [[nodiscard]] Json compared(const Json& one) const override {
    const ScratchFolder folder;
    const auto outcome = testing::run_program(
        {.arguments = {"compare", folder.write("qrels", qrels_text(one)).string(),
                       folder.write("old", run_text(one["runs"]["old"])).string(),
                       folder.write("new", run_text(one["runs"]["new"])).string(), "-m",
                       joined(one.at("measures")), "--format", "json"},
         .environment = {}});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return compared_json(Json::parse(outcome.out));
  }
};

class OfflineCases : public ::testing::TestWithParam<std::shared_ptr<Way>> {};

TEST_P(OfflineCases, Evaluate) {
  const Json cases = all_cases();
  ASSERT_FALSE(cases.at("evaluate").empty());
  for (const Json& one : cases.at("evaluate")) {
    SCOPED_TRACE(one.at("name").get<std::string>() + ": " + one.at("why").get<std::string>());
    const Json found = GetParam()->evaluated(one);
    if (one.contains("error")) {
      EXPECT_EQ(found, (Json{{"error", one.at("error")}}));
      continue;
    }
    ASSERT_FALSE(found.contains("error")) << found;
    ASSERT_EQ(found.at("scores").size(), one.at("scores").size());
    expect_members(found.at("scores"), one.at("scores"), "scores");
    expect_members(found.at("means"), one.at("means"), "means");
    EXPECT_EQ(found.value("missing", Json()), one.value("missing", Json()));
  }
}

TEST_P(OfflineCases, Compare) {
  const Json cases = all_cases();
  ASSERT_FALSE(cases.at("compare").empty());
  for (const Json& one : cases.at("compare")) {
    SCOPED_TRACE(one.at("name").get<std::string>() + ": " + one.at("why").get<std::string>());
    const Json found = GetParam()->compared(one);
    expect_members(found.at("differences"), one.at("differences"), "differences");
    // The C++ values have a verdict; its sentence is in the documents.
    if (found.contains("sentence")) {
      EXPECT_EQ(found["sentence"], one.at("sentence"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cpp, OfflineCases, ::testing::Values(std::make_shared<Cpp>()));
INSTANTIATE_TEST_SUITE_P(C, OfflineCases, ::testing::Values(std::make_shared<C>()));
INSTANTIATE_TEST_SUITE_P(Program, OfflineCases, ::testing::Values(std::make_shared<Program>()));

// ---- Live ---------------------------------------------------------------------------------------

/// Returns the rankings of a case by visit, in their order; the first is what the user was served.
std::vector<std::vector<Json>> visits_of(const Json& one) {
  std::vector<std::vector<Json>> visits;
  std::map<std::string, std::size_t> known;
  for (const Json& ranking : one.at("rankings")) {
    const std::string visit = ranking.value("visit", ranking.at("id").get<std::string>());
    const auto [at, is_new] = known.emplace(visit, visits.size());
    if (is_new) visits.emplace_back();
    visits[at->second].push_back(ranking);
  }
  return visits;
}

bool has_flag(const Json& ranking, std::string_view flag) {
  const Json flags = ranking.value("flags", Json::array());
  return std::ranges::find(flags, Json(flag)) != flags.end();
}

Json live_in_cpp(const Json& one) {
  const std::string mode = one.at("mode");
  Experiment experiment(qrels_of(one, CaseOptions(one)),
                        {.arms = one.at("arms").get<std::vector<std::string>>(),
                         .measures = one.at("measures").get<std::vector<std::string>>(),
                         .mode = mode == "paired" ? Mode::kPaired : Mode::kObserve,
                         .shadow = {.latency = ShadowOptions::Latency::kNotCompared}});
  for (const std::vector<Json>& rankings : visits_of(one)) {
    const Visit visit = experiment.visit(TopicId(rankings.front().at("topic").get<std::string>()));
    const ArmIndex served = experiment.arm(rankings.front().at("arm").get<std::string>());
    std::vector<std::vector<std::string>> names;
    for (const Json& ranking : rankings) {
      names.push_back(ranking.value("docnos", std::vector<std::string>()));
    }
    std::vector<std::vector<std::string_view>> views;
    std::vector<Ranking> made;
    for (std::size_t i = 0; i < rankings.size(); ++i) {
      views.emplace_back(names[i].begin(), names[i].end());
      const Json& given = rankings[i];
      RankingFlags flags = RankingFlags::kNone;
      if (has_flag(given, "sorted")) flags = flags | RankingFlags::kSorted;
      if (has_flag(given, "filtered")) flags = flags | RankingFlags::kFiltered;
      made.push_back({.arm = experiment.arm(given.at("arm").get<std::string>()),
                      .kind = HitKind::kDocnos,
                      .docnos = views[i],
                      .requested_depth = given.value("depth", 0U),
                      .latency = std::chrono::milliseconds(given.value("latency_ms", 0)),
                      .flags = flags});
    }
    if (has_flag(rankings.front(), "failed")) {
      experiment.observe_failure(visit, served, ExperimentTraffic::SearchFailure::kFailed);
    } else {
      experiment.observe(visit, made.front());
    }
    if (mode == "paired" && experiment.wants_shadow(visit)) {
      experiment.observe_comparison(visit, served, std::span(made).subspan(1));
    }
  }
  return Json::parse(to_json(*experiment.summary()));
}

/// A ranking of a case as the C interface takes it.
struct CRanking {
  CRanking(const Json& given, prescope_experiment* experiment)
      : names(given.value("docnos", std::vector<std::string>())) {
    for (const std::string& name : names) texts.push_back(c_text(name));
    column = {texts.size(), texts.data(), 0, nullptr, 0, PRESCOPE_TEXTS};
    EXPECT_EQ(prescope_arm(experiment, c_text(given.at("arm").get_ref<const std::string&>()),
                           &ranking.arm, nullptr),
              PRESCOPE_OK);
    ranking.docnos = &column;
    ranking.requested_depth = given.value("depth", 0U);
    ranking.started_ns = 1;
    ranking.ended_ns = 1 + 1'000'000 * given.value("latency_ms", std::int64_t{0});
    if (has_flag(given, "sorted")) ranking.flags |= PRESCOPE_SORTED;
    if (has_flag(given, "filtered")) ranking.flags |= PRESCOPE_FILTERED;
  }
  CRanking(const CRanking&) = delete;
  CRanking& operator=(const CRanking&) = delete;

  std::vector<std::string> names;
  std::vector<prescope_text> texts;
  prescope_column column{};
  prescope_ranking ranking PRESCOPE_RANKING_INIT;
};

Json live_in_c(const Json& one) {
  prescope_error error;
  CQrels qrels;
  EXPECT_EQ(C::make(one, CaseOptions(one), qrels, &error), PRESCOPE_OK) << error.message;
  const auto arms = one.at("arms").get<std::vector<std::string>>();
  std::vector<const char*> names;
  for (const std::string& arm : arms) names.push_back(arm.c_str());
  const std::string mode = one.at("mode"), measures = joined(one.at("measures"));
  prescope_experiment_options options = PRESCOPE_EXPERIMENT_OPTIONS_INIT;
  options.arms = names.data();
  options.num_arms = names.size();
  options.measures = measures.c_str();
  options.mode = mode.c_str();
  options.shadow_latency = "not compared";
  prescope_experiment* made = nullptr;
  EXPECT_EQ(prescope_experiment_open(qrels.get(), &options, &made, &error), PRESCOPE_OK)
      << error.message;
  const CExperiment experiment(made);
  for (const std::vector<Json>& rankings : visits_of(one)) {
    const std::string topic = rankings.front().at("topic");
    prescope_request request = PRESCOPE_REQUEST_INIT;
    request.topic = c_text(topic);
    const prescope_visit visit = prescope_begin(made, &request);
    const CRanking served(rankings.front(), made);
    if (has_flag(rankings.front(), "failed")) {
      prescope_observe_failure(made, &visit, served.ranking.arm, 0);
    } else {
      prescope_observe(made, &visit, &served.ranking);
    }
    if (mode != "paired" || prescope_wants_shadow(made, &visit) == 0) continue;
    EXPECT_EQ(rankings.size(), 2U);
    const CRanking other(rankings.back(), made);
    prescope_observe_comparison(made, &visit, served.ranking.arm, &other.ranking, 1);
  }
  char* text = nullptr;
  EXPECT_EQ(prescope_summary(made, "json", &text, &error), PRESCOPE_OK) << error.message;
  return Json::parse(CText(text).get());
}

/// The cases' rankings are lines as `prescope collect` reads them.
Json live_in_collector(const Json& one) {
  const ScratchFolder folder;
  std::string lines;
  for (const Json& ranking : one.at("rankings")) lines += ranking.dump() + "\n";
  std::string arms;
  for (const auto& arm : one.at("arms")) {
    arms += fmt::format("[[arms]]\nname = \"{}\"\n", arm.get<std::string>());
  }
  const std::string mode = one.at("mode");
  const auto outcome = testing::run_program(
      {.arguments = {"collect", folder.write("experiment.toml", arms).string(),
                     folder.write("lines", lines).string(), "--qrels",
                     folder.write("qrels", qrels_text(one)).string(), "--docno", "raw",
                     "--measures", joined(one.at("measures")), "--mode", mode, "--store",
                     (folder.path() / "store").string(), "--json", "-"},
       .environment = {}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

class LiveCases : public ::testing::TestWithParam<Json (*)(const Json&)> {};

TEST_P(LiveCases, Summary) {
  const Json cases = all_cases();
  ASSERT_FALSE(cases.at("live").empty());
  for (const Json& one : cases.at("live")) {
    SCOPED_TRACE(one.at("name").get<std::string>() + ": " + one.at("why").get<std::string>());
    const Json summary = GetParam()(one);
    for (const auto& [name, wanted] : one.at("arms_after").items()) {
      const auto& arms = summary.at("arms");
      const auto arm =
          std::ranges::find_if(arms, [&](const Json& each) { return each.at("name") == name; });
      ASSERT_NE(arm, arms.end());
      Json found = *arm;
      for (auto& mean : found.at("means")) mean = Json(mean.at("mean"));
      expect_members(found, wanted, name);
    }
    if (!one.contains("pair")) continue;
    const Json& differences = summary.at("pairs").at(0).at("differences");
    expect_members(differences, one.at("pair"), "pair");
    EXPECT_EQ(differences.at(one["measures"][0])["words"]["live"], one.at("sentence"));
  }
}

INSTANTIATE_TEST_SUITE_P(Cpp, LiveCases, ::testing::Values(live_in_cpp));
INSTANTIATE_TEST_SUITE_P(C, LiveCases, ::testing::Values(live_in_c));
INSTANTIATE_TEST_SUITE_P(Collector, LiveCases, ::testing::Values(live_in_collector));

}  // namespace
}  // namespace prescope
