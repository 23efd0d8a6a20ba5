#include "citations/topic_selection.h"

#include <unordered_set>

#include "base/errors.h"
#include "base/hash.h"
#include "base/split_mix.h"
#include "base/text_file.h"
#include "citations/citation_links.h"

namespace prescope {

namespace {

constexpr std::array<std::string_view, 2> kStrata{"ipc-section", "year"};

using UseDocno = std::function<void(const std::string& docno)>;

bool cites(const StoredDocument& document) {
  LinkCursor links = document.links();
  while (const StoredLink* link = links.next()) {
    if (link->attributes->role != LinkRole::kFamily) return true;
  }
  return false;
}

void for_each_docno(const CitationStore& store, const Collection* collection,
                    const TopicSelection& selection, const UseDocno& use) {
  if (!selection.topics.empty()) {
    std::ranges::for_each(selection.topics, use);
  } else if (collection != nullptr) {
    std::ranges::for_each(collection->docnos(), use);
  } else {
    store.for_each_document([&](const StoredDocument& document) {
      const std::string key = document.key().text();
      if (is_family_key(key) || !cites(document)) return;
      std::optional<std::string> kind;
      document.for_each_publication([&](const PublicationFacts& facts) {
        if (!kind || kind->empty()) kind = facts.kind;
      });
      use(publication_docno(key, kind.value_or("")));
    });
  }
}

/// What a sample or a filter asks of a topic.
struct SelectedTopic {
  bool has_language = false;  ///< the one that is asked for
  std::string stratum;
};

SelectedTopic facts_of(const CitationStore& store, const std::string& docno,
                       const TopicSelection& selection) {
  SelectedTopic topic{.has_language = selection.language.empty(), .stratum = {}};
  const auto document = store.find(document_number(docno).key);
  if (!document) return topic;
  char section = '-';
  unsigned year = 0;
  document->for_each_publication([&](const PublicationFacts& facts) {
    topic.has_language = topic.has_language || facts.language == selection.language;
    if (section == '-' && !facts.classes.empty()) section = facts.classes[0];
    if (year == 0) year = facts.published.year;
  });
  for (const Stratum stratum : selection.by) {
    topic.stratum +=
        stratum == Stratum::kYear ? fmt::format("{} ", year) : std::string{section, ' '};
  }
  return topic;
}

/// Draws topics: of each stratum its share, by the method of the largest remainder. Which ones is
/// decided by a hash of seed and docno, so that a sample does not depend on the order of documents.
class Sample {
 public:
  explicit Sample(const TopicSelection& selection) : selection_(selection) {}

  void add(const std::string& docno, const std::string& stratum) {
    const std::uint64_t draw = SplitMix(key_hash(docno) ^ SplitMix(selection_.seed).next()).next();
    strata_[stratum].emplace_back(draw, docno);
    ++count_;
  }

  [[nodiscard]] std::unordered_set<std::string> draw() {
    const std::size_t wanted = std::min(selection_.sample, count_);
    std::vector<std::pair<std::uint64_t, const std::string*>> remainders;
    std::map<std::string, std::size_t> shares;
    std::size_t given = 0;
    for (const auto& [stratum, topics] : strata_) {
      const std::uint64_t scaled = std::uint64_t{wanted} * topics.size();
      given += shares[stratum] = scaled / count_;
      remainders.emplace_back(scaled % count_, &stratum);
    }
    std::ranges::stable_sort(remainders, std::greater(), [](const auto& one) { return one.first; });
    for (std::size_t i = 0; given < wanted; ++i, ++given) ++shares[*remainders[i].second];
    std::unordered_set<std::string> drawn;
    for (auto& [stratum, topics] : strata_) {
      std::ranges::sort(topics);
      for (std::size_t i = 0; i < shares[stratum]; ++i) drawn.insert(topics[i].second);
    }
    return drawn;
  }

 private:
  const TopicSelection& selection_;
  std::map<std::string, std::vector<std::pair<std::uint64_t, std::string>>> strata_;
  std::size_t count_ = 0;
};

bool has_relevant(const std::vector<JudgedCitation>& judged) {
  return std::ranges::any_of(judged, [](const JudgedCitation& one) { return one.grade > 0; });
}

}  // namespace

std::vector<Stratum> parse_strata(std::string_view list) {
  std::vector<Stratum> strata;
  for (const std::string& word : split(list, ',')) {
    const auto found = std::ranges::find(kStrata, trimmed(word));
    if (found == kStrata.end()) {
      throw usage_error("{}", unknown_name_message("stratum", trimmed(word), kStrata));
    }
    strata.push_back(static_cast<Stratum>(found - kStrata.begin()));
  }
  return strata;
}

void judge_topics(const CitationStore& store, TopicJudge& judge, const Collection* collection,
                  const TopicSelection& selection, const UseTopic& use) {
  std::optional<std::unordered_set<std::string>> drawn;
  if (selection.sample > 0) {
    TopicJudge first_look = judge;  // a copy, so that nothing is counted twice
    Sample sample(selection);
    for_each_docno(store, collection, selection, [&](const std::string& docno) {
      const SelectedTopic topic = facts_of(store, docno, selection);
      if (topic.has_language && has_relevant(first_look.judge(docno))) {
        sample.add(docno, topic.stratum);
      }
    });
    drawn = sample.draw();
  }
  for_each_docno(store, collection, selection, [&](const std::string& docno) {
    if (drawn && !drawn->contains(docno)) return;
    if (!selection.language.empty() && !facts_of(store, docno, selection).has_language) return;
    const std::vector<JudgedCitation>& judged = judge.judge(docno);
    if (!judged.empty()) use(docno, judged);
  });
}

}  // namespace prescope
