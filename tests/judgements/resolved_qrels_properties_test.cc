#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "prescope/resolved_qrels.h"
#include "support/served.h"

// Compares resolved tables with a brute-force search of all documents of the index.
namespace prescope {
namespace {

std::string docno_of(int i) { return "d" + std::to_string(i); }

// A few topics over a few documents, so that topics share documents. A document has one grade, as
// the same one judged with two is bad input.
rc::Gen<std::vector<Qrels::Line>> any_lines() {
  return rc::gen::nonEmpty(rc::gen::container<std::vector<Qrels::Line>>(rc::gen::exec([] {
    const int document = *any_of_range(0, 30);
    return Qrels::Line{.topic = TopicId{"t" + std::to_string(*any_of_range(0, 6))},
                       .docno = Docno{docno_of(document)},
                       .grade = document % 4};
  })));
}

// Few docids, some of them 4096 apart, so that documents meet in one docid and docids in one bit.
rc::Gen<std::vector<Resolution>> any_resolutions(std::size_t keys) {
  return rc::gen::container<std::vector<Resolution>>(rc::gen::exec([keys] {
    const auto docid = *any_of_range<std::uint32_t>(0, 20);
    const auto turn = *rc::gen::element(0U, 1U, 900000U);
    return Resolution{*any_of_range<std::uint32_t>(0, static_cast<std::uint32_t>(keys)),
                      DocId{docid + turn * 4096}};
  }));
}

RC_GTEST_PROP(JudgedDocnosProperties, FindExactlyTheJudgedKeysAndTheirUses, ()) {
  const Qrels qrels = Qrels::from_lines(*any_lines());
  const JudgedDocnos judged(qrels);
  std::set<std::string> expected_keys;
  for (int document = 0; document < 60; ++document) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> expected, found;
    for (std::uint32_t t = 0; t < qrels.topics().size(); ++t) {
      const auto judgements = qrels.topics()[t].judgements();
      for (std::uint32_t j = 0; j < judgements.size(); ++j) {
        if (judgements[j].key == docno_of(document)) expected.emplace_back(t, j);
      }
    }
    const std::uint32_t position = judged.find(docno_of(document));
    RC_ASSERT((position == JudgedDocnos::kNotJudged) == expected.empty());
    if (expected.empty()) continue;
    expected_keys.insert(docno_of(document));
    RC_ASSERT(judged.keys()[position] == docno_of(document));
    for (const JudgedDocnos::Use& use : judged.uses(position)) {
      found.emplace_back(use.topic.value(), use.judgement.value());
    }
    RC_ASSERT(found == expected);
  }
  RC_ASSERT(std::ranges::equal(judged.keys(), expected_keys));
}

// For each docid at which a judged document of the topic stands: its first judgement.
std::map<std::uint32_t, std::uint32_t> expected_entries(
    const TopicQrels& topic, const JudgedDocnos& judged,
    const std::vector<Resolution>& resolutions) {
  std::map<std::uint32_t, std::uint32_t> entries;
  for (std::uint32_t j = 0; j < topic.judgements().size(); ++j) {
    for (const Resolution& resolution : resolutions) {
      if (judged.keys()[resolution.key] != topic.judgements()[j].key) continue;
      entries.emplace(resolution.docid.value(), j);  // keeps the first
    }
  }
  return entries;
}

bool is_found(const std::string& key, const JudgedDocnos& judged,
              const std::vector<Resolution>& resolutions) {
  return std::ranges::any_of(resolutions,
                             [&](const Resolution& r) { return judged.keys()[r.key] == key; });
}

RC_GTEST_PROP(ResolvedQrelsProperties, EqualBruteForceForEveryTopic, ()) {
  const Qrels qrels = Qrels::from_lines(*any_lines());
  const JudgedDocnos judged(qrels);
  const auto resolutions = *any_resolutions(judged.keys().size());
  const ResolvedQrels resolved(judged, resolutions, 3, 500);
  RC_ASSERT(resolved.num_topics() == qrels.topics().size());
  for (std::uint32_t t = 0; t < qrels.topics().size(); ++t) {
    const ResolvedQrels::Topic& topic = resolved.topic(TopicIndex{t});
    const TopicQrels& topic_qrels = qrels.topic(TopicIndex{t});
    const auto expected = expected_entries(topic_qrels, judged, resolutions);

    std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
    for (const auto& entry : topic.entries) {
      found.emplace_back(entry.docid.value(), entry.judgement.value());
    }
    RC_ASSERT(std::ranges::equal(found, expected, [](const auto& a, const auto& b) {
      return a.first == b.first && a.second == b.second;
    }));

    const auto missing = std::ranges::count_if(topic_qrels.judgements(), [&](const Judgement& j) {
      return !is_found(j.key, judged, resolutions);
    });
    RC_ASSERT(topic.missing == missing);
    RC_ASSERT(topic.judgements == topic_qrels.judgements().size());
  }
}

RC_GTEST_PROP(ResolvedQrelsProperties, FindReturnsExactlyTheEntries, ()) {
  const Qrels qrels = Qrels::from_lines(*any_lines());
  const JudgedDocnos judged(qrels);
  const ResolvedQrels resolved(judged, *any_resolutions(judged.keys().size()), 3, 500);
  for (std::uint32_t t = 0; t < qrels.topics().size(); ++t) {
    const ResolvedQrels::Topic& topic = resolved.topic(TopicIndex{t});
    // Docids that share a bit with those of any_resolutions, and their neighbours.
    for (const std::uint32_t turn : {0U, 1U, 2U, 900000U}) {
      for (std::uint32_t docid = turn * 4096; docid < turn * 4096 + 70; ++docid) {
        const auto entry =
            std::ranges::find(topic.entries, DocId(docid), &ResolvedQrels::Entry::docid);
        const ResolvedQrels::Entry* const found = topic.find(DocId(docid));
        RC_ASSERT((found == nullptr) == (entry == topic.entries.end()));
        RC_ASSERT(found == nullptr || found == &*entry);
      }
    }
  }
}

RC_GTEST_PROP(ResolvedQrelsProperties, EveryKeyIsEitherResolvedOrMissing, ()) {
  const Qrels qrels = Qrels::from_lines(*any_lines());
  const JudgedDocnos judged(qrels);
  auto resolutions = *any_resolutions(judged.keys().size());
  const ResolvedQrels resolved(judged, resolutions, 3, 500);

  const std::set<Resolution> distinct(resolutions.begin(), resolutions.end());
  RC_ASSERT(std::ranges::equal(resolved.resolutions(), distinct));
  std::vector<std::uint32_t> missing;
  for (std::uint32_t key = 0; key < judged.keys().size(); ++key) {
    if (!is_found(judged.keys()[key], judged, resolutions)) missing.push_back(key);
  }
  RC_ASSERT(std::ranges::equal(resolved.missing_keys(), missing));
}

}  // namespace
}  // namespace prescope
