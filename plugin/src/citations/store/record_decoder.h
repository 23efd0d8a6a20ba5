#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace prescope {

// Records of documents as segments have them. Texts are numbers there, of the dictionaries that all
// segments of a store share.

inline constexpr std::uint32_t kNoSeries = UINT32_MAX;

/// Numbers of a link. The order of links in a record.
struct LinkIds {
  std::uint32_t series = 0;
  std::uint64_t number = 0;
  std::uint32_t attributes = 0;
  std::uint32_t date = 0;  ///< see date_code

  friend auto operator<=>(const LinkIds&, const LinkIds&) = default;
};

/// Numbers of a publication's facts; 0 stands for the empty word, and for dates that are not known.
struct FactIds {
  std::uint32_t kind = 0, language = 0, classes = 0;
  std::uint32_t published = 0, priority = 0;  ///< see date_code

  friend bool operator==(const FactIds&, const FactIds&) = default;
};

/// What many publications have in common, and which facts follow. Records have its number.
struct PublicationHead {
  enum Flags : std::uint32_t { kPublished = 1, kPriority = 2, kLinks = 4 };

  std::uint32_t kind = 0, language = 0, classes = 0, flags = 0;
  friend bool operator==(const PublicationHead&, const PublicationHead&) = default;
};

/// The commonest attributes of a segment's links: twice their number, plus 1 if a date follows.
inline constexpr std::size_t kShortCodes = 31;
using ShortCodes = std::array<std::uint32_t, kShortCodes>;
inline constexpr std::uint32_t kNoShortCode = UINT32_MAX;

/// Dates of 1880 to 2036 take two bytes, others six.
inline constexpr std::uint32_t kFirstShortDate = 1880U * 13 * 32, kLongDate = 0xFFFF;

/// Sizes of the dictionaries that records refer to, and words for messages about damage.
struct RecordTables {
  std::span<const PublicationHead> heads;
  std::uint32_t attributes = 0, series = 0;
  const std::string* name = nullptr;          ///< of the file
  const unsigned char* file_begin = nullptr;  ///< where its first byte is in memory
};

/// Reads the record of a document:
///
///     record      = publication+ control*
///     publication = head:varint [published:date] [priority:date]
///                   group*
///     group       = series:varint (2 * count + more groups):varint data{count}
///     data        = number less the one before, low byte first
///                   [attributes:varint, if code is 31] [date]
///     control     = 8 * code + bytes of the number - 1
///     date        = 2 bytes, or 0xFFFF and 4 bytes
///
/// The controls of all links are at the end of the record, the first link's last, so that a
/// processor can fetch both ends of the record at once.
/// Publications are in order of kind, links in order of LinkIds. Every function throws
/// Error(kBadInput) if the bytes are no record.
class RecordDecoder {
 public:
  RecordDecoder() noexcept {}  // NOLINT: unused decoders are not initialised
  /// At least 8 bytes behind the record must be readable.
  RecordDecoder(const RecordTables& tables, const ShortCodes& codes,
                std::span<const unsigned char> record) noexcept
      : tables_(&tables),
        codes_(codes.data()),
        data_(record.data()),
        control_(record.data() + record.size()),
        left_(0),
        more_groups_(false) {}

  /// Goes to the next publication, over links that were not read. Returns false at the end.
  bool next_publication();
  [[nodiscard]] const FactIds& facts() const noexcept { return facts_; }

  /// Goes to the publication's next link. Returns false if there is none.
  bool next_link() {
    if (left_ == 0 && !next_group()) return false;
    --left_;
    const unsigned control = *--control_;
    const std::size_t size = (control & 7U) + 1;
    if (size > room()) damaged();
    std::uint64_t word = 0;
    std::memcpy(&word, data_, sizeof word);
    data_ += size;
    link_.number += word & (~std::uint64_t{0} >> (64 - 8 * size));
    const unsigned code = control >> 3U;
    const std::uint32_t attributes = code < kShortCodes ? codes_[code] : take_attributes();
    link_.attributes = attributes >> 1U;
    if (link_.attributes >= tables_->attributes) damaged();
    link_.date = (attributes & 1U) != 0 ? take_date() : 0;
    return true;
  }
  [[nodiscard]] const LinkIds& link() const noexcept { return link_; }

 private:
  [[nodiscard]] std::size_t room() const noexcept {
    return static_cast<std::size_t>(control_ - data_);
  }
  bool next_group();
  std::uint64_t take_varint();
  std::uint32_t take_attributes();
  std::uint32_t take_date();
  [[noreturn]] void damaged() const;

  const RecordTables* tables_;
  const std::uint32_t* codes_;
  const unsigned char *data_, *control_;  // what is between them was not read
  std::uint64_t left_;
  bool more_groups_;
  LinkIds link_;
  FactIds facts_;
};

}  // namespace prescope
