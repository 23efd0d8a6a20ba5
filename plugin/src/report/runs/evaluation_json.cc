#include <fmt/format.h>
#include <string>

#include "report/runs/evaluation_report.h"
#include "report/text/json.h"

namespace prescope {

// One JSON object, written as it goes: a tree of ten thousand topics and fifty runs would be
// larger than all that is evaluated.

namespace {

constexpr std::size_t kTopicsListed = 5;

void add_scores(JsonWriter& json, std::span<const std::string> names,
                std::span<const std::optional<double>> scores) {
  json.begin_flat('{');
  for (std::size_t m = 0; m < names.size(); ++m) json.key(names[m]).number(scores[m]);
  json.end('}');
}

void add_topic_names(JsonWriter& json, const Qrels& qrels, std::span<const TopicIndex> topics) {
  json.begin_flat('{');
  json.key("count").number(topics.size());
  json.key("topics").begin('[');
  for (const TopicIndex topic : topics.first(std::min(topics.size(), kTopicsListed))) {
    json.item().text(qrels.topic(topic).id().text());
  }
  json.end(']');
  json.end('}');
}

void add_qrels(JsonWriter& json, const EvaluationReport& report) {
  const QrelsOddities& found = report.qrels_oddities;
  json.key("qrels").begin('{');
  json.key("path").text(report.qrels_path);
  json.key("docno").text(to_string(report.qrels->docnos().policy()));
  json.key("min_grade").word(std::to_string(report.qrels->min_grade()));
  json.key("topics").number(report.qrels->topics().size());
  json.key("judgements").number(found.judgements);
  json.key("relevant").number(found.relevant);
  json.end('}');
}

void add_options(JsonWriter& json, const EvaluationReport& report) {
  const EvaluateOptions& options = report.options;
  const bool all = options.topics == EvaluateOptions::Topics::kAll;
  json.key("options").begin('{');
  json.key("order").text(options.ranks.order == RunOrder::kTrec ? "trec" : "file");
  json.key("score").text(report.score == ScorePrecision::kDouble ? "double" : "float");
  json.key("topics").text(all ? "all" : "run");
  json.key("depth");
  if (options.ranks.depth == RankOptions{}.depth) {
    json.word("null");
  } else {
    json.number(options.ranks.depth);
  }
  json.key("judged_only").word(options.ranks.judged_only ? "true" : "false");
  json.end('}');
}

void add_run(JsonWriter& json, const EvaluationReport& report, const EvaluatedRun& run,
             std::span<const std::string> names) {
  json.item().begin('{');
  json.key("name").text(run.name);
  json.key("path").text(run.facts->path);
  json.key("tag").text(run.facts->tag);
  json.key("means");
  add_scores(json, names, run.evaluation.means);
  json.key("topics_in_mean").begin_flat('{');
  for (std::size_t m = 0; m < names.size(); ++m) {
    json.key(names[m]).number(std::uint64_t{run.evaluation.topics_in_mean[m]});
  }
  json.end('}');
  json.key("counts").begin('{');
  for (const auto& [name, count] : counts_of(report, run)) json.key(name).number(count);
  json.end('}');
  json.end('}');
}

void add_unjudged_topics(JsonWriter& json, const RunFacts& facts) {
  json.key("topics_unjudged").begin_flat('{');
  json.key("count").number(facts.unjudged_topics);
  json.key("topics").begin('[');
  for (const TopicId& topic : facts.unjudged) json.item().text(topic.text());
  json.end(']');
  json.end('}');
}

void add_duplicates(JsonWriter& json, const Qrels& qrels, const EvaluatedRun& run) {
  json.key("duplicates").begin_flat('{');
  json.key("lines").number(run.oddities.duplicates);
  json.key("topics").number(std::uint64_t{run.oddities.topics_with_duplicates});
  json.key("first");
  if (run.facts->repeats.empty()) {
    json.word("null");
  } else {
    const RunFacts::Repeat& first = run.facts->repeats.front();
    json.begin('{');
    json.key("topic").text(qrels.topic(first.topic).id().text());
    json.key("docno").text(first.docno.text());
    json.key("rank").number(std::uint64_t{first.rank});
    json.end('}');
  }
  json.end('}');
}

void add_cutoffs(JsonWriter& json, const EvaluatedRun& run) {
  json.key("at_cutoffs").begin('[');
  for (const RunOddities::AtCutoff& at : run.oddities.at_cutoffs) {
    json.item().begin_flat('{');
    json.key("cutoff").number(std::uint64_t{at.cutoff});
    json.key("num_ret").number(at.num_ret);
    json.key("unjudged").number(at.unjudged);
    json.key("tied").number(std::uint64_t{at.tied});
    json.key("tied_topics").number(std::uint64_t{at.tied_topics});
    json.end('}');
  }
  json.end(']');
}

void add_docno_hint(JsonWriter& json, const EvaluatedRun& run) {
  json.key("docno");
  if (!run.docno_hint) return json.word("null");
  json.begin_flat('{');
  json.key("judged").number(run.docno_hint->judged);
  json.key("matched").number(run.docno_hint->matched);
  json.key("policy").text(to_string(run.docno_hint->policy));
  json.key("would_match").number(run.docno_hint->would_match);
  json.end('}');
}

void add_run_oddities(JsonWriter& json, const EvaluationReport& report, const EvaluatedRun& run,
                      std::span<const std::string> names) {
  json.item().begin('{');
  json.key("name").text(run.name);
  json.key("topics_missing");
  add_topic_names(json, *report.qrels, run.oddities.missing);
  add_unjudged_topics(json, *run.facts);
  add_duplicates(json, *report.qrels, run);
  json.key("order").begin_flat('{');
  json.key("topics").number(std::uint64_t{run.order.topics});
  json.key("other").text(run.order.other == RunOrder::kFile ? "file" : "trec");
  json.key("means");
  add_scores(json, names, run.order.means);
  json.end('}');
  add_cutoffs(json, run);
  add_docno_hint(json, run);
  json.end('}');
}

void add_worth_knowing(JsonWriter& json, const EvaluationReport& report,
                       std::span<const std::string> names) {
  const QrelsOddities& found = report.qrels_oddities;
  json.key("worth_knowing").begin('{');
  json.key("qrels").begin('{');
  json.key("topics_without_relevant");
  add_topic_names(json, *report.qrels, found.without_relevant);
  json.key("judgements_repeated").number(found.repeated);
  json.key("judgements_merged").number(found.merged);
  json.key("only_relevant").word(found.only_relevant() ? "true" : "false");
  json.end('}');
  json.key("runs").begin('[');
  for (const EvaluatedRun& run : report.runs) add_run_oddities(json, report, run, names);
  json.end(']');
  json.end('}');
}

/// Of each run the rows of one topic, null where it was left out.
class PairedTopics {
 public:
  explicit PairedTopics(const EvaluationReport& report)
      : report_(&report), next_(report.runs.size()) {}

  void add_topic(JsonWriter& json, TopicIndex topic, std::span<const std::string> names) {
    const TopicQrels& judged = report_->qrels->topic(topic);
    json.item().begin_flat('{');
    json.key("topic").text(judged.id().text());
    json.key("num_rel").number(std::uint64_t{judged.num_rel()});
    json.key("runs").begin('[');
    for (std::size_t r = 0; r < next_.size(); ++r) add_scores_of_run(json.item(), r, topic, names);
    json.end(']');
    json.end('}');
  }

 private:
  void add_scores_of_run(JsonWriter& json, std::size_t run, TopicIndex topic,
                         std::span<const std::string> names) {
    const Evaluation& evaluation = report_->runs[run].evaluation;
    const std::size_t row = next_[run];
    if (row == evaluation.topics.size() || evaluation.topics[row].topic != topic) {
      return json.word("null");
    }
    ++next_[run];
    const Evaluation::Topic& found = evaluation.topics[row];
    json.begin('{');
    json.key("num_ret").number(std::uint64_t{found.num_ret});
    json.key("num_rel_ret").number(std::uint64_t{found.num_rel_ret});
    json.key("duplicates").number(std::uint64_t{found.facts ? found.facts->duplicates : 0});
    json.key("scores");
    add_scores(json, names, std::span(evaluation.scores).subspan(row * names.size(), names.size()));
    json.end('}');
  }

  const EvaluationReport* report_;
  std::vector<std::size_t> next_;  // of each run, the row that comes next
};

void add_per_topic(JsonWriter& json, const EvaluationReport& report,
                   std::span<const std::string> names) {
  if (report.detail != EvaluationReport::Detail::kTopics) return;
  PairedTopics topics(report);
  json.key("per_topic").begin('[');
  for (std::uint32_t i = 0; i < report.qrels->topics().size(); ++i) {
    topics.add_topic(json, TopicIndex(i), names);
  }
  json.end(']');
}

}  // namespace

void write_json(const EvaluationReport& report, const TextSink& sink) {
  TextPieces out(sink);
  JsonWriter json(out);
  std::vector<std::string> names;
  for (const Measure& measure : report.measures) names.push_back(measure.name());
  json.begin('{');
  json.key("prescope").text(report.program);
  add_qrels(json, report);
  add_options(json, report);
  json.key("measures").begin_flat('[');
  for (const std::string& name : names) json.item().text(name);
  json.end(']');
  json.key("runs").begin('[');
  for (const EvaluatedRun& run : report.runs) add_run(json, report, run, names);
  json.end(']');
  add_worth_knowing(json, report, names);
  add_per_topic(json, report, names);
  json.end('}');
  out << '\n';
  out.finish();
}

bool is_best(const EvaluationReport& report, std::size_t run, std::size_t measure) {
  const std::optional<double> mean = report.runs[run].evaluation.means[measure];
  if (!mean || report.runs.size() == 1) return false;
  for (const EvaluatedRun& other : report.runs) {
    if (other.evaluation.means[measure].value_or(*mean) > *mean) return false;
  }
  return true;
}

std::vector<std::pair<std::string, std::uint64_t>> counts_of(const EvaluationReport& report,
                                                             const EvaluatedRun& run) {
  const RunOddities& found = run.oddities;
  std::vector<std::pair<std::string, std::uint64_t>> counts = {
      {"num_q", found.topics},
      {"num_ret", found.num_ret},
      {"num_rel", found.num_rel},
      {"num_rel_ret", found.num_rel_ret},
      {"lines", run.facts->lines},
      {"topics_without_relevant", found.topics_without_relevant},
      {"topics_missing", found.missing.size()},
      {"topics_unjudged", run.facts->unjudged_topics},
      {"topics_order_differs", run.order.topics},
      {"duplicates", found.duplicates},
      {"topics_with_duplicates", found.topics_with_duplicates},
      {"judgements", report.qrels_oddities.judgements},
      {"judgements_repeated", report.qrels_oddities.repeated},
      {"judgements_merged", report.qrels_oddities.merged}};
  for (const RunOddities::AtCutoff& at : found.at_cutoffs) {
    counts.emplace_back(fmt::format("num_ret@{}", at.cutoff), at.num_ret);
    counts.emplace_back(fmt::format("unjudged@{}", at.cutoff), at.unjudged);
    counts.emplace_back(fmt::format("tied@{}", at.cutoff), at.tied);
  }
  if (run.docno_hint) {
    counts.emplace_back("docnos_judged", run.docno_hint->judged);
    counts.emplace_back("docnos_matched", run.docno_hint->matched);
    counts.emplace_back(fmt::format("docnos_matched_{}", to_string(run.docno_hint->policy)),
                        run.docno_hint->would_match);
  }
  return counts;
}

}  // namespace prescope
