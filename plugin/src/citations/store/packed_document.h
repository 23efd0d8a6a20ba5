#pragma once

#include <bit>
#include <string>
#include <unordered_map>
#include <vector>

#include "citations/store/record_decoder.h"
#include "citations/store/store_bytes.h"

namespace prescope {

/// A document with numbers of dictionaries in place of texts.
struct PackedDocument {
  struct Publication {
    FactIds facts{};
    std::size_t end = 0;  ///< of its links in `links`
  };

  std::uint32_t series = 0;
  std::uint64_t number = 0;
  std::vector<Publication> publications{};  ///< in order of kind, each kind once
  std::vector<LinkIds> links{};             ///< of each publication in order, each once

  void clear() noexcept {
    publications.clear();
    links.clear();
  }
  [[nodiscard]] std::span<const LinkIds> links_of(std::size_t publication) const noexcept {
    const std::size_t begin = publication == 0 ? 0 : publications[publication - 1].end;
    return std::span(links).subspan(begin, publications[publication].end - begin);
  }
  /// Reads the publications of a record behind those that are there.
  void append(RecordDecoder& record) {
    while (record.next_publication()) {
      publications.push_back({.facts = record.facts()});
      while (record.next_link()) links.push_back(record.link());
      publications.back().end = links.size();
    }
  }
};

/// Numbers heads of publications, in the order of their first use.
class HeadTable {
 public:
  HeadTable() = default;
  explicit HeadTable(std::span<const PublicationHead> heads) {
    for (const PublicationHead& head : heads) (void)number_of(head);
  }

  [[nodiscard]] std::uint32_t number_of(const PublicationHead& head);
  [[nodiscard]] std::span<const PublicationHead> heads() const noexcept { return heads_; }

 private:
  struct Hash {
    std::size_t operator()(const PublicationHead& head) const noexcept {
      return mixed(std::uint64_t{head.kind} << 32U | head.language,
                   std::uint64_t{head.classes} << 32U | head.flags);
    }
  };

  std::vector<PublicationHead> heads_;
  std::unordered_map<PublicationHead, std::uint32_t, Hash> numbers_;
};

/// Writes records, as RecordDecoder reads them.
class RecordEncoder {
 public:
  /// `uses[2 * attributes + 1 if dated]`: how often links have these attributes; the commonest get
  /// short codes.
  RecordEncoder(HeadTable& heads, std::span<const std::uint64_t> uses);

  void append(const PackedDocument& document, std::string& record);
  [[nodiscard]] const ShortCodes& short_codes() const noexcept { return short_codes_; }

 private:
  void append_facts(const FactIds& facts, bool has_links, std::string& record);
  void append_group(std::span<const LinkIds> links, bool more_follow, std::string& record);

  HeadTable* heads_;
  std::string controls_;  // of the record
  ShortCodes short_codes_{};
  std::vector<std::uint8_t> codes_;
};

}  // namespace prescope
