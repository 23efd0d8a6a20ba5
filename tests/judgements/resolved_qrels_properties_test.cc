#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
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

RC_GTEST_PROP(JudgedDocnosProperties, FindExactlyTheJudgedKeys, ()) {
  const std::vector<Qrels::Line> lines = *any_lines();
  const JudgedDocnos judged(Qrels::from_lines(lines));
  std::set<std::string> expected;
  for (const Qrels::Line& line : lines) expected.insert(line.docno.text());
  RC_ASSERT(judged.num_keys() == expected.size());
  for (std::uint32_t number = 0; const std::string& key : expected) {
    RC_ASSERT(judged.key(number) == key);
    RC_ASSERT(judged.find(key) == number++);
  }
  for (int document = 0; document < 60; ++document) {
    const bool is_found = judged.find(docno_of(document)) != JudgedDocnos::kNotJudged;
    RC_ASSERT(is_found == expected.contains(docno_of(document)));
  }
}

/// Some additions and other grades, and some withdrawals of what is judged.
JudgementChanges any_changes(const Qrels& qrels) {
  JudgementChanges changes;
  std::set<std::pair<std::string, std::string>> changed;
  const auto is_new = [&](const TopicId& topic, const Docno& docno) {
    return changed.emplace(topic.text(), docno.text()).second;
  };
  const auto topics = static_cast<int>(qrels.topics().size());
  for (int i = *any_of_range(0, 6); i > 0; --i) {
    const TopicQrels& topic = qrels.topics()[*any_of_range(0, topics)];
    const Docno added{docno_of(*any_of_range(0, 90))};
    if (is_new(topic.id(), added)) {
      changes.judged.push_back({topic.id(), added, *any_of_range(0, 4)});
    }
    const auto judgements = topic.judgements();
    if (judgements.empty()) continue;
    const Docno& gone = judgements[*any_of_range<std::size_t>(0, judgements.size())].docno;
    if (is_new(topic.id(), gone)) changes.withdrawn.push_back({topic.id(), gone});
  }
  return changes;
}

/// The documents d0, d1, ... with the docids of an index, of which some have two or none.
std::vector<Resolution> carried(const JudgedDocnos& judged) {
  std::vector<Resolution> resolutions;
  for (std::uint32_t document = 0; document < 90; ++document) {
    const std::uint32_t key = judged.find(docno_of(static_cast<int>(document)));
    if (key == JudgedDocnos::kNotJudged || document % 5 == 0) continue;
    resolutions.push_back({key, DocId(document % 40)});
    if (document % 3 == 0) resolutions.push_back({key, DocId(100 + document)});
  }
  return resolutions;
}

std::set<std::string> missing_in(const ResolvedQrels& table) {
  std::set<std::string> keys;
  for (const std::uint32_t key : table.missing_keys()) keys.insert(table.judged().key(key));
  return keys;
}

/// Issue: "each `rejudge` keeps a full copy of the judgements". Versions share their keys; a table
/// of each must be the one that is made for its judgements alone.
RC_GTEST_PROP(JudgedDocnosProperties, EachVersionGivesTheTablesOfItsJudgementsAlone, ()) {
  std::vector<std::unique_ptr<const JudgedDocnos>> versions;
  versions.push_back(std::make_unique<JudgedDocnos>(Qrels::from_lines(*any_lines())));
  for (int i = *any_of_range(1, 20); i > 0; --i) {
    const JudgedDocnos& last = *versions.back();
    Qrels next = last.qrels().with(any_changes(last.qrels()));
    versions.push_back(std::make_unique<JudgedDocnos>(std::move(next), last));
  }
  for (std::uint32_t v = 0; v < versions.size(); ++v) {
    const JudgedDocnos& shared = *versions[v];
    RC_ASSERT(shared.version() == v);
    for (std::uint32_t key = 0; key < shared.num_keys(); ++key) {
      RC_ASSERT(shared.find(shared.key(key)) == key);
      RC_ASSERT(versions.back()->key(key) == shared.key(key));
    }
    const JudgedDocnos alone(shared.qrels());
    const ResolvedQrels table(shared, carried(shared), 1, 200);
    const ResolvedQrels expected(alone, carried(alone), 1, 200);
    RC_ASSERT(missing_in(table) == missing_in(expected));
    RC_ASSERT(table.relevant_missing() == expected.relevant_missing());
    for (std::uint32_t t = 0; t < table.num_topics(); ++t) {
      const auto &topic = table.topic(TopicIndex(t)), &wanted = expected.topic(TopicIndex(t));
      RC_ASSERT(topic.judgements == wanted.judgements);
      RC_ASSERT(topic.missing == wanted.missing);
      RC_ASSERT(std::ranges::equal(topic.filter, wanted.filter));
      RC_ASSERT(std::ranges::equal(topic.entries, wanted.entries, [](const auto& a, const auto& b) {
        return a.docid == b.docid && a.judgement == b.judgement;
      }));
    }
  }
}

// For each docid at which a judged document of the topic stands: its first judgement.
std::map<std::uint32_t, std::uint32_t> expected_entries(
    const TopicQrels& topic, const JudgedDocnos& judged,
    const std::vector<Resolution>& resolutions) {
  std::map<std::uint32_t, std::uint32_t> entries;
  for (std::uint32_t j = 0; j < topic.judgements().size(); ++j) {
    for (const Resolution& resolution : resolutions) {
      if (judged.key(resolution.key) != topic.judgements()[j].key) continue;
      entries.emplace(resolution.docid.value(), j);  // keeps the first
    }
  }
  return entries;
}

bool is_found(const std::string& key, const JudgedDocnos& judged,
              const std::vector<Resolution>& resolutions) {
  return std::ranges::any_of(resolutions,
                             [&](const Resolution& r) { return judged.key(r.key) == key; });
}

RC_GTEST_PROP(ResolvedQrelsProperties, EqualBruteForceForEveryTopic, ()) {
  const Qrels qrels = Qrels::from_lines(*any_lines());
  const JudgedDocnos judged(qrels);
  const auto resolutions = *any_resolutions(judged.num_keys());
  const ResolvedQrels resolved(judged, resolutions, 3, 500);
  RC_ASSERT(resolved.num_topics() == qrels.topics().size());
  std::uint64_t relevant_missing = 0;
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
    for (std::uint32_t j = 0; j < topic.judgements; ++j) {
      if (is_found(topic_qrels.judgements()[j].key, judged, resolutions)) continue;
      relevant_missing += topic_qrels.is_relevant(JudgementIndex(j)) ? 1 : 0;
    }
  }
  RC_ASSERT(resolved.relevant_missing() == relevant_missing);
}

RC_GTEST_PROP(ResolvedQrelsProperties, FindReturnsExactlyTheEntries, ()) {
  const Qrels qrels = Qrels::from_lines(*any_lines());
  const JudgedDocnos judged(qrels);
  const ResolvedQrels resolved(judged, *any_resolutions(judged.num_keys()), 3, 500);
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
  auto resolutions = *any_resolutions(judged.num_keys());
  const ResolvedQrels resolved(judged, resolutions, 3, 500);

  const std::set<Resolution> distinct(resolutions.begin(), resolutions.end());
  RC_ASSERT(std::ranges::equal(resolved.resolutions(), distinct));
  std::vector<std::uint32_t> missing;
  for (std::uint32_t key = 0; key < judged.num_keys(); ++key) {
    if (!is_found(judged.key(key), judged, resolutions)) missing.push_back(key);
  }
  RC_ASSERT(std::ranges::equal(resolved.missing_keys(), missing));
}

}  // namespace
}  // namespace prescope
