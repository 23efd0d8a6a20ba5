#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "citations/citation_links.h"
#include "citations/formats/read_citations.h"

namespace prescope {

struct ImportOptions {
  unsigned threads = 2;  ///< files that are read at the same time
  ReadCitationsOptions read{};
  CitationStoreOptions store{};
  /// Called before the first file and after each, from any thread, one call at a time.
  std::function<void(std::uint64_t done, std::uint64_t all)> on_progress{};
};

/// What became of one file.
struct FileImport {
  enum class State {
    kImported,
    kKnown,    ///< the store has a file of this content
    kRefused,  ///< see `refusal`; documents before the place of the error are in the store
  };

  std::string path{};
  State state = State::kImported;
  FileFacts facts{};
  AddedCounts added{};
  std::string refusal{};
};

/// What an import did, by file, in the order in which they were given.
struct CitationImport {
  std::vector<FileImport> files{};

  [[nodiscard]] std::uint64_t count(FileImport::State state) const;
};

/// Returns the files, and those in folders and their folders, sorted by name within each folder.
/// Throws Error(kIo) if a path is missing.
[[nodiscard]] std::vector<std::string> files_in(const std::vector<std::string>& paths);

/// Adds files to a citation store, and makes the store if there is none. Files are committed every
/// few GB. A file with content that the store has is left out, so that an interrupted import can be
/// started again. A file that is refused does not stop the others.
/// Throws Error(kIo, kBadInput) if the store cannot be read or written.
[[nodiscard]] CitationImport import_citations(const std::filesystem::path& store,
                                              const std::vector<std::string>& files,
                                              const ImportOptions& options = {});

}  // namespace prescope
