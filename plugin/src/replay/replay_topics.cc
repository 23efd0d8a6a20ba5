#include "replay/replay.h"

#include <set>

#include "base/errors.h"
#include "base/hash.h"
#include "base/text_file.h"

namespace prescope {

namespace {

std::map<TopicId, std::vector<Docno>> load_pairs(const std::filesystem::path& path) {
  std::map<TopicId, std::vector<Docno>> pairs;
  TextFile file(path);
  std::string_view line;
  while (file.next(line)) {
    const Columns columns = split_columns(line, 2, 2);
    if (columns.count == 0 || columns.text[0].starts_with('#')) continue;
    if (columns.count != 2) {
      throw file.bad_line(fmt::format("{} columns; expected two: topic docno", columns.count));
    }
    pairs[TopicId(columns.text[0])].emplace_back(columns.text[1]);
  }
  return pairs;
}

/// A topic's text and its stored document, if there are any.
struct Source {
  std::string text{};
  std::optional<PatentDocument> document{};
  std::string missing{};  ///< why there is no text
};

class Chooser {
 public:
  Chooser(const ReplayOptions& options, TopicFiles files, const ReplayIndexes& indexes)
      : options_(options), files_(std::move(files)), indexes_(indexes) {}

  ReplayTopics choose(const Qrels& qrels) {
    for (const TopicQrels& judged : qrels.topics()) add(judged, qrels.docnos());
    chosen_.without_judgements = files_.texts.size();
    if (chosen_.run.empty()) throw nothing_in_common(qrels);
    return std::move(chosen_);
  }

 private:
  void add(const TopicQrels& judged, const DocnoNormalizer& docnos) {
    Source source = options_.topic_source == TopicSource::kFile ? from_file(judged.id())
                                                                : from_index(judged.id());
    if (!source.missing.empty()) {
      chosen_.not_run.push_back({judged.id(), std::move(source.missing)});
      return;
    }
    std::vector<Docno> exclude = excluded(judged.id(), source.document);
    chosen_.relevant_excluded += count_relevant(judged, exclude, docnos);
    const std::uint64_t hash = hash_of(source);
    chosen_.run.push_back({{judged.id(), std::move(source.text)}, std::move(exclude), hash});
  }

  Source from_file(const TopicId& id) {
    const auto found = files_.texts.extract(id);
    if (found.empty()) return {.missing = "not in the topics file"};
    Source source{.text = std::move(found.mapped())};
    if (options_.exclude == Exclusion::kFamily) {
      source.document = indexes_.document(Docno(id.text()));
    }
    return source;
  }

  [[nodiscard]] Source from_index(const TopicId& id) const {
    Source source{.document = indexes_.document(Docno(id.text()))};
    if (!source.document) return {.missing = "no document of this id in the index"};
    const PatentDocument& document = *source.document;
    const bool has_both = !document.title.empty() && !document.abstract.empty();
    source.text = document.title + (has_both ? " " : "") + document.abstract;
    if (source.text.empty()) source.missing = "its document has neither title nor abstract";
    return source;
  }

  [[nodiscard]] std::vector<Docno> excluded(const TopicId& id,
                                            const std::optional<PatentDocument>& document) const {
    std::vector<Docno> exclude;
    if (options_.exclude != Exclusion::kNone) exclude.emplace_back(id.text());
    if (options_.exclude == Exclusion::kFamily && document) {
      exclude.insert(exclude.end(), document->family.begin(), document->family.end());
    }
    const auto pairs = files_.excluded_pairs.find(id);
    if (pairs != files_.excluded_pairs.end()) {
      exclude.insert(exclude.end(), pairs->second.begin(), pairs->second.end());
    }
    return exclude;
  }

  [[nodiscard]] std::uint64_t hash_of(const Source& source) const {
    std::uint64_t hash = fnv_1a(source.text);
    if (options_.exclude != Exclusion::kFamily || !source.document) return hash;
    for (const Docno& member : source.document->family) hash = fnv_1a(member.text() + ' ', hash);
    return hash;
  }

  static std::uint64_t count_relevant(const TopicQrels& judged, const std::vector<Docno>& exclude,
                                      const DocnoNormalizer& docnos) {
    std::set<JudgementIndex> relevant;
    for (const Docno& docno : exclude) {
      const auto judgement = judged.find(docnos.key(docno));
      if (judgement && judged.is_relevant(*judgement)) relevant.insert(*judgement);
    }
    return relevant.size();
  }

  [[nodiscard]] Error nothing_in_common(const Qrels& qrels) const {
    const std::string& judged = qrels.topics().front().id().text();
    if (options_.topic_source == TopicSource::kFile) {
      return bad_input_error(
          "{} and {} have no topic in common: one has '{}', the other '{}'; expected the same ids, "
          "byte for byte",
          options_.qrels.string(), options_.topics.string(), judged,
          files_.texts.begin()->first.text());
    }
    return bad_input_error(
        "no topic of {} can be run: '{}': {} ({}); expected ids of documents, or set topics.path",
        options_.qrels.string(), judged, chosen_.not_run.front().reason,
        options_.arms.front().index.string());
  }

  const ReplayOptions& options_;
  TopicFiles files_;  // without the texts of topics that were met in the qrels
  const ReplayIndexes& indexes_;
  ReplayTopics chosen_;
};

}  // namespace

TopicFiles load_topic_files(const ReplayOptions& options) {
  TopicFiles files;
  if (options.topic_source == TopicSource::kFile) {
    for (Topic& topic : load_topics(options.topics)) {
      files.texts.emplace(std::move(topic.id), std::move(topic.text));
    }
  }
  if (!options.exclude_pairs.empty()) files.excluded_pairs = load_pairs(options.exclude_pairs);
  return files;
}

std::vector<Condition> replay_conditions(const ReplayOptions& options, const Qrels& qrels) {
  std::vector<Condition> conditions = qrels_conditions(options.qrels_options);
  if (!options.exclude_pairs.empty()) {
    std::uint64_t pairs = 0, hash = 0;
    for (const auto& [topic, docnos] : load_pairs(options.exclude_pairs)) {
      if (!qrels.find(topic.text())) continue;
      for (const Docno& docno : docnos) {
        ++pairs;
        hash += fnv_1a(qrels.docnos().key(docno), fnv_1a(topic.text() + ' '));  // in any order
      }
    }
    conditions.push_back(
        {"topics.exclude_pairs", fmt::format("{} ({:016x})", count_text(pairs, "pair"), hash)});
  }
  conditions.push_back({"topics.source", std::string(to_string(options.topic_source))});
  return conditions;
}

ReplayTopics choose_topics(const ReplayOptions& options, TopicFiles files, const Qrels& qrels,
                           const ReplayIndexes& indexes) {
  return Chooser(options, std::move(files), indexes).choose(qrels);
}

std::string skipped_topics_note(const ReplayTopics& topics) {
  if (topics.not_run.empty()) return {};
  std::vector<std::string> names;
  for (const SkippedTopic& topic : topics.not_run) {
    names.push_back(fmt::format("'{}' ({})", topic.id.text(), topic.reason));
  }
  return count_text(topics.not_run.size(),
                    "topic of the qrels was not run: ", "topics of the qrels were not run: ") +
         listed_names(names);
}

}  // namespace prescope
