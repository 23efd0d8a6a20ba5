#include "citations/store/row_batch.h"

#include <algorithm>
#include <tuple>

namespace prescope {
namespace {

auto order_of(const LinkRow& row) noexcept {
  return std::tie(row.document_series, row.document, row.kind, row.series, row.number,
                  row.attributes, row.date);
}
auto order_of(const FactRow& row) noexcept {
  return std::tie(row.document_series, row.document, row.facts.kind);
}

template <class Row>
void sort_rows(std::vector<Row>& rows) {
  const auto less = [](const Row& a, const Row& b) { return order_of(a) < order_of(b); };
  // Files are often in order already.
  if (!std::ranges::is_sorted(rows, less)) std::ranges::sort(rows, less);
}

}  // namespace

void RowBatch::sort() {
  sort_rows(links);
  sort_rows(facts);
}

bool RowSource::next() {
  link_ = next_link_;
  fact_ = next_fact_;
  const bool has_link = link_ < batch_.links.size(), has_fact = fact_ < batch_.facts.size();
  if (!has_link && !has_fact) return false;
  std::tuple first(kNoSeries, std::uint64_t{0});
  const auto name_of = [](const auto& row) {
    return std::tuple(row.document_series, row.document);
  };
  if (has_link) first = name_of(batch_.links[link_]);
  if (has_fact && (!has_link || name_of(batch_.facts[fact_]) < first)) {
    first = name_of(batch_.facts[fact_]);
  }
  const auto pass = [&](const auto& rows, std::size_t& at) {
    while (at < rows.size() && name_of(rows[at]) == first) ++at;
  };
  pass(batch_.links, next_link_);
  pass(batch_.facts, next_fact_);
  std::tie(series, number) = first;
  return true;
}

void RowSource::read(PackedDocument& document) {
  document.clear();
  document.series = series;
  document.number = number;
  std::size_t link = link_, fact = fact_;
  while (link < next_link_ || fact < next_fact_) {
    const bool has_fact = fact < next_fact_;
    std::uint32_t kind = has_fact ? batch_.facts[fact].facts.kind : batch_.links[link].kind;
    if (link < next_link_) kind = std::min(kind, batch_.links[link].kind);
    FactIds facts{.kind = kind};
    for (; fact < next_fact_ && batch_.facts[fact].facts.kind == kind; ++fact) {
      unite_facts(facts, batch_.facts[fact].facts, order_);
    }
    const std::size_t begin = document.links.size();
    for (; link < next_link_ && batch_.links[link].kind == kind; ++link) {
      const LinkRow& row = batch_.links[link];
      const LinkIds ids{row.series, row.number, row.attributes, row.date};
      if (document.links.size() == begin || document.links.back() != ids) {
        document.links.push_back(ids);
      }
    }
    document.publications.push_back({.facts = facts, .end = document.links.size()});
  }
}

}  // namespace prescope
