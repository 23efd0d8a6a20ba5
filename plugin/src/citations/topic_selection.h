#pragma once

#include "citations/judge_topics.h"

namespace prescope {

/// What a stratified sample is balanced by.
enum class Stratum { kIpcSection, kYear };

/// The topics that judgements are made for.
struct TopicSelection {
  /// Docnos. Empty: the documents of the collection, or without one all documents of the store that
  /// cite.
  std::vector<std::string> topics{};
  std::string language{};  ///< "en": only topics of this language; empty: all
  /// Number of topics to draw, from those with a relevant document; 0: no sample.
  std::size_t sample = 0;
  std::vector<Stratum> by{};  ///< each stratum gets its share of the sample; empty: one stratum
  std::uint64_t seed = 1;
};

/// Parses "ipc-section,year"; throws Error(kUsage) with the nearest word.
[[nodiscard]] std::vector<Stratum> parse_strata(std::string_view list);

using UseTopic =
    std::function<void(const std::string& topic, const std::vector<JudgedCitation>& judged)>;
/// Calls `use` for each selected topic that has a judgement, in the order of the selection, of the
/// collection or of the store; a sample keeps the order. Throws Error(kBadInput) if the store is
/// damaged.
void judge_topics(const CitationStore& store, TopicJudge& judge, const Collection* collection,
                  const TopicSelection& selection, const UseTopic& use);

}  // namespace prescope
