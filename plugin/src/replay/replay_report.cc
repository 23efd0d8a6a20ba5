#include "replay/replay.h"

#include <fmt/format.h>

#include "judgements/judgement_line.h"
#include "measures/definitions.h"
#include "report/live/live_report.h"
#include "report/text/json.h"

namespace prescope {

namespace {

/// "a/b/../c" as written in an experiment file is shown as "a/c", and a URL as it is.
std::string shown(const std::filesystem::path& path) {
  return is_url(path.string()) ? path.string() : path.lexically_normal().string();
}

std::string index_words(const IndexVersion& index) {
  if (!index.documents) return shown(index.path);
  return fmt::format("{}, {}", shown(index.path), count_text(*index.documents, "document"));
}

/// One index is a line for its engine and one for it; several are a line each.
void add_indexes(LabelledLines& lines, const std::vector<IndexVersion>& indexes) {
  if (indexes.size() == 1) {
    const IndexVersion& index = indexes.front();
    lines.push_back({"engine", index.engine + ' ' + index.engine_version});
    lines.push_back({"index", index_words(index)});
    return;
  }
  for (const IndexVersion& index : indexes) {
    lines.push_back({"index", fmt::format("{} ({} {})", index_words(index), index.engine,
                                          index.engine_version)});
  }
}

/// Settings, and the index if there are several.
std::string arm_words(const ReplayArm& arm, std::size_t indexes) {
  std::vector<std::string> settings;
  for (const ArmSetting& setting : arm.config.settings) {
    settings.push_back(fmt::format("{} = {}", setting.key, setting.value));
  }
  return fmt::format("{}{}{}{}", arm.config.id.text(), settings.empty() ? "" : ": ",
                     fmt::join(settings, ", "),
                     indexes == 1 ? "" : fmt::format(" ({})", shown(arm.index)));
}

std::string topic_words(const ReplayOptions& options) {
  return options.topic_source == TopicSource::kFile
             ? shown(options.topics)
             : "title and abstract of the indexed document of this id";
}

std::string exclusion_words(const ReplayOptions& options, const ReplayTopics& topics) {
  std::vector<std::string> words;
  if (options.exclude != Exclusion::kNone) words.emplace_back("the topic's own document");
  if (options.exclude == Exclusion::kFamily) words.emplace_back("its family");
  if (!options.exclude_pairs.empty()) words.push_back(shown(options.exclude_pairs));
  if (topics.relevant_excluded > 0) {
    words.push_back(count_text(topics.relevant_excluded, "relevant document") +
                    " among them, counted as not found");
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

Json arm_json(const ReplayArm& arm) {
  Json settings = Json::object();
  for (const ArmSetting& setting : arm.config.settings) settings[setting.key] = setting.value;
  return {{"name", arm.config.id},
          {"engine", arm.engine},
          {"index", shown(arm.index)},
          {"settings", std::move(settings)}};
}

Json engine_json(const IndexVersion& index) {
  return {{"name", index.engine}, {"version", index.engine_version}};
}

Json index_json(const IndexVersion& index) {
  return {{"path", shown(index.path)}, {"documents", index.documents}};
}

Json index_and_engine_json(const IndexVersion& index) {
  Json json = index_json(index);
  json["engine"] = engine_json(index);
  return json;
}

Json path_or_null(const std::filesystem::path& path) {
  return path.empty() ? Json(nullptr) : Json(shown(path));
}

Json options_json(const ReplayOptions& options) {
  return {{"name", options.name},
          {"measures", options.measures},
          {"depth", options.depth},
          {"threads", options.threads},
          {"seed", options.seed},
          {"qrels",
           {{"path", shown(options.qrels)},
            {"docno", to_string(options.qrels_options.docno)},
            {"family_map", path_or_null(options.qrels_options.family_map)},
            {"min_grade", options.qrels_options.min_grade},
            {"categories", options.qrels_options.categories.given()}}},
          {"topics",
           {{"source", to_string(options.topic_source)},
            {"path", path_or_null(options.topics)},
            {"exclude", to_string(options.exclude)},
            {"exclude_pairs", path_or_null(options.exclude_pairs)}}},
          {"slices", {{"path", path_or_null(options.slices.file)}, {"by", options.slices.by}}},
          {"arms", list_of(options.arms, arm_json)}};
}

Json topics_json(const ReplayTopics& topics) {
  const auto skipped_json = [](const SkippedTopic& topic) -> Json {
    return {{"topic", topic.id}, {"reason", topic.reason}};
  };
  return {{"run", topics.run.size()},
          {"not_run", list_of(topics.not_run, skipped_json)},
          {"without_judgements", topics.without_judgements},
          {"relevant_excluded", topics.relevant_excluded}};
}

/// The subject of the replay, a labelled line each.
LabelledLines replay_subject(const ReplayOptions& options, const ReplayResult& result,
                             const ArmComparison* arms) {
  LabelledLines lines;
  add_indexes(lines, result.indexes);
  lines.push_back(
      {"qrels",
       fmt::format("{}, docno policy {}, relevant from grade {}{}{}", shown(options.qrels),
                   to_string(options.qrels_options.docno), options.qrels_options.min_grade,
                   category_words(options.qrels_options.categories), rule_words(result.qrels))});
  const std::string families = arms ? families_words(arms->report) : "";
  lines.push_back({"topics", topic_words(options) + (families.empty() ? "" : "; " + families)});
  const std::string left_out = exclusion_words(options, result.topics);
  if (!left_out.empty()) lines.push_back({"left out", left_out});
  const bool has_letters =
      arms != nullptr && is_pair(arms->report) && !arms->report.has_short_names;
  for (std::size_t a = 0; a < options.arms.size(); ++a) {
    lines.push_back({has_letters ? short_name(arms->report, a) : "arm",
                     arm_words(options.arms[a], result.indexes.size())});
  }
  lines.push_back({"run", fmt::format("depth {}, {}, seed {}", options.depth,
                                      count_text(options.threads, "thread"), options.seed)});
  if (!options.note.empty()) lines.insert(lines.begin(), {"note", options.note, Style::kStrong});
  return lines;
}

/// Returns notes about topics, measures that are not compared, and arms.
std::vector<std::string> result_notes(const ReplayResult& result) {
  std::vector<std::string> notes;
  std::string skipped = skipped_topics_note(result.topics);
  if (!skipped.empty()) notes.push_back(std::move(skipped));
  for (const Measure& measure : result.summary->measures) {
    const auto why = why_not_compared(measure);
    if (why) notes.push_back(fmt::format("{} is not compared: {}", measure.name(), *why));
  }
  std::ranges::move(oddities(*result.summary), std::back_inserter(notes));
  std::ranges::move(left_out(*result.summary), std::back_inserter(notes));
  return notes;
}

Json latencies_json(const ArmComparison& arms) {
  const auto latency_json = [&](std::size_t pair) -> Json {
    const TopicLatency& latency = arms.latencies[pair];
    return {{"a", arms.report.evaluation.runs.front().name},
            {"b", arms.report.evaluation.runs[pair + 1].name},
            {"topics", latency.topics},
            {"ratio", latency.ratio},
            {"ci_low", latency.ci_low},
            {"ci_high", latency.ci_high},
            {"words", latency_words(arms, pair)}};
  };
  return list_of(positions(arms.latencies.size()), latency_json);
}

Json words_json(const ReplayOptions& options, const ReplayResult& result,
                const ArmComparison* arms) {
  LabelledLines subject = replay_subject(options, result, arms);
  subject.push_back({"size", fmt::format("{}, {}", count_text(result.topics.run.size(), "topic"),
                                         count_text(result.summary->judgements, "judgement"))});
  std::vector<std::string> notes = replay_notes(result);
  std::ranges::move(result_notes(result), std::back_inserter(notes));
  return {{"subject", subject}, {"notes", notes}};
}

}  // namespace

std::string replay_table(const ReplayOptions& options, const ReplayResult& result,
                         const ArmComparison* arms, const TextLook& look) {
  ReportDocument document{.subject = replay_subject(options, result, arms),
                          .sections = finished_arms_sections(*result.summary, look),
                          .notes = result_notes(result)};
  if (arms != nullptr) {
    std::ranges::move(comparison_sections(arms->report), std::back_inserter(document.sections));
    for (const std::size_t pair : positions(arms->latencies.size())) {
      const std::string words = latency_words(*arms, pair);
      if (!words.empty()) document.sections.push_back({.words = {words}});
    }
  }
  return document_as_text(document, look);
}

std::string replay_json(const ReplayOptions& options, const ReplayResult& result,
                        const ArmComparison* arms) {
  return indented_text({{"prescope", PRESCOPE_VERSION},
                        {"note", options.note.empty() ? Json(nullptr) : Json(options.note)},
                        {"engine", engine_json(result.indexes.front())},
                        {"index", index_json(result.indexes.front())},
                        {"indexes", list_of(result.indexes, index_and_engine_json)},
                        {"options", options_json(options)},
                        {"topics", topics_json(result.topics)},
                        {"summary", summary_json(*result.summary)},
                        {"comparison", arms ? comparison_results_json(arms->report) : Json()},
                        {"latencies", arms ? latencies_json(*arms) : Json::array()},
                        {"words", words_json(options, result, arms)}});
}

ReplayViews replay_views(Experiment& experiment) {
  constexpr std::size_t kCutoffs = 40;
  const std::shared_ptr<const Summary> summary = experiment.summary();
  std::vector<ArmId> arms;
  for (const ArmSummary& arm : summary->arms) arms.push_back(arm.id);
  std::string topics;
  for (const TopicRow& row : summary->rows) {
    const std::optional<TopicDetail> topic = experiment.topic(row.id);
    if (!topic) continue;
    topics += topics.empty() ? '[' : ',';
    topics += topic_json(*topic, {.arms = arms, .measures = summary->measures});
  }
  return {.sweep = sweep_json(*summary, kCutoffs), .topics = topics.empty() ? "[]" : topics + ']'};
}

}  // namespace prescope
