#include "report/runs/evaluation_report.h"

namespace prescope {

// One JSON object, written part by part: a tree of ten thousand topics and fifty runs would be
// larger than the evaluated data.

PRESCOPE_JSON_MEMBERS(DocnoHint, judged, matched, policy, would_match)
PRESCOPE_JSON_MEMBERS(RunOddities::AtCutoff, cutoff, num_ret, unjudged, tied, tied_topics)

namespace {

constexpr std::size_t kTopicsListed = 5;

Json scores_json(const EvaluationReport& report, std::span<const std::optional<double>> scores) {
  return by_measure(report.measures, [&](std::size_t m) { return Json(scores[m]); });
}

/// Returns the number of topics, and the first of them.
Json topics_json(const Qrels& qrels, std::span<const TopicIndex> topics) {
  const auto id_of = [&](TopicIndex topic) { return qrels.topic(topic).id(); };
  return {{"count", topics.size()},
          {"topics", list_of(topics | std::views::take(kTopicsListed), id_of)}};
}

Json qrels_json(const EvaluationReport& report) {
  const QrelsOddities& found = report.qrels_oddities;
  return {{"path", report.qrels_path},
          {"docno", to_string(report.qrels->docnos().policy())},
          {"min_grade", report.qrels->min_grade()},
          {"categories", report.categories.given()},
          {"collapse", report.qrels->collapses()},
          {"rule", report.qrels->rule().empty() ? Json(nullptr) : Json(report.qrels->rule())},
          {"topics", report.qrels->topics().size()},
          {"judgements", found.judgements},
          {"relevant", found.relevant}};
}

Json options_json(const EvaluationReport& report) {
  const auto& [ranks, topics] = report.options;
  const bool all = topics == EvaluateOptions::Topics::kAll;
  return {{"order", ranks.order == RunOrder::kTrec ? "trec" : "file"},
          {"score", report.score == ScorePrecision::kDouble ? "double" : "float"},
          {"topics", all ? "all" : "run"},
          {"depth", ranks.depth == RankOptions{}.depth ? Json(nullptr) : Json(ranks.depth)},
          {"judged_only", ranks.judged_only}};
}

void add_run(JsonWriter& json, const EvaluationReport& report, const EvaluatedRun& run) {
  const Json topics = by_measure(
      report.measures, [&](std::size_t m) { return Json(run.evaluation.topics_in_mean[m]); });
  Json counts = Json::object();
  for (const auto& [name, count] : counts_of(report, run)) counts[name] = count;
  json.item().begin('{');
  json.member("name", run.name);
  json.member("path", run.facts().path);
  json.member("tag", run.facts().tag);
  json.flat_member("means", scores_json(report, run.evaluation.means));
  json.flat_member("topics_in_mean", topics);
  json.member("counts", counts);
  if (!report.slices.empty()) {
    json.array("slices", slice_means(report, run), [&](const SliceMeans& slice) {
      json.item().flat({{"dimension", slice.dimension},
                        {"slice", slice.name},
                        {"topics", slice.topics},
                        {"means", scores_json(report, slice.means)}});
    });
  }
  json.end('}');
}

Json duplicates_json(const Qrels& qrels, const EvaluatedRun& run) {
  Json first = nullptr;
  if (!run.facts().repeats.empty()) {
    const RunFacts::Repeat& repeat = run.facts().repeats.front();
    first = {
        {"topic", qrels.topic(repeat.topic).id()}, {"docno", repeat.docno}, {"rank", repeat.rank}};
  }
  return {{"lines", run.oddities.duplicates},
          {"topics", run.oddities.topics_with_duplicates},
          {"first", std::move(first)}};
}

void add_run_oddities(JsonWriter& json, const EvaluationReport& report, const EvaluatedRun& run) {
  json.item().begin('{');
  json.member("name", run.name);
  json.flat_member("topics_missing", topics_json(*report.qrels, run.oddities.missing));
  json.flat_member("topics_unjudged",
                   {{"count", run.facts().unjudged_topics}, {"topics", run.facts().unjudged}});
  json.flat_member("duplicates", duplicates_json(*report.qrels, run));
  json.flat_member("order", {{"topics", run.order.topics},
                             {"other", run.order.other == RunOrder::kFile ? "file" : "trec"},
                             {"means", scores_json(report, run.order.means)}});
  json.array("at_cutoffs", run.oddities.at_cutoffs, [&](auto& at) { json.item().flat(at); });
  json.flat_member("docno", run.docno_hint);
  json.flat_member("input", list_of(run.input, [](const InputFinding& finding) {
                     return Json{{"check", finding.check->name}, {"words", finding.words}};
                   }));
  if (run.ties) {
    json.flat_member("ties", {{"lowest", scores_json(report, run.ties->lowest.means)},
                              {"highest", scores_json(report, run.ties->highest.means)}});
  }
  json.end('}');
}

void add_worth_knowing(JsonWriter& json, const EvaluationReport& report) {
  const QrelsOddities& found = report.qrels_oddities;
  json.key("worth_knowing").begin('{');
  json.key("qrels").begin('{');
  json.flat_member("topics_without_relevant", topics_json(*report.qrels, found.without_relevant));
  json.member("judgements_repeated", report.qrels->repeated());
  json.member("judgements_merged", report.qrels->merged());
  json.member("judgements_of_unknown_category", report.qrels->unknown_category().lines);
  json.member("patents_without_family", report.qrels->without_family().patents);
  json.member("only_relevant", found.only_relevant());
  json.end('}');
  json.array("runs", report.runs, [&](auto& run) { add_run_oddities(json, report, run); });
  json.end('}');
}

/// Counts and scores of a topic in a run; null if the topic was left out.
Json scored_topic_json(const EvaluationReport& report, const EvaluatedRun& run, TopicIndex topic) {
  const Evaluation& evaluation = run.evaluation;
  const auto at = std::ranges::lower_bound(evaluation.topics, topic, {}, &Evaluation::Topic::topic);
  if (at == evaluation.topics.end() || at->topic != topic) return nullptr;
  const auto row = static_cast<std::size_t>(at - evaluation.topics.begin());
  const std::size_t width = report.measures.size();
  const auto scores_of = [&](const Evaluation& of) {
    return scores_json(report, std::span(of.scores).subspan(row * width, width));
  };
  Json json = {{"num_ret", at->num_ret},
               {"num_rel_ret", at->num_rel_ret},
               {"duplicates", at->facts ? at->facts->duplicates : 0},
               {"scores", scores_of(evaluation)}};
  if (report.ties) {
    json["lowest"] = scores_of(run.ties->lowest);
    json["highest"] = scores_of(run.ties->highest);
  }
  return json;
}

void add_per_topic(JsonWriter& json, const EvaluationReport& report) {
  json.array("per_topic", positions(report.qrels->topics().size()), [&](std::size_t i) {
    const TopicIndex topic(static_cast<std::uint32_t>(i));
    const TopicQrels& judged = report.qrels->topic(topic);
    const Json runs = list_of(report.runs, [&](const EvaluatedRun& run) {
      return scored_topic_json(report, run, topic);
    });
    json.item().flat({{"topic", judged.id()}, {"num_rel", judged.num_rel()}, {"runs", runs}});
  });
}

}  // namespace

std::string evaluation_json(const EvaluationReport& report) {
  std::string out;
  JsonWriter json(out);
  json.begin('{');
  json.member("prescope", PRESCOPE_VERSION);
  json.member("qrels", qrels_json(report));
  json.member("options", options_json(report));
  json.flat_member("measures", report.measures);
  json.array("runs", report.runs, [&](auto& run) { add_run(json, report, run); });
  add_worth_knowing(json, report);
  json.member("notes", evaluation_notes(report));
  if (report.detail == EvaluationReport::Detail::kTopics) add_per_topic(json, report);
  json.end('}');
  return out + '\n';
}

}  // namespace prescope
