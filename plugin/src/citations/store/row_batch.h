#pragma once

#include <vector>

#include "citations/store/document_merge.h"

namespace prescope {

/// A link in memory, with the publication that has it.
struct LinkRow {
  std::uint64_t document, number;
  std::uint32_t document_series, kind, series, attributes, date;
};

/// Facts of a publication in memory.
struct FactRow {
  std::uint64_t document;
  std::uint32_t document_series;
  FactIds facts;
};

/// Rows of one thread, in any order.
struct RowBatch {
  std::vector<LinkRow> links{};
  std::vector<FactRow> facts{};

  [[nodiscard]] std::size_t bytes() const noexcept {
    return links.capacity() * sizeof(LinkRow) + facts.capacity() * sizeof(FactRow);
  }
  void sort();
};

/// The documents of a sorted batch, which it frees at its end.
class RowSource : public DocumentSource {
 public:
  /// `order` must outlive it.
  RowSource(RowBatch batch, const FactOrder& order) : batch_(std::move(batch)), order_(&order) {}

  bool next() override;
  void read(PackedDocument& document) override;

 private:
  RowBatch batch_;
  const FactOrder* order_;
  std::size_t link_ = 0, fact_ = 0;            // the first ones of the current document
  std::size_t next_link_ = 0, next_fact_ = 0;  // of the next one
};

}  // namespace prescope
