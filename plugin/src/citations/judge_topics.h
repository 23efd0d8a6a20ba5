#pragma once

#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "citations/citation_links.h"
#include "citations/citation_rule.h"

namespace prescope {

/// The documents that a searcher can find, by the key of their patent, each with the spellings that
/// the collection has. Judgements name documents as it spells them.
class Collection {
 public:
  /// Reads the ids of a file, plain or gzip: JSON lines with `id` (of a file called so), or lines
  /// up to their first tab. Throws Error(kIo), and Error(kBadInput) for an id with white space.
  [[nodiscard]] static Collection load(const std::filesystem::path& path);
  void add(std::string_view docno);
  [[nodiscard]] const std::vector<std::string>* find(const std::string& key) const;
  [[nodiscard]] std::size_t size() const noexcept { return docnos_.size(); }
  /// Returns all documents in the order of the file, each once.
  [[nodiscard]] const std::vector<std::string>& docnos() const noexcept { return docnos_; }

 private:
  std::unordered_map<std::string, std::vector<std::string>> by_key_;
  std::vector<std::string> docnos_;
};

/// A document judged for a topic, and the citation that gave it its grade.
struct JudgedCitation {
  std::string docno{};
  std::string key{};  ///< of its patent
  Grade grade = 0;
  std::string cited{};  ///< the document that was cited, if it is another member of the family
  std::string categories{}, source{}, phase{};
  PartialDate date{};  ///< of publication of the cited document
};

/// Returns what is known of a citation, for people: "X, search, 1993-01-14, as US5192345A".
[[nodiscard]] std::string about_citation(const JudgedCitation& citation);

/// What a rule did with the citations of topics. Each citation is counted once, in the first of the
/// reasons that leave it out.
struct JudgingCounts {
  std::uint64_t topics = 0;              ///< with at least one judgement
  std::uint64_t topics_without = 0;      ///< with citations, but the rule keeps none
  std::uint64_t citations = 0;           ///< of all topics
  std::uint64_t within_family = 0;       ///< of the topic's own family
  std::uint64_t of_applicants = 0;       ///< left out, or kept with grade 0
  std::uint64_t of_others = 0;           ///< third parties, and "other" of an office: left out
  std::uint64_t interfering = 0;         ///< categories E and P, left out
  std::uint64_t later = 0;               ///< published on or after the priority date, left out
  std::uint64_t outside_collection = 0;  ///< kept, but no document of the collection
  std::uint64_t unknown_source = 0;      ///< kept
  std::uint64_t unknown_date = 0;        ///< kept, because no date contradicts
  std::uint64_t topics_without_priority = 0;
  std::uint64_t judgements = 0;
  UnknownWord source_words{}, category_words{};  ///< words that no rule knows; kept
};

/// Makes judgements of a store's citations by a rule. For one thread.
class TopicJudge {
 public:
  /// `store` and `collection` must outlive the judge; a null collection judges what is cited, in
  /// the spelling of the store.
  TopicJudge(const CitationStore& store, CitationRule rule, const Collection* collection = nullptr);

  /// Returns the judgements of a topic by its docno, in order of docnos; empty if the store does
  /// not know it, or the rule keeps none. Throws Error(kBadInput) if the store is damaged.
  [[nodiscard]] const std::vector<JudgedCitation>& judge(std::string_view topic);
  /// The same by the key of the topic's patent.
  [[nodiscard]] const std::vector<JudgedCitation>& judge_patent(const std::string& key);
  /// Returns whether the store has a citation of the topic that was last judged.
  [[nodiscard]] bool had_citations() const noexcept { return had_citations_; }
  [[nodiscard]] const JudgingCounts& counts() const noexcept { return counts_; }

 private:
  struct Topic;
  [[nodiscard]] Topic topic_of(const std::string& key);
  void judge_member(const Topic& topic, const std::string& member);
  void judge_link(const Topic& topic, const std::string& citing, const StoredLink& link,
                  bool names_family);
  [[nodiscard]] bool is_later(const Topic& topic, const StoredLink& link, const std::string& cited);
  [[nodiscard]] std::optional<Grade> grade_of(std::string_view citing,
                                              const LinkAttributes& attributes, CitedBy by);
  void add(const StoredLink& link, const std::string& cited, Grade grade, bool names_family);
  void add_document(JudgedCitation judged);

  const CitationStore* store_;
  CitationRule rule_;
  const Collection* collection_;
  JudgingCounts counts_;
  bool had_citations_ = false;
  std::vector<FamilyMember> last_family_;
  std::map<std::string, JudgedCitation> judged_;  // by docno
  std::vector<JudgedCitation> result_;
};

}  // namespace prescope
