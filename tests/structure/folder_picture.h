#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace prescope::structure {

/// The folders of plugin/, and which of them may include which, as docs/architecture.md draws them
/// in the block that begins with "```folders":
///
///     live (query_path, summary > ledger)   nightly   | words for the reader
///     runs
///
/// Folders are named as include paths name them: "live", "live/ledger".
class FolderPicture {
 public:
  /// Throws std::invalid_argument if the document has no such block, a line of it cannot be read,
  /// or a folder is there twice.
  explicit FolderPicture(std::string_view document);

  [[nodiscard]] std::vector<std::string> folders() const;
  [[nodiscard]] bool has(std::string_view folder) const { return places_.contains(folder); }
  /// Returns true if the folders are one, if `to` is in a row below, or if it is a subfolder of the
  /// same folder below `from`. Returns false for a folder that is not in the picture.
  [[nodiscard]] bool may_include(std::string_view from, std::string_view to) const;

 private:
  struct Place {
    int row = 0;
    int level = 0;  ///< inside the row's folder: 0 for its own files, then down
  };

  void add_row(std::string_view line);
  void add(std::string folder, int level);

  std::map<std::string, Place, std::less<>> places_;
  int rows_ = 0;
};

}  // namespace prescope::structure
