#pragma once

#include "citations/document/citing_document.h"
#include "citations/store/key_parts.h"

namespace prescope {

enum class LinkRole : std::uint8_t {
  kCites,     ///< the document cites the linked one
  kFamily,    ///< between a document and its family
  kReported,  ///< the document cites the linked one, as the file of the linked one says
};
inline constexpr std::size_t kLinkRoles = 3;

/// What links of one sort have in common. Texts are empty if they are not known.
struct LinkAttributes {
  std::string_view kind{};        ///< kind code of the linked publication
  std::string_view categories{};  ///< "X,Y"; the grade, if the link is from a file of judgements
  std::string_view source{};      ///< "examiner"
  std::string_view phase{};       ///< "search"
  LinkRole role = LinkRole::kCites;

  friend bool operator==(const LinkAttributes&, const LinkAttributes&) = default;
};

/// A link from a publication to a document.
struct Link {
  KeyParts document{};
  LinkAttributes attributes{};
  PartialDate date{};  ///< of the linked publication
};

/// The facts of one publication of a document. Texts are empty if they are not known. A date is
/// kept if its month is at most 12, its day at most 31 and its year at most 40,000; other dates are
/// not known.
struct PublicationFacts {
  std::string_view kind{};  ///< kind code, which tells a document's publications apart
  PartialDate published{}, priority{};
  std::string_view language{};
  std::string_view classes{};  ///< letters of IPC sections, "BG"

  friend bool operator==(const PublicationFacts&, const PublicationFacts&) = default;
};

/// A file that was imported into a store.
struct ImportedFile {
  std::string name{};
  std::uint64_t size = 0, hash = 0;

  friend bool operator==(const ImportedFile&, const ImportedFile&) = default;
};

/// How much a store holds. What several imports said alike counts once.
struct StoreCounts {
  std::uint64_t documents = 0;     ///< with a record of their own; linked ones may have none
  std::uint64_t publications = 0;  ///< of those documents
  std::uint64_t links[kLinkRoles] = {};

  [[nodiscard]] std::uint64_t links_of(LinkRole role) const noexcept {
    return links[static_cast<std::size_t>(role)];
  }
  friend bool operator==(const StoreCounts&, const StoreCounts&) = default;
};

}  // namespace prescope
