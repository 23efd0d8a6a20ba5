#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "citations/store/document_record.h"
#include "citations/store/record_decoder.h"

namespace prescope {

class StoreState;

/// The most segments that a store may have. More are merged into one when they are written.
inline constexpr std::size_t kMostSegments = 8;

/// A link of a stored document. Views and the reference are valid as long as the store.
struct StoredLink {
  std::string_view publication{};  ///< kind code of the publication that has the link
  KeyParts document{};
  const LinkAttributes* attributes = nullptr;  ///< never null
  PartialDate date{};
};

/// What segments say about one document, oldest first: the bytes of a record in each.
struct RecordParts {
  struct Part {
    const unsigned char* begin = nullptr;
    std::uint32_t size = 0;
    std::uint32_t segment = 0;
  };
  std::array<Part, kMostSegments> parts{};
  std::size_t count = 0;
};

/// Gives the links of a document one by one, without allocation. Equal links of several segments
/// are given once. They are in order of publication, series and number within one cursor; the order
/// of publications and series is not the order of their texts.
class LinkCursor {
 public:
  LinkCursor(const StoreState& state, const RecordParts& parts);
  /// Returns the next link, valid until the next call; null at the end. Throws Error(kBadInput) if
  /// the record is damaged.
  [[nodiscard]] const StoredLink* next() {
    if (count_ != 1) return next_merged();
    while (!first_.next_link()) {
      if (!next_publication()) return nullptr;
    }
    return &resolve(first_.link());
  }

 private:
  const StoredLink& resolve(const LinkIds& link) {
    if (link.series != series_) change_series(link.series);
    link_.document.number = link.number;
    link_.attributes = attributes_ + link.attributes;
    if (link.date != date_) change_date(link.date);
    return link_;
  }
  bool next_publication();
  const StoredLink* next_merged();
  bool enter_publication();
  void advance(std::size_t part);
  void change_series(std::uint32_t series);
  void change_date(std::uint32_t date);

  const StoreState* state_;
  const LinkAttributes* attributes_;
  StoredLink link_;
  std::uint32_t series_ = UINT32_MAX, date_ = 0;
  std::size_t count_;
  RecordDecoder first_;
  // If there are several parts: decoders of the others, and where each stands.
  enum class At : std::uint8_t { kEnd, kPublication, kLink };
  std::array<RecordDecoder, kMostSegments> others_;  // of part i + 1; the unused ones are not set
  std::array<At, kMostSegments> at_{};
  std::uint32_t kind_ = 0;
  RecordDecoder& decoder(std::size_t part) { return part == 0 ? first_ : others_[part - 1]; }
};

/// One document of a store. Valid as long as the store; cheap to copy.
class StoredDocument {
 public:
  StoredDocument(const StoreState& state, const KeyParts& key) : state_(&state), key_(key) {}

  /// A document that was found has the key that it was looked up by, and views its text.
  [[nodiscard]] const KeyParts& key() const noexcept { return key_; }
  [[nodiscard]] LinkCursor links() const { return {*state_, parts_}; }
  /// Calls `take` with the facts of each publication. A newer fact hides an older one; a known fact
  /// is not hidden by an unknown one. Throws Error(kBadInput) if the record is damaged.
  void for_each_publication(const std::function<void(const PublicationFacts&)>& take) const;

  RecordParts& parts() noexcept { return parts_; }
  [[nodiscard]] const RecordParts& parts() const noexcept { return parts_; }

 private:
  const StoreState* state_;
  KeyParts key_;
  RecordParts parts_;
};

/// A citation store: one file, mapped into memory, in the state that it had when it was opened.
/// Others may write a newer state meanwhile; opening the path again gives that. Any number of
/// threads may call all functions. Nothing read from the file is trusted: a damaged or hostile file
/// gives an Error, or wrong content that `verify` refuses.
///
/// The file must not be cut or overwritten in place while it is open, as `cp` and `truncate` do:
/// the system then ends a process that reads the missing part (SIGBUS). A writer never does so.
class CitationStore {
 public:
  /// Maps the file, and checks its header and directory, in time that does not depend on the number
  /// of documents. Throws Error(kIo) if it cannot be read, Error(kBadInput) if it is no citation
  /// store, has another format version, or is damaged or cut.
  [[nodiscard]] static CitationStore open(const std::filesystem::path& path);
  CitationStore(CitationStore&&) noexcept;
  CitationStore& operator=(CitationStore&&) noexcept;
  ~CitationStore();

  /// Returns the document of this key; std::nullopt if the store has no record of it. No
  /// allocation. Throws Error(kBadInput) if it meets damage.
  [[nodiscard]] std::optional<StoredDocument> find(std::string_view key) const {
    return find(KeyParts::of(key));
  }
  [[nodiscard]] std::optional<StoredDocument> find(const KeyParts& key) const;

  /// Calls `take` with every document, in the order of KeyParts. Throws as `find`.
  void for_each_document(const std::function<void(const StoredDocument&)>& take) const;

  [[nodiscard]] const StoreCounts& counts() const noexcept;
  /// Returns a hash of all documents, facts and links. It does not depend on the order or number of
  /// imports, unless they contradict each other about facts.
  [[nodiscard]] std::uint64_t content_hash() const noexcept;
  [[nodiscard]] std::uint32_t format_version() const noexcept;
  /// Returns the number of the state, which rises with each commit.
  [[nodiscard]] std::uint64_t sequence() const noexcept;
  [[nodiscard]] std::size_t segments() const noexcept;
  /// Returns the imported files in the order of their import.
  [[nodiscard]] std::vector<ImportedFile> files() const;
  [[nodiscard]] std::uint64_t file_size() const noexcept;

  /// Reads everything: checksums, each record, order, counts and content hash. Throws
  /// Error(kBadInput) for the first thing that is wrong. Takes seconds for 100 million links.
  void verify() const;

  [[nodiscard]] const StoreState& state() const noexcept { return *state_; }

 private:
  explicit CitationStore(std::unique_ptr<const StoreState> state);

  std::unique_ptr<const StoreState> state_;
};

}  // namespace prescope
