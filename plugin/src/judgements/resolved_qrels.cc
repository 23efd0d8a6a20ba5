#include "judgements/resolved_qrels.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "prescope/resolved_qrels.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define PRESCOPE_HAS_AVX2_PATH 1
#include <immintrin.h>
#endif

namespace prescope {
namespace {

#ifdef PRESCOPE_HAS_AVX2_PATH

static_assert(sizeof(DocId) == sizeof(std::uint32_t));

/// Up to here comparing with every judged document costs less than the prefilter does.
constexpr std::size_t kMostCompared = 16;

#pragma GCC push_options
#pragma GCC target("avx2,bmi")

/// The lower halves of 16 docids: of the first 8 and of the others in turn.
__m256i halves(const DocId* docids) noexcept {
  const auto* const eights = reinterpret_cast<const __m256i*>(docids);
  return _mm256_blend_epi16(_mm256_loadu_si256(eights),
                            _mm256_slli_epi32(_mm256_loadu_si256(eights + 1), 16), 0xAA);
}

/// A bit for each of the 16 docids, in their order, from a comparison of their `halves`.
std::uint32_t bits(__m256i equal) noexcept {
  const int first = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32(equal, 16)));
  const int others = _mm256_movemask_ps(_mm256_castsi256_ps(equal));
  return static_cast<std::uint32_t>(first | others << 8);
}

/// Compares many docids at a time with all judged ones: first their lower halves, which takes half
/// the comparisons that whole docids would. Short, and without constants in memory: when a ranking
/// comes, neither code nor constants are in the caches.
std::size_t positions_by_comparing(const ResolvedQrels::Topic& topic, std::span<const DocId> docids,
                                   JudgedPosition* found) noexcept {
  constexpr std::size_t kBlock = 32;
  const std::span<const ResolvedQrels::Entry> entries = topic.entries;
  if (entries.size() > kMostCompared || docids.size() < kBlock) {
    return judged_positions_by_prefilter(topic, docids, found);
  }
  JudgedPosition* end = found;
  for (std::size_t i = 0; i < docids.size(); i += kBlock) {
    const std::size_t begin = std::min(i, docids.size() - kBlock);
    const __m256i a = halves(&docids[begin]), b = halves(&docids[begin + 16]);
    __m256i in_a = _mm256_setzero_si256(), in_b = in_a;
    for (const ResolvedQrels::Entry& entry : entries) {
      const __m256i half = _mm256_set1_epi16(static_cast<short>(entry.docid.value()));
      in_a = _mm256_or_si256(in_a, _mm256_cmpeq_epi16(a, half));
      in_b = _mm256_or_si256(in_b, _mm256_cmpeq_epi16(b, half));
    }
    const __m256i any = _mm256_or_si256(in_a, in_b);
    if (_mm256_testz_si256(any, any) != 0) [[likely]]
      continue;
    std::uint32_t alike = (bits(in_a) | bits(in_b) << 16) & ~std::uint32_t{0} << (i - begin);
    for (; alike != 0; alike &= alike - 1) {
      const std::size_t position = begin + _tzcnt_u32(alike);
      for (std::size_t e = 0; e < entries.size(); ++e) {
        if (entries[e].docid != docids[position]) continue;
        *end++ = {static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(e)};
        break;
      }
    }
  }
  return static_cast<std::size_t>(end - found);
}

#pragma GCC pop_options

#endif

}  // namespace

std::size_t judged_positions_by_prefilter(const ResolvedQrels::Topic& topic,
                                          std::span<const DocId> docids,
                                          JudgedPosition* found) noexcept {
  const ResolvedQrels::Prefilter& prefilter = *topic.prefilter;
  JudgedPosition* end = found;
  for (std::size_t i = 0; i < docids.size(); ++i) {
    const std::uint32_t value = docids[i].value();
    if ((prefilter[(value / 64) % prefilter.size()] >> (value % 64) & 1U) == 0) continue;
    const auto entry =
        std::ranges::lower_bound(topic.entries, docids[i], {}, &ResolvedQrels::Entry::docid);
    if (entry == topic.entries.end() || entry->docid != docids[i]) continue;
    *end++ = {static_cast<std::uint32_t>(i),
              static_cast<std::uint32_t>(entry - topic.entries.begin())};
  }
  return static_cast<std::size_t>(end - found);
}

JudgedPositions quickest_judged_positions() noexcept {
#ifdef PRESCOPE_HAS_AVX2_PATH
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")) {
    return positions_by_comparing;
  }
#endif
  return judged_positions_by_prefilter;
}

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

// Ascending by topic and docid; of two judgements at one docid the first stays.
std::vector<JudgedRow> judged_rows(const JudgedDocnos& judged,
                                   std::span<const Resolution> resolutions) {
  std::vector<JudgedRow> entries;
  for (const Resolution& resolution : resolutions) {
    for (const JudgedDocnos::Use& use : judged.uses(resolution.key)) {
      entries.push_back({use.topic, resolution.docid, use.judgement});
    }
  }
  std::ranges::sort(entries);
  const auto repeats = std::ranges::unique(
      entries, {}, [](const JudgedRow& entry) { return std::pair(entry.topic, entry.docid); });
  entries.erase(repeats.begin(), repeats.end());
  return entries;
}

std::vector<std::uint32_t> keys_not_in(std::span<const Resolution> resolutions, std::size_t keys) {
  std::vector<std::uint32_t> missing;
  auto next = resolutions.begin();
  for (std::uint32_t key = 0; key < keys; ++key) {
    while (next != resolutions.end() && next->key < key) ++next;
    if (next == resolutions.end() || next->key != key) missing.push_back(key);
  }
  return missing;
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

  for (std::uint32_t key = 0; key < judged.keys().size(); ++key) {
    for (const JudgedDocnos::Use& use : judged.uses(key)) ++topics_[use.topic.value()].judgements;
  }
  missing_ = keys_not_in(resolutions_, judged.keys().size());
  for (const std::uint32_t key : missing_) {
    for (const JudgedDocnos::Use& use : judged.uses(key)) ++topics_[use.topic.value()].missing;
  }
  tabulate(judged);
}

void ResolvedQrels::tabulate(const JudgedDocnos& judged) {
  const std::vector<JudgedRow> rows = judged_rows(judged, resolutions_);
  entries_.reserve(rows.size());  // the topics' spans point into it
  prefilters_.resize(topics_.size());
  auto next = rows.begin();
  for (std::size_t t = 0; t < topics_.size(); ++t) {
    Topic& topic = topics_[t];
    topic.prefilter = &prefilters_[t];
    const auto end = std::find_if(next, rows.end(),
                                  [&](const JudgedRow& row) { return row.topic.value() != t; });
    const auto count = static_cast<std::size_t>(end - next);
    const bool is_apart = count > topic.first_entries.size();
    if (is_apart) entries_.resize(entries_.size() + count);
    const std::span<Entry> entries =
        is_apart ? std::span(entries_).last(count) : std::span(topic.first_entries).first(count);
    for (Entry& entry : entries) {
      entry = {next->docid, next->judgement};
      const std::uint32_t bit = next->docid.value() % kPrefilterBits;
      prefilters_[t][bit / 64] |= std::uint64_t{1} << (bit % 64);
      ++next;
    }
    topic.entries = entries;
  }
}

}  // namespace prescope
