#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "citations/store/packed_document.h"
#include "citations/store/segment.h"
#include "citations/store/store_state.h"

namespace prescope {

/// Documents in rising order of (series, number).
class DocumentSource {
 public:
  DocumentSource() = default;
  virtual ~DocumentSource() = default;
  DocumentSource(const DocumentSource&) = delete;
  DocumentSource& operator=(const DocumentSource&) = delete;

  /// Goes to the next document. Returns false at the end.
  virtual bool next() = 0;
  /// Gives the content of the current document. Call it once.
  virtual void read(PackedDocument& document) = 0;

  std::uint32_t series = 0;
  std::uint64_t number = 0;
};

/// The documents of a segment. The segment and the tables must outlive it.
class SegmentSource : public DocumentSource {
 public:
  SegmentSource(const Segment& segment, const RecordTables& tables)
      : segment_(&segment), tables_(&tables) {}

  bool next() override;
  void read(PackedDocument& document) override;

 private:
  const Segment* segment_;
  const RecordTables* tables_;
  std::uint64_t next_series_ = 0;
  std::optional<SeriesCursor> cursor_;
};

/// The order of facts' texts, for sources of one commit that contradict each other: the greater
/// fact counts, so that the outcome does not depend on the order in which threads read files.
struct FactOrder {
  std::function<bool(std::uint32_t, std::uint32_t)> word_less{};
};

/// Adds what `newer` says to the facts of the same publication, as `unite`.
void unite_facts(FactIds& facts, const FactIds& newer, const FactOrder* order);

/// Adds what `newer` says to `document`, the same one. Known facts of `newer` count; if `order` is
/// not null, the greater of two known facts does.
void unite(PackedDocument& document, const PackedDocument& newer, const FactOrder* order);

/// Merges sources: documents that several have are united.
class DocumentMerger {
 public:
  /// `is_new`: the source belongs to the commit, so that `order` decides about facts. Other sources
  /// must come before those, the oldest first.
  void add(std::unique_ptr<DocumentSource> source, bool is_new);
  /// `order` must outlive the merger.
  explicit DocumentMerger(const FactOrder& order) : order_(&order) {}

  /// Gives the next document. Returns false at the end.
  bool next(PackedDocument& document);

 private:
  struct Entry {
    std::unique_ptr<DocumentSource> source;
    bool is_new;
  };
  [[nodiscard]] bool is_later(std::size_t a, std::size_t b) const noexcept;
  void unite_new(PackedDocument& document, const PackedDocument& added, bool is_new);

  const FactOrder* order_;
  std::vector<Entry> sources_;
  std::vector<std::size_t> heap_;
  PackedDocument other_, new_;
};

/// Counts and hashes documents. Sums are of unsigned numbers, so that a document can be taken out
/// again.
class DocumentTally {
 public:
  /// Begins with these. `hashes` must outlive the tally.
  DocumentTally(const DictionaryHashes& hashes, const StoreCounts& counts,
                std::uint64_t content_hash)
      : counts_(counts), content_hash_(content_hash), hashes_(&hashes) {}

  void add(const PackedDocument& document) noexcept { add(document, 1); }
  void remove(const PackedDocument& document) noexcept { add(document, ~std::uint64_t{0}); }
  [[nodiscard]] const StoreCounts& counts() const noexcept { return counts_; }
  [[nodiscard]] std::uint64_t content_hash() const noexcept { return content_hash_; }

 private:
  void add(const PackedDocument& document, std::uint64_t times) noexcept;
  [[nodiscard]] std::uint64_t hash_of(const FactIds& facts) const noexcept;

  StoreCounts counts_;
  std::uint64_t content_hash_;
  const DictionaryHashes* hashes_;
};

}  // namespace prescope
