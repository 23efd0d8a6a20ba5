#include "prescope/resolved_qrels.h"

#include <algorithm>
#include <numeric>

#include "base/hash.h"

namespace prescope {

struct JudgedDocnos::Part {
  std::uint32_t first;  ///< the number of its first key
  std::vector<std::string> keys;
  KeySlots slots{static_cast<std::uint32_t>(keys.size()),
                 [this](std::uint32_t i) { return key_hash(keys[i]); }};
};

JudgedDocnos::JudgedDocnos(Qrels qrels) : qrels_(std::move(qrels)) { add_keys(Qrels()); }

JudgedDocnos::JudgedDocnos(Qrels qrels, const JudgedDocnos& before)
    : qrels_(std::move(qrels)), version_(before.version_ + 1), parts_(before.parts_) {
  add_keys(before.qrels_);
}

/// Adds the new keys of all topics but those that are the same in `known`. Parts that are not
/// larger than a new one are joined with it, so that there are few, and a key is seldom copied.
void JudgedDocnos::add_keys(const Qrels& known) {
  std::vector<std::string_view> added;
  qrels_.topics().for_each_unshared(known.topics(), [&](std::size_t t) {
    const TopicQrels& topic = qrels_.topics()[t];
    if (t < known.topics().size() && topic.is_shared_with(known.topics()[t])) return;
    for (const Judgement& judgement : topic.judgements()) {
      if (find(judgement.key) == kNotJudged) added.emplace_back(judgement.key);
    }
  });
  if (added.empty()) return;
  std::ranges::sort(added);
  const auto repeats = std::ranges::unique(added);
  std::vector<std::string> keys(added.begin(), repeats.begin());
  std::uint32_t first = num_keys();
  for (; !parts_.empty() && parts_.back()->keys.size() <= keys.size(); parts_.pop_back()) {
    const Part& joined = *parts_.back();
    keys.insert(keys.begin(), joined.keys.begin(), joined.keys.end());
    first = joined.first;
  }
  parts_.push_back(std::make_shared<const Part>(Part{first, std::move(keys)}));
}

std::uint32_t JudgedDocnos::num_keys() const noexcept {
  if (parts_.empty()) return 0;
  return parts_.back()->first + static_cast<std::uint32_t>(parts_.back()->keys.size());
}

const std::string& JudgedDocnos::key(std::uint32_t i) const noexcept {
  auto part = parts_.rbegin();
  while ((*part)->first > i) ++part;
  return (*part)->keys[i - (*part)->first];
}

std::uint32_t JudgedDocnos::find(std::string_view key) const noexcept {
  const std::uint64_t hash = key_hash(key);
  for (const auto& part : parts_) {
    const std::uint32_t found =
        part->slots.find(hash, [&](std::uint32_t i) { return part->keys[i] == key; });
    if (found != KeySlots::kNone) return part->first + found;
  }
  return kNotJudged;
}

ResolvedQrels::ResolvedQrels(const JudgedDocnos& judged, std::vector<Resolution> resolutions,
                             std::uint64_t generation, std::uint64_t collection_size)
    : judged_(&judged),
      topics_(judged.qrels().topics().size()),
      generation_(generation),
      collection_size_(collection_size),
      resolutions_(std::move(resolutions)) {
  std::ranges::sort(resolutions_);
  const auto repeats = std::ranges::unique(resolutions_);
  resolutions_.erase(repeats.begin(), repeats.end());
  match_topics();
}

/// Makes the entries of each topic. Of two judgements at one docid the first stays.
void ResolvedQrels::match_topics() {
  std::vector<std::size_t> first(judged_->num_keys() + 1);  // resolution of each key
  for (const Resolution& resolution : resolutions_) ++first[resolution.key + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::size_t> ends;  // of the topics' entries
  for (std::size_t t = 0; t < topics_.size(); ++t) {
    const TopicQrels& qrels = judged_->qrels().topics()[t];
    topics_[t].judgements = static_cast<std::uint32_t>(qrels.judgements().size());
    const auto begin = static_cast<std::ptrdiff_t>(entries_.size());
    for (JudgementIndex j; j.value() < topics_[t].judgements; j = JudgementIndex(j.value() + 1)) {
      const std::uint32_t key = judged_->find(qrels.judgements()[j.value()].key);
      for (std::size_t i = first[key]; i < first[key + 1]; ++i) {
        entries_.push_back({resolutions_[i].docid, j});
      }
      if (first[key] < first[key + 1]) continue;
      missing_.push_back(key);
      ++topics_[t].missing;
      relevant_missing_ += qrels.is_relevant(j) ? 1 : 0;
    }
    const std::ranges::subrange of_topic(entries_.begin() + begin, entries_.end());
    std::ranges::stable_sort(of_topic, {}, &Entry::docid);
    const auto repeats = std::ranges::unique(of_topic, {}, &Entry::docid);
    topics_[t].has_several_docnos = !repeats.empty();
    entries_.erase(repeats.begin(), entries_.end());
    ends.push_back(entries_.size());
  }
  std::ranges::sort(missing_);
  missing_.erase(std::ranges::unique(missing_).begin(), missing_.end());
  index_topics(ends);
}

void ResolvedQrels::index_topics(std::span<const std::size_t> ends) {
  // 64 bits an entry let one docid in 64 pass that is not judged.
  const auto words_for = [](std::size_t entries) {
    return std::bit_ceil(std::max<std::size_t>(entries, 1));
  };
  std::vector<std::size_t> words;  // of each topic's filter
  for (std::size_t begin = 0; const std::size_t end : ends) {
    words.push_back(words_for(end - std::exchange(begin, end)));
  }
  filters_.resize(std::accumulate(words.begin(), words.end(), std::size_t{0}));
  std::span<std::uint64_t> filters = filters_;
  for (std::size_t t = 0, begin = 0; t < topics_.size(); begin = ends[t++]) {
    const auto filter = filters.first(words[t]);
    topics_[t].entries = std::span(entries_).subspan(begin, ends[t] - begin);
    topics_[t].filter = filter;
    for (const Entry& entry : topics_[t].entries) {
      const std::uint32_t value = entry.docid.value();
      filter[(value / 64) & (filter.size() - 1)] |= std::uint64_t{1} << (value % 64);
    }
    filters = filters.subspan(filter.size());
  }
}

const ResolvedQrels::Entry* ResolvedQrels::Topic::look_up(DocId docid) const noexcept {
  const auto found = std::ranges::lower_bound(entries, docid, {}, &Entry::docid);
  return found != entries.end() && found->docid == docid ? &*found : nullptr;
}

}  // namespace prescope
