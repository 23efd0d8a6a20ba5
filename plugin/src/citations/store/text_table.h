#pragma once

#include <vector>

#include "citations/store/document_record.h"
#include "citations/store/store_bytes.h"
#include "prescope/key_slots.h"

namespace prescope {

// Entries of dictionaries as bytes.

/// Replaces `entry` by the bytes of a series, which are the parts of a key but its number.
void write_series(const KeyParts& key, std::string& entry);
/// Throws Error(kBadInput) if the bytes are no series.
[[nodiscard]] KeyParts read_series(Bytes entry, const std::string& name);
[[nodiscard]] inline std::uint64_t series_hash(const KeyParts& key) noexcept {
  const std::uint64_t hash = key_hash(key.prefix) + (key.has_number ? 1 : 0);
  return key.suffix.empty() ? hash : mixed(hash, key_hash(key.suffix));
}

void write_attributes(const LinkAttributes& attributes, std::string& entry);
[[nodiscard]] LinkAttributes read_attributes(Bytes entry, const std::string& name);

/// A dictionary that grows: numbers texts in the order in which they are first seen.
class TextTable {
 public:
  /// Returns the number of the text, a new one if it has none.
  [[nodiscard]] std::uint32_t number_of(std::string_view text);
  [[nodiscard]] std::string_view text(std::uint32_t number) const noexcept {
    return std::string_view(bytes_).substr(ends_[number], ends_[number + 1] - ends_[number]);
  }
  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(ends_.size() - 1);
  }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_.size(); }

 private:
  std::string bytes_;
  std::vector<std::uint64_t> ends_{0};  // text i ends where i + 1 says
  KeySlots slots_;
};

/// A dictionary in the directory of a store. Its content is not trusted.
class StoredTexts {
 public:
  StoredTexts() = default;
  /// Takes the dictionary from the front of the directory.
  StoredTexts(ByteReader& directory, const std::string& name);
  static void append(const TextTable& table, std::string& directory);

  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  /// `number` < size().
  [[nodiscard]] Bytes entry(std::uint32_t number) const;

 private:
  std::uint32_t size_ = 0;
  Bytes ends_{}, bytes_{};
  const std::string* name_ = nullptr;
};

}  // namespace prescope
