#pragma once

#include "prescope/key_slots.h"
#include "prescope/qrels.h"
#include "prescope/types.h"

#pragma GCC visibility push(default)
namespace prescope {

/// One version of an experiment's judgements, and the keys of the documents that they are about,
/// which an adapter looks up in its index. Immutable; readers on any thread.
///
/// Versions number their keys alike: a key keeps its number, also if its document is withdrawn, and
/// a new one gets the next. A version shares with the one before what has not changed.
class JudgedDocnos {
 public:
  /// The first version. Its keys are numbered in ascending order, bytewise.
  explicit JudgedDocnos(Qrels qrels);
  /// The version after `before`. If its qrels are made from those of `before`: O(topics / 64 +
  /// judgements of the changed topics).
  JudgedDocnos(Qrels qrels, const JudgedDocnos& before);

  [[nodiscard]] const Qrels& qrels() const noexcept { return qrels_; }
  /// Returns the number of versions before this one.
  [[nodiscard]] std::uint32_t version() const noexcept { return version_; }

  /// Returns the number of documents that are judged in this version or were in an earlier one.
  [[nodiscard]] std::uint32_t num_keys() const noexcept;
  /// Returns key `i` of [0, num_keys()); different numbers have different keys.
  [[nodiscard]] const std::string& key(std::uint32_t i) const noexcept;
  /// Returns the number of a key, or `kNotJudged`. No allocation; O(log(keys added later)).
  [[nodiscard]] std::uint32_t find(std::string_view key) const noexcept;
  static constexpr std::uint32_t kNotJudged = KeySlots::kNone;
  /// Returns the rule by which an index's docnos become keys.
  [[nodiscard]] const DocnoNormalizer& docnos() const noexcept { return qrels_.docnos(); }

 private:
  struct [[gnu::visibility("hidden")]] Part;  // keys with consecutive numbers
  void add_keys(const Qrels& known);

  Qrels qrels_;
  std::uint32_t version_ = 0;
  std::vector<std::shared_ptr<const Part>> parts_;  // each smaller than the one before
};

/// A judged key found in an index at a docid. A key may be found at several docids.
struct Resolution {
  std::uint32_t key = 0;  ///< its number in JudgedDocnos
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

  /// Takes `resolutions` in any order; repeats are ignored, and so are documents that are no longer
  /// judged. `collection_size` is the number of live documents of the index. O(judgements log
  /// judgements).
  ResolvedQrels(const JudgedDocnos& judged, std::vector<Resolution> resolutions,
                std::uint64_t generation, std::uint64_t collection_size);
  ResolvedQrels(const ResolvedQrels&) = delete;  // topics refer into this object
  ResolvedQrels& operator=(const ResolvedQrels&) = delete;

  [[nodiscard]] const Topic& topic(TopicIndex i) const noexcept { return topics_[i.value()]; }
  [[nodiscard]] std::size_t num_topics() const noexcept { return topics_.size(); }
  /// Returns the judged docnos it was made for, which must outlive it; judgements are numbered as
  /// there.
  [[nodiscard]] const JudgedDocnos& judged() const noexcept { return *judged_; }
  /// Returns a number from 1, distinct for each index state that an adapter opened in this process.
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }
  [[nodiscard]] std::uint64_t collection_size() const noexcept { return collection_size_; }
  /// Returns the keys of judged documents that the index does not have, ascending by number.
  [[nodiscard]] std::span<const std::uint32_t> missing_keys() const noexcept { return missing_; }
  /// Returns the number of relevant judgements whose document the index does not have.
  [[nodiscard]] std::uint64_t relevant_missing() const noexcept { return relevant_missing_; }
  /// Returns what was resolved, ascending, each once; also documents that are no longer judged.
  [[nodiscard]] std::span<const Resolution> resolutions() const noexcept { return resolutions_; }

 private:
  void match_topics();
  void index_topics(std::span<const std::size_t> ends);

  const JudgedDocnos* judged_;
  std::vector<Topic> topics_;
  std::uint64_t generation_;
  std::uint64_t collection_size_;
  std::uint64_t relevant_missing_ = 0;
  std::vector<Entry> entries_;          // by topic
  std::vector<std::uint64_t> filters_;  // likewise
  std::vector<Resolution> resolutions_;
  std::vector<std::uint32_t> missing_;
};

}  // namespace prescope
#pragma GCC visibility pop
