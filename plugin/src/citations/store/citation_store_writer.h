#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "citations/store/document_record.h"

namespace prescope {

struct CitationStoreOptions {
  /// Bytes of records in memory before they are sorted into a temporary file; at least 1 MB.
  /// Dictionaries come on top.
  std::size_t memory_bytes = std::size_t{1} << 30U;
};

/// Adds to a citation store, or makes one. Readers see additions after `commit`. At most one
/// writer of a store exists at a time, on this machine. Temporary files have no name where the file
/// system can do so, and end with the process.
class CitationStoreWriter {
  class Work;

 public:
  /// Records of one thread on their way to the writer, so that threads seldom wait for each other.
  /// Must not outlive the writer. The destructor drops what was not handed over.
  class Batch {
   public:
    explicit Batch(CitationStoreWriter& writer);
    ~Batch();
    Batch(Batch&&) noexcept;
    Batch& operator=(Batch&&) noexcept = delete;

    /// Adds links and facts to the publication with the kind in `facts`. The views need to be valid
    /// during the call only. A publication may be added to any number of times. Of links that are
    /// equal in all one is kept; of facts the known ones, and if two of one commit differ, the one
    /// that is greater. Throws Error(kIo) if the disk is full.
    void add(const KeyParts& document, const PublicationFacts& facts, std::span<const Link> links);
    void add(std::string_view document, const PublicationFacts& facts,
             std::span<const Link> links) {
      add(KeyParts::of(document), facts, links);
    }
    /// Gives everything added so far to the writer.
    void hand_over();

   private:
    friend class Work;
    struct Content;

    CitationStoreWriter* writer_;
    std::unique_ptr<Content> content_;
  };

  /// Opens the store, or makes an empty one if there is no file, and removes what a killed writer
  /// may have left. Throws Error(kIo) if another writer has it, or it cannot be written;
  /// Error(kBadInput) if the file is no citation store or is damaged.
  explicit CitationStoreWriter(std::filesystem::path path, CitationStoreOptions options = {});
  /// Drops what was not committed. An empty store that this writer made is removed.
  ~CitationStoreWriter();
  CitationStoreWriter(const CitationStoreWriter&) = delete;
  CitationStoreWriter& operator=(const CitationStoreWriter&) = delete;

  /// Makes all that was handed over the newest state of the store, with `files` added to the list
  /// of imported files: all of it or, after a crash at any moment, nothing. Appends a segment, or
  /// rewrites the store if it would have too many of them or most of it is new. All batches must be
  /// handed over, and none may be in use. Throws Error(kIo), after which the store is unchanged and
  /// the writer must not be used.
  void commit(std::span<const ImportedFile> files = {});

  /// Rewrites the store as one segment, without the room that older states take.
  void compact();

  /// Returns the imported files of the newest state, so that an import can skip them.
  [[nodiscard]] std::vector<ImportedFile> files() const;

 private:
  std::unique_ptr<Work> work_;
};

}  // namespace prescope
