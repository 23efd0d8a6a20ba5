#include "citations/citation_qrels.h"

#include <fstream>
#include <unordered_set>

#include "base/errors.h"
#include "base/text_file.h"
#include "base/threads.h"
#include "citations/citation_links.h"
#include "citations/store/store_file.h"
#include "citations/topic_selection.h"
#include "judgements/family_source.h"

namespace prescope {

namespace {

constexpr std::uint64_t kMostDocuments = 200'000;

/// Collects the family of each patent that is met.
class Families {
 public:
  explicit Families(const CitationStore& store) : store_(&store) {}

  void add(const std::string& key) {
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

/// Families of all documents of a store.
class StoreFamilies : public FamilySource {
 public:
  /// Reads the whole store, so that it is known not to be damaged. Throws Error(kBadInput).
  explicit StoreFamilies(const std::filesystem::path& path) : store_(CitationStore::open(path)) {
    store_.verify();
  }

  [[nodiscard]] std::string_view find(std::string_view patent_key,
                                      DocnoBuffer& buffer) const noexcept override {
    try {
      const std::vector<FamilyMember> family = family_of(store_, patent_key);
      const std::string name = family_key({}, family.front().key);
      if (family.size() < 2 || name.size() > buffer.size()) return {};
      return {buffer.data(), name.copy(buffer.data(), name.size())};
    } catch (...) {  // memory ran out
      return {};
    }
  }

 private:
  CitationStore store_;
};

/// Adds the families of documents that are not judged, if rankings need them.
void add_family_source(const std::filesystem::path& path, QrelsOptions& options) {
  const bool has_map = options.families != nullptr || !options.family_map.empty();
  if (!options.collapses || options.docno != DocnoPolicy::kFamily || has_map) return;
  options.family_source = std::make_shared<StoreFamilies>(path);
}

std::vector<Qrels::Line> lines_of(const std::string& topic,
                                  const std::vector<JudgedCitation>& judged) {
  std::vector<Qrels::Line> lines;
  for (const JudgedCitation& one : judged) {
    lines.push_back({TopicId(topic), Docno(one.docno), one.grade, about_citation(one)});
  }
  return lines;
}

CitationRule rule_of(const QrelsOptions& options) {
  CitationRule rule = CitationRule::parse(options.rule);
  rule.set_categories(options.categories);
  return rule;
}

Qrels judge_store(const std::filesystem::path& path, QrelsOptions options,
                  const NeededTopics& topics) {
  const CitationRule rule = rule_of(options);
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
  judge_topics(store, judge, nullptr, selection,
               [&](const std::string& topic, const std::vector<JudgedCitation>& judged) {
                 families.add(document_number(topic).key);
                 for (const JudgedCitation& one : judged) families.add(one.key);
                 std::ranges::move(lines_of(topic, judged), std::back_inserter(lines));
               });
  if (lines.empty()) {
    throw bad_input_error(
        "{}: the rule '{}' keeps no citation of the topics; expected docnos of "
        "documents that cite, such as US7654321B2",
        path.string(), rule.text());
  }
  options.rule = rule.text();
  add_family_source(path, options);
  if (options.families == nullptr && options.family_map.empty()) options.families = families.map();
  return Qrels::from_lines(lines, options);
}

/// Judges a topic by the citations of a store, when it is first asked for. A topic is a patent,
/// named by its key.
class StoreTopics : public JudgementSource {
 public:
  /// Reads the whole store on a thread of its own: topics of a damaged one cannot be read then.
  StoreTopics(const std::filesystem::path& path, const CitationRule& rule)
      : store_(CitationStore::open(path)),
        judge_(store_, rule),
        version_(fmt::format("citations {:016x} by {}", store_.content_hash(), rule.text())) {
    for (const auto& [letter, grade] : rule.categories.given()) {
      version_ += fmt::format(" {}={}", letter, grade);
    }
    verifier_ = start_thread("prescope-verify", [this](const std::stop_token&) {
      try {
        store_.verify();
      } catch (const std::exception&) {
        is_damaged_ = true;
      }
    });
  }

  [[nodiscard]] std::string name_of(std::string_view topic) const override {
    topic = trimmed(topic);
    return topic.size() > kLongestNumber ? std::string() : document_number(topic).key;
  }

  [[nodiscard]] std::optional<Judged> judge(const std::string& topic) override {
    if (is_damaged_) throw bad_input_error("the citation store is damaged");
    const std::vector<JudgedCitation>& citations = judge_.judge_patent(topic);
    if (citations.empty()) return std::nullopt;
    Judged judged{.lines = lines_of(topic, citations)};
    Families families(store_);
    for (const JudgedCitation& one : citations) families.add(one.key);
    judged.families = families.map();
    const std::vector<FamilyMember> family = family_of(store_, topic);
    if (family.size() > 1) judged.family = family.front().key;
    return judged;
  }

  [[nodiscard]] std::string version() const override { return version_; }

 private:
  static constexpr std::size_t kLongestNumber = 256;  // texts of queries are no numbers

  CitationStore store_;
  TopicJudge judge_;
  std::string version_;
  std::atomic<bool> is_damaged_{false};
  std::jthread verifier_;  // last, because it uses the others
};

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

Qrels open_judgements(const std::filesystem::path& path, const QrelsOptions& options) {
  if (!is_citation_store(path)) return Qrels::load(path, options);
  if (options.families != nullptr || !options.family_map.empty()) {
    throw usage_error(
        "{}: a family map has no meaning for topics that are found as they come: the citation "
        "store has their families; leave the map out",
        path.string());
  }
  const CitationRule rule = rule_of(options);
  QrelsOptions named = options;
  named.rule = rule.text();
  add_family_source(path, named);
  return Qrels::from_source(std::make_shared<StoreTopics>(path, rule), named);
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
