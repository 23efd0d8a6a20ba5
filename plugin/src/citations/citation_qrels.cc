#include "citations/citation_qrels.h"

#include <fstream>
#include <unordered_set>

#include "base/errors.h"
#include "base/text_file.h"
#include "citations/citation_links.h"
#include "citations/store/store_file.h"
#include "citations/topic_selection.h"

namespace prescope {

namespace {

constexpr std::uint64_t kMostDocuments = 200'000;

/// Collects the family of each document that is met.
class Families {
 public:
  explicit Families(const CitationStore& store) : store_(&store) {}

  void add(std::string_view docno) {
    const std::string key = document_number(docno).key;
    if (!seen_.insert(key).second) return;
    // A patent without other members is one family for its publications.
    const std::vector<FamilyMember> family = family_of(*store_, key);
    for (const FamilyMember& member : family) {
      seen_.insert(member.key);
      map_.add(Docno(member.key), family.front().key);
    }
  }
  [[nodiscard]] std::shared_ptr<const FamilyMap> map() const {
    return map_.empty() ? nullptr : std::make_shared<const FamilyMap>(map_);
  }

 private:
  const CitationStore* store_;
  std::unordered_set<std::string> seen_;
  FamilyMap map_;
};

Qrels judge_store(const std::filesystem::path& path, QrelsOptions options,
                  const NeededTopics& topics) {
  CitationRule rule = CitationRule::parse(options.rule);
  rule.set_categories(options.categories);
  const CitationStore store = CitationStore::open(path);
  TopicSelection selection;
  if (topics) selection.topics = topics();
  if (selection.topics.empty() && store.counts().documents > kMostDocuments) {
    throw bad_input_error(
        "{}: the store has {} documents; name the topics that are needed in a topics file, or "
        "write "
        "their judgements with 'prescope citations qrels --topics FILE'",
        path.string(), store.counts().documents);
  }
  TopicJudge judge(store, rule);
  Families families(store);
  std::vector<Qrels::Line> lines;
  judge_topics(
      store, judge, nullptr, selection,
      [&](const std::string& topic, const std::vector<JudgedCitation>& judged) {
        families.add(topic);
        for (const JudgedCitation& one : judged) {
          families.add(one.docno);
          lines.push_back({TopicId(topic), Docno(one.docno), one.grade, about_citation(one)});
        }
      });
  if (lines.empty()) {
    throw bad_input_error(
        "{}: the rule '{}' keeps no citation of the topics; expected docnos of "
        "documents that cite, such as US7654321B2",
        path.string(), rule.text());
  }
  options.rule = rule.text();
  if (options.families == nullptr && options.family_map.empty()) options.families = families.map();
  return Qrels::from_lines(lines, options);
}

}  // namespace

bool is_citation_store(const std::filesystem::path& path) {
  std::uint64_t magic = 0;
  std::ifstream in(path, std::ios::binary);
  return in.read(reinterpret_cast<char*>(&magic), sizeof magic) && magic == HeaderSlot::kMagic;
}

Qrels load_judgements(const std::filesystem::path& path, const QrelsOptions& options,
                      const NeededTopics& topics) {
  if (is_citation_store(path)) return judge_store(path, options, topics);
  return Qrels::load(path, options);
}

std::vector<std::string> topics_of_runs(std::span<const std::string> paths) {
  std::vector<std::string> topics;
  std::unordered_set<std::string> seen;
  for (const std::string& path : paths) {
    if (path == "-") {
      throw usage_error(
          "a run from standard input has topics that a citation store cannot know beforehand; give "
          "a file");
    }
    TextFile file(path, TextFile::Bytes::kAnyButNul);
    std::string last;
    for (std::string_view line; file.next(line);) {
      line = trimmed(line);
      const std::string_view topic = line.substr(0, line.find_first_of(" \t"));
      if (topic.empty() || topic == last) continue;
      last = topic;
      if (seen.insert(last).second) topics.push_back(last);
    }
  }
  return topics;
}

}  // namespace prescope
