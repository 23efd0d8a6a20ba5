#pragma once

#include "prescope/key_slots.h"
#include "prescope/qrels.h"
#include "prescope/types.h"

namespace prescope {

/// The keys of an experiment's judged documents, which an adapter looks up in its index.
class JudgedDocnos {
 public:
  /// `qrels` must outlive this. `version` is the number of changes of the experiment's judgements.
  explicit JudgedDocnos(const Qrels& qrels, std::uint32_t version = 0);

  [[nodiscard]] const Qrels& qrels() const noexcept { return *qrels_; }
  [[nodiscard]] std::uint32_t version() const noexcept { return version_; }
  [[nodiscard]] std::size_t num_topics() const noexcept { return num_topics_; }

  /// Returns the keys, ascending bytewise, each once.
  [[nodiscard]] std::span<const std::string> keys() const noexcept { return keys_; }
  /// Returns the position of a key in `keys()`, or `kNotJudged`. O(1), no allocation, thread-safe.
  [[nodiscard]] std::uint32_t find(std::string_view key) const noexcept;
  static constexpr std::uint32_t kNotJudged = KeySlots::kNone;

  struct Use {
    TopicIndex topic{};
    JudgementIndex judgement{};
  };
  /// Returns the topics that judge key `i`, ascending.
  [[nodiscard]] std::span<const Use> uses(std::uint32_t i) const noexcept;
  /// Returns the rule by which an index's docnos become keys.
  [[nodiscard]] const DocnoNormalizer& docnos() const noexcept { return docnos_; }

 private:
  const Qrels* qrels_;
  std::uint32_t version_;
  std::size_t num_topics_;
  std::vector<std::string> keys_;
  std::vector<Use> uses_;
  std::vector<std::uint32_t> first_use_;
  KeySlots slots_;  // of keys_
  DocnoNormalizer docnos_;
};

/// A judged key found in an index at a docid. A key may be found at several docids.
struct Resolution {
  std::uint32_t key = 0;  ///< position in `JudgedDocnos::keys()`
  DocId docid{};
  friend auto operator<=>(const Resolution&, const Resolution&) = default;
};

/// The judged documents of every topic as docids of one index generation. Immutable; readers on any
/// thread. Bound to the searcher it was resolved for: docids do not survive their generation.
class ResolvedQrels {
 public:
  struct Entry {
    DocId docid{};
    JudgementIndex judgement{};
  };
  struct Topic {
    std::span<const Entry> entries{};  ///< ascending by docid, each docid once
    std::uint32_t judgements = 0;      ///< number of the topic's judgements
    std::uint32_t missing = 0;         ///< how many of them no docid carries
    /// A docid carries several of them; its entry is the first.
    bool has_several_docnos = false;
    /// A bit for each docid modulo their number, a power of two from 64 on: a docid whose bit is
    /// clear has no entry.
    std::span<const std::uint64_t> filter{};

    /// Returns the entry of a docid, or null. Takes about a nanosecond for a docid that is not
    /// judged.
    [[nodiscard]] const Entry* find(DocId docid) const noexcept {
      const std::uint32_t value = docid.value();
      const std::uint64_t word = filter[(value / 64) & (filter.size() - 1)];
      return (word >> (value % 64) & 1U) == 0 ? nullptr : look_up(docid);
    }

   private:
    [[nodiscard]] const Entry* look_up(DocId docid) const noexcept;
  };

  /// Takes `resolutions` in any order; repeats are ignored. `collection_size` is the number of live
  /// documents of the index. O(judgements log judgements).
  ResolvedQrels(const JudgedDocnos& judged, std::vector<Resolution> resolutions,
                std::uint64_t generation, std::uint64_t collection_size);
  ResolvedQrels(const ResolvedQrels&) = delete;  // topics refer into this object
  ResolvedQrels& operator=(const ResolvedQrels&) = delete;

  [[nodiscard]] const Topic& topic(TopicIndex i) const noexcept { return topics_[i.value()]; }
  [[nodiscard]] std::size_t num_topics() const noexcept { return topics_.size(); }
  /// Returns the judged docnos it was made for, which must outlive it; judgements are numbered as
  /// there.
  [[nodiscard]] const JudgedDocnos& judged() const noexcept { return *judged_; }
  [[nodiscard]] std::uint32_t judgements_version() const noexcept { return judgements_version_; }
  /// Returns a number from 1, distinct for each index state that an adapter opened in this process.
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }
  [[nodiscard]] std::uint64_t collection_size() const noexcept { return collection_size_; }
  /// Returns the positions in `JudgedDocnos::keys()` that no document of the index carries,
  /// ascending.
  [[nodiscard]] std::span<const std::uint32_t> missing_keys() const noexcept { return missing_; }
  [[nodiscard]] std::span<const Resolution> resolutions() const noexcept { return resolutions_; }

 private:
  void tabulate(const JudgedDocnos& judged);

  const JudgedDocnos* judged_;
  std::vector<Topic> topics_;
  std::uint64_t generation_;
  std::uint64_t collection_size_;
  std::uint32_t judgements_version_;
  std::vector<Entry> entries_;          // by topic
  std::vector<std::uint64_t> filters_;  // likewise
  std::vector<Resolution> resolutions_;
  std::vector<std::uint32_t> missing_;
};

}  // namespace prescope
