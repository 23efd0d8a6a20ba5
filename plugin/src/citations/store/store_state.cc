#include "citations/store/store_state.h"

#include <algorithm>
#include <bit>

namespace prescope {
namespace {

/// Appends a hash table of the series, open addressing with linear probing: number + 1 in each
/// slot, 0 in free ones.
void append_series_slots(const TextTable& series, const std::string& name, std::string& bytes) {
  const auto slots =
      static_cast<std::uint32_t>(std::bit_ceil(2 * std::uint64_t{series.size()} + 2));
  std::vector<std::uint32_t> table(slots);
  for (std::uint32_t i = 0; i < series.size(); ++i) {
    std::uint64_t slot = series_hash(read_series(bytes_of(series.text(i)), name));
    while (table[slot & (slots - 1)] != 0) ++slot;
    table[slot & (slots - 1)] = i + 1;
  }
  append_raw(bytes, slots);
  for (const std::uint32_t number : table) append_raw(bytes, number);
}

}  // namespace

std::string StoreDirectory::bytes() const {
  std::string bytes;
  append_raw(bytes, counts);
  append_raw(bytes, content_hash);
  StoredTexts::append(words, bytes);
  StoredTexts::append(series, bytes);
  StoredTexts::append(attributes, bytes);
  for (const std::uint64_t use : uses) append_raw(bytes, use);
  append_raw(bytes, static_cast<std::uint32_t>(heads.heads().size()));
  for (const PublicationHead& head : heads.heads()) append_raw(bytes, head);
  append_series_slots(series, "", bytes);
  append_raw(bytes, static_cast<std::uint32_t>(segments.size()));
  for (const SegmentInfo& segment : segments) append_raw(bytes, segment);
  append_varint(bytes, files.size());
  for (const ImportedFile& file : files) {
    append_varint(bytes, file.name.size());
    bytes += file.name;
    append_varint(bytes, file.size);
    append_raw(bytes, file.hash);
  }
  return bytes;
}

DictionaryHashes StoreDirectory::hashes() const {
  const std::string name;
  DictionaryHashes hashes;
  for (std::uint32_t i = 0; i < words.size(); ++i) hashes.words.push_back(key_hash(words.text(i)));
  for (std::uint32_t i = 0; i < series.size(); ++i) {
    hashes.series.push_back(series_hash(read_series(bytes_of(series.text(i)), name)));
  }
  for (std::uint32_t i = 0; i < attributes.size(); ++i) {
    const std::string_view entry = attributes.text(i);
    hashes.attributes.push_back(key_hash(entry));
    hashes.roles.push_back(read_attributes(bytes_of(entry), name).role);
  }
  return hashes;
}

StoreState::StoreState(const StoreFile& file, const HeaderSlot& slot)
    : name_(file.name()), slot_(slot) {
  const std::uint64_t size = file.size();
  if (slot.file_size > size) {
    throw bad_input_error(
        "{}: has {} bytes of at least {}: it was cut; import the files again into a new store",
        name_, size, slot.file_size);
  }
  if (slot.directory_offset > slot.file_size ||
      slot.directory_size > slot.file_size - slot.directory_offset) {
    ByteReader({}, name_).damaged();
  }
  map_ = MappedFile(file, slot.file_size);
  const Bytes directory = map_.bytes().subspan(slot.directory_offset, slot.directory_size);
  if (checksum_of(text_of(directory)) != slot.directory_checksum) {
    throw bad_input_error(
        "{}: the directory at byte {} has a wrong checksum; import the files again into a new "
        "store",
        name_, slot.directory_offset);
  }
  read_directory({directory, name_});
}

void StoreState::read_directory(ByteReader directory) {
  counts_ = directory.raw<StoreCounts>();
  content_hash_ = directory.raw<std::uint64_t>();
  words_ = StoredTexts(directory, name_);
  series_ = StoredTexts(directory, name_);
  attribute_texts_ = StoredTexts(directory, name_);
  const std::uint32_t attributes = attribute_texts_.size();
  if (attributes > UINT32_MAX / 2) directory.damaged();
  attributes_.reserve(attributes);
  for (std::uint32_t i = 0; i < attributes; ++i) {
    attributes_.push_back(read_attributes(attribute_texts_.entry(i), name_));
  }
  uses_ = directory.array(2 * std::uint64_t{attributes}, sizeof(std::uint64_t));
  read_heads(directory);
  const auto slots = directory.raw<std::uint32_t>();
  if (!std::has_single_bit(slots)) directory.damaged();
  series_slots_ = directory.array(slots, sizeof slots);
  tables_ = {.heads = heads_,
             .attributes = attributes,
             .series = series_.size(),
             .name = &name_,
             .file_begin = map_.bytes().data()};
  read_segments(directory);
  files_ = bytes_of(directory.rest());
}

void StoreState::read_heads(ByteReader& directory) {
  const auto count = directory.raw<std::uint32_t>();
  const Bytes heads = directory.array(count, sizeof(PublicationHead));
  heads_.resize(count);
  if (count != 0) std::memcpy(heads_.data(), heads.data(), heads.size());
  for (const PublicationHead& head : heads_) {
    if (std::max({head.kind, head.language, head.classes}) >= words_.size()) directory.damaged();
  }
}

void StoreState::read_segments(ByteReader& directory) {
  const auto count = directory.raw<std::uint32_t>();
  if (count > kMostSegments) directory.damaged();
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto info = directory.raw<SegmentInfo>();
    // Records are read 8 bytes at a time, so the directory must be behind all segments.
    if (info.offset > slot_.directory_offset || info.size > slot_.directory_offset - info.offset ||
        slot_.directory_size < 8) {
      directory.damaged();
    }
    segments_.emplace_back(info, map_.bytes().data(), name_);
  }
}

std::optional<std::uint32_t> StoreState::find_series(const KeyParts& key) const {
  const std::size_t slots = series_slots_.size() / sizeof(std::uint32_t);
  std::uint64_t slot = series_hash(key);
  for (std::size_t probe = 0; probe < slots; ++probe, ++slot) {
    const auto number = load<std::uint32_t>(series_slots_.data() + (slot & (slots - 1)) * 4);
    if (number == 0 || number > series_.size()) break;
    const KeyParts found = series(number - 1);
    if (found.prefix == key.prefix && found.suffix == key.suffix &&
        found.has_number == key.has_number) {
      return number - 1;
    }
  }
  return std::nullopt;
}

std::vector<ImportedFile> StoreState::files() const {
  ByteReader reader(files_, name_);
  std::vector<ImportedFile> files;
  for (std::uint64_t left = reader.varint(); left > 0; --left) {
    ImportedFile& file = files.emplace_back();
    file.name = reader.text(reader.varint());
    file.size = reader.varint();
    file.hash = reader.raw<std::uint64_t>();
  }
  return files;
}

StoreDirectory StoreState::directory() const {
  StoreDirectory directory{.counts = counts_, .content_hash = content_hash_};
  const auto copy = [this](const StoredTexts& from, TextTable& to) {
    for (std::uint32_t i = 0; i < from.size(); ++i) {
      if (to.number_of(text_of(from.entry(i))) != i) ByteReader({}, name_).damaged();
    }
  };
  copy(words_, directory.words);
  copy(series_, directory.series);
  copy(attribute_texts_, directory.attributes);
  directory.uses.resize(uses_.size() / sizeof(std::uint64_t));
  if (!uses_.empty()) std::memcpy(directory.uses.data(), uses_.data(), uses_.size());
  directory.heads = HeadTable(heads_);
  if (directory.heads.heads().size() != heads_.size()) ByteReader({}, name_).damaged();
  for (const Segment& segment : segments_) directory.segments.push_back(segment.info());
  directory.files = files();
  return directory;
}

}  // namespace prescope
