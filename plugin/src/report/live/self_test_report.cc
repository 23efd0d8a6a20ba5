#include "report/live/self_test_report.h"

#include "base/utc_time.h"
#include "report/live/live_report.h"
#include "runs/topic_units.h"
#include "store/sessions/observation_schema.h"

namespace prescope {

namespace {

using Question = SelfTestQuestion;
using QuestionAnswer = SelfTestAnswer;

/// A ratio of the report, and what it is a ratio of.
struct NamedEffect {
  std::string_view key, words;
  LatencyEffect SelfTest::*effect;
  bool is_judged;
};
constexpr NamedEffect kEffects[] = {
    {"own_cache", "search by the arm that served, over the other arm's", &SelfTest::own_cache,
     true},
    {"order", "second search for comparison, over the first", &SelfTest::order, true},
    {"arms", "second arm, over the first", &SelfTest::arms_ratio, true},
    {"repeat", "first search for comparison, over the user's", &SelfTest::repeat, false},
    {"revisit", "later visits of a topic, over its first", &SelfTest::revisit, false}};

std::string_view effect_state_words(const LatencyEffect& effect) {
  return word_of(effect.state, {"too few", "not settled", "alike", "differs"});
}

std::string question_words(Question question) {
  return std::string(word_of(question, {"The same query is answered alike", "No false verdict",
                                        "No arm's caches are favoured", "Order has no effect",
                                        "The arm is as fast as itself"}));
}

Cell answer_cell(QuestionAnswer answer) {
  constexpr Style kStyles[] = {Style::kGood, Style::kBad, Style::kStrong, Style::kFaint};
  return {std::string(word_of(answer, {"HOLDS", "FOUND", "TOO FEW", "NOT ASKED"})),
          kStyles[static_cast<std::size_t>(answer)]};
}

ReportSection questions_section(const SelfTest& test) {
  ReportTable table = table_of("", {"question", "answer", "why"});
  for (const Question question : kSelfTestQuestions) {
    table.rows.push_back({question_words(question), answer_cell(test.answer(question)),
                          self_test_words(test, question)});
  }
  return {.heading = "Questions",
          .tables = {std::move(table)},
          .layout = ReportSection::Layout::kEntries};
}

ReportTable effects_table(const SelfTest& test) {
  ReportTable table{.title = "Ratios of latencies, and their 95 % intervals"};
  for (const NamedEffect& named : kEffects) {
    const LatencyEffect& effect = test.*named.effect;
    if (effect.pairs == 0) continue;
    const bool is_bad = named.is_judged && effect.state == LatencyEffect::State::kDiffers;
    table.add_row()
        .left("latency of", std::string(named.words))
        .right("ratio", ratio_text(effect.ratio))
        .right("interval", ratio_interval_text(effect))
        .right("pairs", grouped_text(effect.pairs))
        .left("answer", named.is_judged ? Cell(std::string(effect_state_words(effect)),
                                               is_bad ? Style::kBad : Style::kPlain)
                                        : Cell("not judged", Style::kFaint));
  }
  return table;
}

ReportTable resamples_table(const SelfTest& test) {
  ReportTable table{.title = "False verdicts by resampling"};
  const auto add = [&](std::string_view way, const ResampledVerdicts& of) {
    if (of.resamples == 0) return;
    table.add_row()
        .left("way", std::string(way))
        .right(std::string(units_word(test.summary.families.has_value())), grouped_text(of.units))
        .right("differ", grouped_text(of.differing))
        .right("resamples", grouped_text(of.resamples))
        .right("with a verdict", grouped_text(of.with_verdict))
        .right("95 % interval", fmt::format("[{}, {}]", share_of_cases(of.interval->low),
                                            share_of_cases(of.interval->high)))
        .right("promised", plain_percent_text(of.alpha));
  };
  add("paired: random signs", test.signs);
  add("split: random salts", test.salts);
  return table;
}

ReportTable searches_table(const SelfTest& test) {
  ReportTable table{.title = "Searches"};
  for (const SelfTestArm& arm : test.arms) {
    table.add_row()
        .left("arm", arm.name)
        .right("served", grouped_text(arm.served))
        .right("failed", grouped_text(arm.served_failed))
        .right("for comparison", grouped_text(arm.compared))
        .right("failed there", grouped_text(arm.failed))
        .right("timed out", grouped_text(arm.timed_out))
        .right("empty", grouped_text(arm.empty));
  }
  return table;
}

ReportFigure ratios_figure(const SelfTest& test) {
  page::XyFigure figure{.words = {"selftest", "Ratios of latencies over the session",
                                  "Ratio of latencies in each block of visits, in the order of "
                                  "time; the numbers over all blocks are in the table."},
                        .x = {.title = "block of visits"},
                        .y = {.title = "ratio"}};
  for (const NamedEffect& named : kEffects) {
    if (!named.is_judged) continue;
    const LatencyEffect& effect = test.*named.effect;
    if (effect.blocks.empty()) continue;
    page::FigureSeries series{.name = std::string(named.words)};
    for (std::size_t i = 0; i < effect.blocks.size(); ++i) {
      series.points.push_back({static_cast<double>(i + 1), effect.blocks[i]});
    }
    figure.series.push_back(std::move(series));
  }
  figure.level_guides.push_back({1.0, "alike"});
  return {.caption = "A line that leaves 1 for part of the session shows that something changed.",
          .drawing = std::move(figure)};
}

ReportSection numbers_section(const SelfTest& test) {
  ReportSection section{.heading = "Numbers"};
  ReportTable effects = effects_table(test), resamples = resamples_table(test);
  if (!effects.rows.empty()) section.tables.push_back(std::move(effects));
  if (!resamples.rows.empty()) section.tables.push_back(std::move(resamples));
  section.tables.push_back(searches_table(test));
  ReportFigure figure = ratios_figure(test);
  if (!std::get<page::XyFigure>(figure.drawing).series.empty()) {
    section.figures.push_back(std::move(figure));
  }
  section.about = {
      fmt::format("Latencies are alike if the whole interval of their ratio is between {:.3f} and "
                  "{:.3f}; they differ if it is all beyond.",
                  1.0 / (1.0 + test.options.tolerance), 1.0 + test.options.tolerance),
      "Resampling looks for \"leading\" and \"confirmed\" after every topic. It does not cover "
      "planned tests, slices, guardrails and latency, nor topics that depend on each other without "
      "a family map; for those, the session's own looks are all there is."};
  return section;
}

std::string session_words(const SelfTest& test) {
  const std::string time =
      test.began == UtcTime()
          ? "nothing was observed"
          : fmt::format("{} to {} UTC", utc_minute_text(test.began), utc_minute_text(test.ended));
  const std::string session = fmt::format("{}, {}", test.summary.experiment, time);
  if (!test.is_kept) return session;
  return fmt::format("{}, session {}: {}", test.store.string(), test.session, session);
}

std::string mode_words(const SelfTest& test) {
  if (test.mode == Mode::kSplit) return "split";
  return fmt::format("paired, latency \"{}\"", word_in(kShadowLatencyWords, test.shadow_latency));
}

LabelledLines subject_of(const SelfTest& test) {
  const auto& [a, b] = test.arms;
  LabelledLines lines{{"session", session_words(test)},
                      {"mode", mode_words(test)},
                      {"arms", fmt::format("{} and {}", a.name, b.name)},
                      {"visits", fmt::format("{} of {}", grouped_text(test.visits),
                                             count_text(test.topics, "judged topic"))}};
  if (!test.difference.empty()) {
    lines.push_back({"warning",
                     fmt::format("these are not the same arm: they differ in {}", test.difference),
                     Style::kBad});
  } else if (!test.is_described) {
    lines.push_back({"warning",
                     "the host does not describe its arms, so nobody checked that they "
                     "are the same (ExperimentOptions::descriptions)"});
  }
  return lines;
}

std::vector<std::string> notes_of(const SelfTest& test) {
  std::vector<std::string> notes = left_out(test.summary);
  for (const Check& check : test.pair().checks) {
    if (check.state == CheckState::kAlarm) {
      notes.push_back(check_words(test.summary, test.pair(), check));
    }
  }
  return notes;
}

Json effect_json(const LatencyEffect& effect) {
  return {{"pairs", effect.pairs},   {"ratio", effect.ratio},
          {"low", effect.low},       {"high", effect.high},
          {"blocks", effect.blocks}, {"state", effect_state_words(effect)}};
}

Json resampled_json(const ResampledVerdicts& of) {
  return {{"units", of.units},
          {"differing", of.differing},
          {"resamples", of.resamples},
          {"with_verdict", of.with_verdict},
          {"low", value_of(of.interval, &ProportionInterval::low)},
          {"high", value_of(of.interval, &ProportionInterval::high)},
          {"alpha", of.alpha}};
}

Json claims_json(const SelfTest& test) {
  constexpr std::string_view kKeys[] = {"better", "planned", "slice", "guardrail", "faster"};
  Json json = {{"looks", test.claims.looks}};
  for (std::size_t k = 0; k < SelfTestClaims::kKinds; ++k) {
    const SelfTestClaims::Claim& claim = test.claims.claims[k];
    json[std::string(kKeys[k])] = {{"looks", claim.looks},
                                   {"stands", claim.stands},
                                   {"first", claim.first ? Json(utc_text(*claim.first)) : Json()}};
  }
  json["same_within_margin"] = test.claims.was_equivalent;
  return json;
}

Json rankings_json(const RankingAgreement& rankings) {
  Json json = {{"visits", rankings.visits},
               {"differing", rankings.differing},
               {"rescored", rankings.rescored},
               {"captured", rankings.captured},
               {"largest", Json()},
               {"examples", rankings.examples},
               {"not_compared",
                {{"incomplete", rankings.incomplete},
                 {"failed", rankings.failed},
                 {"other_state", rankings.other_state},
                 {"shaped", rankings.shaped},
                 {"other_depth", rankings.other_depth}}}};
  if (rankings.largest) {
    json["largest"] = {{"measure", rankings.largest->measure},
                       {"topic", rankings.largest->topic},
                       {"difference", rankings.largest->difference}};
  }
  return json;
}

Json self_test_arm_json(const SelfTestArm& arm) {
  return {{"name", arm.name},
          {"engine", arm.engine},
          {"engine_version", arm.engine_version},
          {"index", arm.index},
          {"index_label", arm.index_label},
          {"config", arm.config},
          {"served", arm.served},
          {"served_failed", arm.served_failed},
          {"compared", arm.compared},
          {"failed", arm.failed},
          {"timed_out", arm.timed_out},
          {"empty", arm.empty}};
}

Json answers_json(const SelfTest& test) {
  Json questions = Json::array();
  for (const Question question : kSelfTestQuestions) {
    questions.push_back({{"question", question},
                         {"answer", test.answer(question)},
                         {"words", self_test_words(test, question)}});
  }
  return questions;
}

Json result_of(const SelfTest& test) {
  const bool is_empty = test.began == UtcTime();
  const JudgedDifference& scores = test.scores_by_order;
  Json json = {{"version", 1},
               {"exit_code", exit_code(test)},
               {"headline", self_test_headline(test)},
               {"questions", answers_json(test)},
               {"store", test.is_kept ? Json(test.store.string()) : Json()},
               {"session", test.is_kept ? Json(test.session) : Json()},
               {"experiment", test.summary.experiment},
               {"mode", name_of(test.mode)},
               {"shadow_latency", word_in(kShadowLatencyWords, test.shadow_latency)},
               {"began", is_empty ? Json() : Json(utc_text(test.began))},
               {"ended", is_empty ? Json() : Json(utc_text(test.ended))},
               {"visits", test.visits},
               {"topics", test.topics},
               {"tolerance", test.options.tolerance},
               {"seed", test.options.seed},
               {"arms", list_of(test.arms, self_test_arm_json)},
               {"arms_differ_in", test.difference.empty() ? Json() : Json(test.difference)},
               {"arms_are_described", test.is_described},
               {"rankings", rankings_json(test.rankings)},
               {"failures_p", test.failures_p},
               {"claims", claims_json(test)},
               {"resampled",
                {{"signs", resampled_json(test.signs)}, {"salts", resampled_json(test.salts)}}}};
  Json latency = Json::object();
  for (const NamedEffect& named : kEffects) {
    latency[std::string(named.key)] = effect_json(test.*named.effect);
  }
  json["latency"] = std::move(latency);
  json["order"] = {{"comparisons", test.ordered},
                   {"first_arm_began", test.first_a},
                   {"coin_p", test.coin_p},
                   {"is_reported", test.is_reported},
                   {"score_difference", value_of(scores.t, &PairedT::mean)},
                   {"score_p", scores.p_value}};
  return json;
}

CsvTable self_test_csv(const SelfTest& test) {
  CsvTable csv{.columns = {"number", "value", "low", "high", "of"}};
  const auto add = [&](std::string_view number, const Json& value, const Json& low,
                       const Json& high, std::uint64_t of) {
    csv.add({{"number", number}, {"value", value}, {"low", low}, {"high", high}, {"of", of}});
  };
  for (const NamedEffect& named : kEffects) {
    const LatencyEffect& effect = test.*named.effect;
    add(named.key, effect.ratio, effect.low, effect.high, effect.pairs);
  }
  for (const auto& [name, of] : {std::pair("signs_with_verdict", &test.signs),
                                 std::pair("salts_with_verdict", &test.salts)}) {
    add(name, of->with_verdict, value_of(of->interval, &ProportionInterval::low),
        value_of(of->interval, &ProportionInterval::high), of->resamples);
  }
  add("rankings_differing", test.rankings.differing, Json(), Json(), test.rankings.visits);
  add("rankings_rescored", test.rankings.rescored, Json(), Json(), test.rankings.visits);
  add("first_arm_began", test.first_a, Json(), Json(), test.ordered);
  for (std::size_t k = 0; k < SelfTestClaims::kKinds; ++k) {
    add(fmt::format("said: {}", claim_words(static_cast<SelfTestClaims::Kind>(k))),
        test.claims.claims[k].looks, Json(), Json(), test.claims.looks);
  }
  return csv;
}

}  // namespace

ReportDocument self_test_report(const SelfTest& test) {
  constexpr Style kStyles[] = {Style::kGood, Style::kBad, Style::kPlain, Style::kStrong};
  return {
      .title = fmt::format("Self test of {}", test.arms[0].name),
      .headline = {self_test_headline(test), kStyles[static_cast<std::size_t>(exit_code(test))]},
      .subject = subject_of(test),
      .sections = {questions_section(test), numbers_section(test)},
      .notes = notes_of(test),
      .result = {{"selftest", result_of(test)}},
      .csv = self_test_csv(test)};
}

}  // namespace prescope
