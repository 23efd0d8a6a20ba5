#pragma once

#include <map>

#include "citations/citation_links.h"
#include "citations/judge_topics.h"

namespace prescope {

/// One citation as it is shown beside a document.
struct ShownCitation {
  std::string docno{};  ///< the other document
  std::string categories{}, source{}, phase{};
  PartialDate date{};        ///< of publication of the cited document
  bool is_reported = false;  ///< only the file of the cited document says so
};

/// Everything that a store knows of one patent.
struct ShownDocument {
  struct Publication {
    std::string docno{};
    PartialDate published{}, priority{};
    std::string language{}, sections{};  ///< letters of IPC sections
  };
  std::string key{};
  std::vector<Publication> publications{};
  std::vector<std::string> family{};  ///< docnos, without the patent itself
  std::vector<ShownCitation> cites{}, cited_by{};
};

/// Returns what the store knows of a docno; std::nullopt if that is nothing. Reads the whole store
/// to find who cites the document: some seconds for 100 million citations.
[[nodiscard]] std::optional<ShownDocument> show_document(const CitationStore& store,
                                                         std::string_view docno);

/// Counts over a whole store.
struct StoreStatistics {
  using Counts = std::map<std::string, std::uint64_t>;

  StoreCounts counts{};
  Counts categories{}, sources{}, phases{};  ///< citations; "" stands for none
  Counts cited_countries{};                  ///< citations; "" for other docnos
  Counts years{};                            ///< publications of citing documents; "" if unknown
  std::map<std::uint64_t, std::uint64_t> citations_per_document{};
  std::map<std::uint64_t, std::uint64_t> relevant_per_topic{};  ///< under `rule`
  JudgingCounts judging{};
};

/// Reads the whole store, and judges every document that cites by the rule.
[[nodiscard]] StoreStatistics store_statistics(const CitationStore& store,
                                               const CitationRule& rule);

}  // namespace prescope
