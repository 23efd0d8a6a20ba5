#include "prescope/resolved_qrels.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/hash.h"

namespace prescope {

namespace {

// One judgement of one topic, by the key that its document has.
struct KeyedUse {
  std::string_view key;
  JudgedDocnos::Use use;
};

std::vector<KeyedUse> keyed_uses(const Qrels& qrels) {
  std::vector<KeyedUse> uses;
  uses.reserve(qrels.num_judgements());
  for (std::uint32_t topic = 0; topic < qrels.topics().size(); ++topic) {
    const std::span<const Judgement> judgements = qrels.topics()[topic].judgements();
    for (std::uint32_t i = 0; i < judgements.size(); ++i) {
      uses.push_back({judgements[i].key, {TopicIndex{topic}, JudgementIndex{i}}});
    }
  }
  // Stable: the topics of a key stay ascending.
  std::ranges::stable_sort(uses, {}, &KeyedUse::key);
  return uses;
}

// An entry, and the topic whose table it goes into.
struct JudgedRow {
  TopicIndex topic;
  DocId docid;
  JudgementIndex judgement;
  friend auto operator<=>(const JudgedRow&, const JudgedRow&) = default;
};

// Ascending by topic, docid and judgement.
std::vector<JudgedRow> judged_rows(const JudgedDocnos& judged,
                                   std::span<const Resolution> resolutions) {
  std::vector<JudgedRow> entries;
  for (const Resolution& resolution : resolutions) {
    for (const JudgedDocnos::Use& use : judged.uses(resolution.key)) {
      entries.push_back({use.topic, resolution.docid, use.judgement});
    }
  }
  std::ranges::sort(entries);
  return entries;
}

}  // namespace

JudgedDocnos::JudgedDocnos(const Qrels& qrels, std::uint32_t version)
    : qrels_(&qrels),
      version_(version),
      num_topics_(qrels.topics().size()),
      docnos_(qrels.docnos()) {
  for (const KeyedUse& use : keyed_uses(qrels)) {
    if (keys_.empty() || keys_.back() != use.key) {
      keys_.emplace_back(use.key);
      first_use_.push_back(static_cast<std::uint32_t>(uses_.size()));
    }
    uses_.push_back(use.use);
  }
  first_use_.push_back(static_cast<std::uint32_t>(uses_.size()));

  slots_ = KeySlots(static_cast<std::uint32_t>(keys_.size()),
                    [this](std::uint32_t i) { return key_hash(keys_[i]); });
}

std::uint32_t JudgedDocnos::find(std::string_view key) const noexcept {
  return slots_.find(key_hash(key), [&](std::uint32_t i) { return keys_[i] == key; });
}

std::span<const JudgedDocnos::Use> JudgedDocnos::uses(std::uint32_t i) const noexcept {
  return std::span(uses_).subspan(first_use_[i], first_use_[i + 1] - first_use_[i]);
}

ResolvedQrels::ResolvedQrels(const JudgedDocnos& judged, std::vector<Resolution> resolutions,
                             std::uint64_t generation, std::uint64_t collection_size)
    : judged_(&judged),
      topics_(judged.num_topics()),
      generation_(generation),
      collection_size_(collection_size),
      judgements_version_(judged.version()),
      resolutions_(std::move(resolutions)) {
  std::ranges::sort(resolutions_);
  const auto repeats = std::ranges::unique(resolutions_);
  resolutions_.erase(repeats.begin(), repeats.end());

  std::vector<bool> is_found(judged.keys().size());
  for (const Resolution& resolution : resolutions_) is_found[resolution.key] = true;
  for (std::uint32_t key = 0; key < is_found.size(); ++key) {
    if (!is_found[key]) missing_.push_back(key);
    for (const JudgedDocnos::Use& use : judged.uses(key)) {
      Topic& topic = topics_[use.topic.value()];
      ++topic.judgements;
      if (!is_found[key]) ++topic.missing;
    }
  }
  tabulate(judged);
}

void ResolvedQrels::tabulate(const JudgedDocnos& judged) {
  // 64 bits an entry let one docid in 64 pass that is not judged.
  const auto words_for = [](std::size_t entries) {
    return std::bit_ceil(std::max<std::size_t>(entries, 1));
  };
  std::vector<JudgedRow> rows = judged_rows(judged, resolutions_);
  // The first of several judgements at one docid stays.
  const auto repeats = std::ranges::unique(rows, [&](const JudgedRow& a, const JudgedRow& b) {
    const bool is_repeated = a.topic == b.topic && a.docid == b.docid;
    if (is_repeated) topics_[a.topic.value()].has_several_docnos = true;
    return is_repeated;
  });
  rows.erase(repeats.begin(), repeats.end());
  std::vector<std::size_t> count(topics_.size(), 0);
  for (const JudgedRow& row : rows) ++count[row.topic.value()];
  std::size_t words = 0;
  for (const std::size_t entries : count) words += words_for(entries);
  filters_.resize(words);
  entries_.reserve(rows.size());
  for (const JudgedRow& row : rows) entries_.push_back({row.docid, row.judgement});

  std::span<const Entry> entries = entries_;
  std::span<std::uint64_t> filters = filters_;
  for (std::size_t t = 0; t < topics_.size(); ++t) {
    const auto filter = filters.first(words_for(count[t]));
    topics_[t].entries = entries.first(count[t]);
    topics_[t].filter = filter;
    for (const Entry& entry : topics_[t].entries) {
      const std::uint32_t value = entry.docid.value();
      filter[(value / 64) & (filter.size() - 1)] |= std::uint64_t{1} << (value % 64);
    }
    entries = entries.subspan(count[t]);
    filters = filters.subspan(filter.size());
  }
}

const ResolvedQrels::Entry* ResolvedQrels::Topic::look_up(DocId docid) const noexcept {
  const auto found = std::ranges::lower_bound(entries, docid, {}, &Entry::docid);
  return found != entries.end() && found->docid == docid ? &*found : nullptr;
}

}  // namespace prescope
