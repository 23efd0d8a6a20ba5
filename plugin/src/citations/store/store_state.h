#pragma once

#include <vector>

#include "citations/store/citation_store.h"
#include "citations/store/packed_document.h"
#include "citations/store/segment.h"
#include "citations/store/store_file.h"
#include "citations/store/text_table.h"

namespace prescope {

/// What the numbers of dictionaries stand for in a content hash, and the roles of attributes.
struct DictionaryHashes {
  std::vector<std::uint64_t> words{}, series{}, attributes{};
  std::vector<LinkRole> roles{};
};

/// The directory of a state, as a writer makes it:
///
///     directory = counts content_hash words series attributes uses heads slots segments files
///
/// Words are kind codes, languages and classes. Word 0 is the empty one.
struct StoreDirectory {
  StoreCounts counts{};
  std::uint64_t content_hash = 0;
  TextTable words{}, series{}, attributes{};
  /// About how many links have the attributes: [2 * attributes + 1 if dated].
  std::vector<std::uint64_t> uses{};
  HeadTable heads{};
  std::vector<SegmentInfo> segments{};
  std::vector<ImportedFile> files{};

  [[nodiscard]] std::string bytes() const;
  [[nodiscard]] DictionaryHashes hashes() const;
};

/// A state of a store in memory: the mapped file and its directory, with small dictionaries
/// resolved.
class StoreState {
 public:
  /// Maps the state whose slot this is. Throws Error(kBadInput) if its directory is damaged.
  StoreState(const StoreFile& file, const HeaderSlot& slot);
  StoreState(const StoreState&) = delete;
  StoreState& operator=(const StoreState&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const HeaderSlot& slot() const noexcept { return slot_; }
  [[nodiscard]] const StoreCounts& counts() const noexcept { return counts_; }
  [[nodiscard]] std::uint64_t content_hash() const noexcept { return content_hash_; }
  [[nodiscard]] std::vector<ImportedFile> files() const;
  /// Returns a copy that can grow.
  [[nodiscard]] StoreDirectory directory() const;

  [[nodiscard]] const std::vector<Segment>& segments() const noexcept { return segments_; }
  [[nodiscard]] const RecordTables& tables() const noexcept { return tables_; }
  [[nodiscard]] const std::vector<LinkAttributes>& attributes() const noexcept {
    return attributes_;
  }
  [[nodiscard]] std::string_view word(std::uint32_t number) const {
    return text_of(words_.entry(number));
  }
  [[nodiscard]] const StoredTexts& words() const noexcept { return words_; }
  [[nodiscard]] const StoredTexts& series() const noexcept { return series_; }
  /// Returns the series as a key with number 0.
  [[nodiscard]] KeyParts series(std::uint32_t number) const {
    return read_series(series_.entry(number), name_);
  }
  [[nodiscard]] std::optional<std::uint32_t> find_series(const KeyParts& key) const;
  [[nodiscard]] RecordDecoder decoder(std::size_t segment, Bytes record) const noexcept {
    return {tables_, segments_[segment].info().short_codes, record};
  }

 private:
  void read_directory(ByteReader directory);
  void read_heads(ByteReader& directory);
  void read_segments(ByteReader& directory);

  std::string name_;
  HeaderSlot slot_;
  MappedFile map_;
  StoreCounts counts_{};
  std::uint64_t content_hash_ = 0;
  StoredTexts words_, series_, attribute_texts_;
  Bytes uses_{}, series_slots_{};
  std::vector<LinkAttributes> attributes_;
  std::vector<PublicationHead> heads_;
  RecordTables tables_{};
  std::vector<Segment> segments_;
  Bytes files_{};
};

}  // namespace prescope
