#include "citations/store/citation_store.h"

#include <fcntl.h>
#include <algorithm>
#include <cerrno>
#include <numeric>

#include "citations/store/date_code.h"
#include "citations/store/document_merge.h"
#include "citations/store/store_state.h"

namespace prescope {
namespace {

Bytes bytes_of_part(const RecordParts::Part& part) noexcept { return {part.begin, part.size}; }

void add_part(RecordParts& parts, std::size_t segment, Bytes record) noexcept {
  parts.parts[parts.count++] = {.begin = record.data(),
                                .size = static_cast<std::uint32_t>(record.size()),
                                .segment = static_cast<std::uint32_t>(segment)};
}

/// Returns the numbers of all series in the order of their texts.
std::vector<std::uint32_t> series_in_order(const StoreState& state) {
  std::vector<std::uint32_t> order(state.series().size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(
      order, [&](std::uint32_t a, std::uint32_t b) { return state.series(a) < state.series(b); });
  return order;
}

/// Calls `take` for each document of a series, merged over segments.
void for_each_of_series(const StoreState& state, std::uint32_t series,
                        const std::function<void(const StoredDocument&)>& take) {
  struct Source {
    std::size_t segment;
    SeriesCursor cursor;
  };
  std::vector<Source> sources;
  for (std::size_t i = 0; i < state.segments().size(); ++i) {
    const Segment& segment = state.segments()[i];
    const auto entry = segment.find_series(series);
    if (!entry) continue;
    Source source{i, {segment, *entry}};
    if (source.cursor.next()) sources.push_back(source);
  }
  KeyParts key = sources.empty() ? KeyParts{} : state.series(series);
  while (!sources.empty()) {
    key.number = UINT64_MAX;
    for (const Source& source : sources) key.number = std::min(key.number, source.cursor.number());
    StoredDocument document(state, key);
    for (Source& source : sources) {
      if (source.cursor.number() != key.number) continue;
      add_part(document.parts(), source.segment, source.cursor.record());
    }
    take(document);
    std::erase_if(sources, [&key](Source& source) {
      return source.cursor.number() == key.number && !source.cursor.next();
    });
  }
}

PublicationFacts resolved(const StoreState& state, const FactIds& facts) {
  return {.kind = state.word(facts.kind),
          .published = date_of_code(facts.published),
          .priority = date_of_code(facts.priority),
          .language = state.word(facts.language),
          .classes = state.word(facts.classes)};
}

}  // namespace

LinkCursor::LinkCursor(const StoreState& state, const RecordParts& parts)
    : state_(&state), attributes_(state.attributes().data()), count_(parts.count) {
  for (std::size_t i = 0; i < count_; ++i) {
    const RecordParts::Part& part = parts.parts[i];
    decoder(i) = state.decoder(part.segment, bytes_of_part(part));
    if (count_ > 1) at_[i] = decoder(i).next_publication() ? At::kPublication : At::kEnd;
  }
  if (count_ > 1) enter_publication();
}

bool LinkCursor::next_publication() {
  if (!first_.next_publication()) return false;
  link_.publication = state_->word(first_.facts().kind);
  return true;
}

void LinkCursor::change_series(std::uint32_t series) {
  link_.document = state_->series(series);
  series_ = series;
}

void LinkCursor::change_date(std::uint32_t date) {
  link_.date = date_of_code(date);
  date_ = date;
}

/// Goes to the first link of the first publication that any part has left. Returns false if there
/// is none.
bool LinkCursor::enter_publication() {
  bool is_there = false;
  for (std::size_t i = 0; i < count_; ++i) {
    if (at_[i] != At::kPublication) continue;
    const std::uint32_t kind = decoder(i).facts().kind;
    if (!is_there || kind < kind_) kind_ = kind;
    is_there = true;
  }
  if (!is_there) return false;
  link_.publication = state_->word(kind_);
  for (std::size_t i = 0; i < count_; ++i) {
    if (at_[i] == At::kPublication && decoder(i).facts().kind == kind_) advance(i);
  }
  return true;
}

/// Goes to the next link of a part's publication, else to its next publication.
void LinkCursor::advance(std::size_t part) {
  RecordDecoder& record = decoder(part);
  if (record.next_link()) {
    at_[part] = At::kLink;
  } else {
    at_[part] = record.next_publication() ? At::kPublication : At::kEnd;
  }
}

const StoredLink* LinkCursor::next_merged() {
  while (true) {
    const LinkIds* least = nullptr;
    for (std::size_t i = 0; i < count_; ++i) {
      if (at_[i] != At::kLink) continue;
      if (least == nullptr || decoder(i).link() < *least) least = &decoder(i).link();
    }
    if (least != nullptr) {
      const LinkIds link = *least;
      for (std::size_t i = 0; i < count_; ++i) {
        if (at_[i] == At::kLink && decoder(i).link() == link) advance(i);
      }
      return &resolve(link);
    }
    if (!enter_publication()) return nullptr;
  }
}

void StoredDocument::for_each_publication(
    const std::function<void(const PublicationFacts&)>& take) const {
  PackedDocument all;
  for (std::size_t i = 0; i < parts_.count; ++i) {
    const RecordParts::Part& part = parts_.parts[i];
    RecordDecoder record = state_->decoder(part.segment, bytes_of_part(part));
    PackedDocument one;
    while (record.next_publication()) one.publications.push_back({.facts = record.facts()});
    unite(all, one, nullptr);
  }
  for (const auto& publication : all.publications) take(resolved(*state_, publication.facts));
}

CitationStore::CitationStore(std::unique_ptr<const StoreState> state) : state_(std::move(state)) {}
CitationStore::CitationStore(CitationStore&&) noexcept = default;
CitationStore& CitationStore::operator=(CitationStore&&) noexcept = default;
CitationStore::~CitationStore() = default;

CitationStore CitationStore::open(const std::filesystem::path& path) {
  const StoreFile file(path, O_RDONLY);
  if (!file.is_open()) {
    throw io_error("{}: cannot be opened: {}", path.string(),
                   std::generic_category().message(errno));
  }
  const NewestSlot newest = newest_slot(file);
  if (newest.has_damaged_other) {
    throw bad_input_error(
        "{}: one of its two headers is damaged, and the newest state may be missing; import the "
        "last files again, which mends it",
        path.string());
  }
  return CitationStore(std::make_unique<const StoreState>(file, newest.slot));
}

std::optional<StoredDocument> CitationStore::find(const KeyParts& key) const {
  const auto series = state_->find_series(key);
  if (!series) return std::nullopt;
  std::optional<StoredDocument> document;
  const std::vector<Segment>& segments = state_->segments();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto record = segments[i].find(*series, key.number);
    if (!record) continue;
    if (!document) document.emplace(*state_, key);
    add_part(document->parts(), i, *record);
  }
  return document;
}

void CitationStore::for_each_document(
    const std::function<void(const StoredDocument&)>& take) const {
  for (const std::uint32_t series : series_in_order(*state_)) {
    for_each_of_series(*state_, series, take);
  }
}

const StoreCounts& CitationStore::counts() const noexcept { return state_->counts(); }
std::uint64_t CitationStore::content_hash() const noexcept { return state_->content_hash(); }
std::uint32_t CitationStore::format_version() const noexcept { return state_->slot().version; }
std::uint64_t CitationStore::sequence() const noexcept { return state_->slot().sequence; }
std::size_t CitationStore::segments() const noexcept { return state_->segments().size(); }
std::vector<ImportedFile> CitationStore::files() const { return state_->files(); }
std::uint64_t CitationStore::file_size() const noexcept { return state_->slot().file_size; }

void CitationStore::verify() const {
  const StoreDirectory directory = state_->directory();
  const DictionaryHashes hashes = directory.hashes();
  DocumentTally tally(hashes, {}, 0);
  const FactOrder order;
  DocumentMerger merger(order);
  for (std::size_t i = 0; i < state_->segments().size(); ++i) {
    const Segment& segment = state_->segments()[i];
    if (!segment.has_checksum()) {
      throw bad_input_error(
          "{}: segment {} at byte {} has a wrong checksum; import the files again into a new store",
          state_->name(), i + 1, segment.info().offset);
    }
    merger.add(std::make_unique<SegmentSource>(segment, state_->tables()), false);
  }
  PackedDocument document;
  while (merger.next(document)) tally.add(document);
  if (tally.counts() != counts() || tally.content_hash() != content_hash()) {
    throw bad_input_error(
        "{}: the counts or the content hash differ from the documents; import the files again into "
        "a new store",
        state_->name());
  }
}

}  // namespace prescope
