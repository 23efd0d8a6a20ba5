#include "citations/store/document_merge.h"

#include <algorithm>
#include <tuple>

namespace prescope {
namespace {

/// Returns the fact that counts. `less` tells which of two known ones is the smaller, or is null.
template <class Less>
std::uint32_t united(std::uint32_t known, std::uint32_t newer, const Less& less) {
  if (newer == 0 || newer == known) return known;
  return known == 0 || !less(newer, known) ? newer : known;
}

bool has_other(std::size_t at, const PackedDocument& document) noexcept {
  return at < document.publications.size();
}

}  // namespace

void unite_facts(FactIds& facts, const FactIds& newer, const FactOrder* order) {
  const auto date_less = [order](std::uint32_t a, std::uint32_t b) {
    return order != nullptr && a < b;
  };
  const auto word_less = [order](std::uint32_t a, std::uint32_t b) {
    return order != nullptr && order->word_less(a, b);
  };
  facts.published = united(facts.published, newer.published, date_less);
  // The earliest priority is the one that matters, whoever says it.
  if (facts.priority == 0 || (newer.priority != 0 && newer.priority < facts.priority)) {
    facts.priority = newer.priority;
  }
  facts.language = united(facts.language, newer.language, word_less);
  facts.classes = united(facts.classes, newer.classes, word_less);
}

bool SegmentSource::next() {
  while (!cursor_ || !cursor_->next()) {
    if (next_series_ == segment_->info().series) return false;
    const SeriesEntry entry = segment_->series_entry(next_series_);
    if (entry.series >= tables_->series || (cursor_ && entry.series <= series)) {
      segment_->damaged();
    }
    series = entry.series;
    cursor_.emplace(*segment_, entry);
    ++next_series_;
  }
  number = cursor_->number();
  return true;
}

void SegmentSource::read(PackedDocument& document) {
  document.clear();
  document.series = series;
  document.number = number;
  RecordDecoder record(*tables_, segment_->info().short_codes, cursor_->record());
  document.append(record);
}

void unite(PackedDocument& document, const PackedDocument& newer, const FactOrder* order) {
  PackedDocument both{.series = document.series, .number = document.number};
  both.links.reserve(document.links.size() + newer.links.size());
  std::size_t a = 0, b = 0;
  while (has_other(a, document) || has_other(b, newer)) {
    const bool takes_a = has_other(a, document) &&
                         (!has_other(b, newer) ||
                          document.publications[a].facts.kind <= newer.publications[b].facts.kind);
    const bool takes_b = has_other(b, newer) && (!takes_a || document.publications[a].facts.kind ==
                                                                 newer.publications[b].facts.kind);
    FactIds facts = takes_a ? document.publications[a].facts : newer.publications[b].facts;
    if (takes_a && takes_b) unite_facts(facts, newer.publications[b].facts, order);
    std::ranges::set_union(takes_a ? document.links_of(a) : std::span<const LinkIds>(),
                           takes_b ? newer.links_of(b) : std::span<const LinkIds>(),
                           std::back_inserter(both.links));
    both.publications.push_back({.facts = facts, .end = both.links.size()});
    a += takes_a ? 1 : 0;
    b += takes_b ? 1 : 0;
  }
  document = std::move(both);
}

bool DocumentMerger::is_later(std::size_t a, std::size_t b) const noexcept {
  const DocumentSource &x = *sources_[a].source, &y = *sources_[b].source;
  return std::tie(x.series, x.number, a) > std::tie(y.series, y.number, b);
}

void DocumentMerger::add(std::unique_ptr<DocumentSource> source, bool is_new) {
  if (!source->next()) return;
  sources_.push_back({std::move(source), is_new});
  heap_.push_back(sources_.size() - 1);
  std::ranges::push_heap(heap_, [this](std::size_t a, std::size_t b) { return is_later(a, b); });
}

bool DocumentMerger::next(PackedDocument& document) {
  if (heap_.empty()) return false;
  const auto later = [this](std::size_t a, std::size_t b) { return is_later(a, b); };
  const DocumentSource& first = *sources_[heap_.front()].source;
  const std::uint32_t series = first.series;
  const std::uint64_t number = first.number;
  // What the commit says about a document is united before it is put on top of what is known.
  bool has_old = false, has_new = false;
  while (!heap_.empty()) {
    Entry& entry = sources_[heap_.front()];
    DocumentSource& source = *entry.source;
    if (source.series != series || source.number != number) break;
    PackedDocument& into = entry.is_new ? new_ : document;
    bool& is_there = entry.is_new ? has_new : has_old;
    source.read(is_there ? other_ : into);
    if (is_there) unite(into, other_, entry.is_new ? order_ : nullptr);
    is_there = true;
    std::ranges::pop_heap(heap_, later);
    if (source.next()) {
      std::ranges::push_heap(heap_, later);
    } else {
      entry.source.reset();
      heap_.pop_back();
    }
  }
  if (!has_old) {
    std::swap(document, new_);
  } else if (has_new) {
    unite(document, new_, nullptr);
  }
  return true;
}

std::uint64_t DocumentTally::hash_of(const FactIds& facts) const noexcept {
  std::uint64_t hash = mixed(facts.published, facts.priority);
  hash = mixed(hash, hashes_->words[facts.language]);
  return mixed(hash, hashes_->words[facts.classes]);
}

void DocumentTally::add(const PackedDocument& document, std::uint64_t times) noexcept {
  const std::uint64_t name = mixed(hashes_->series[document.series], document.number);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < document.publications.size(); ++i) {
    const FactIds& facts = document.publications[i].facts;
    const std::uint64_t publication = mixed(name, hashes_->words[facts.kind]);
    sum += mixed(publication, hash_of(facts));
    for (const LinkIds& link : document.links_of(i)) {
      const std::uint64_t to = hashes_->series[link.series] ^ (link.number * 0x9e3779b97f4a7c15U);
      sum += mixed(mixed(publication, to), hashes_->attributes[link.attributes] + link.date);
      counts_.links[static_cast<std::size_t>(hashes_->roles[link.attributes])] += times;
    }
  }
  content_hash_ += times * sum;
  counts_.documents += times;
  counts_.publications += times * document.publications.size();
}

}  // namespace prescope
