#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "structure/folder_picture.h"

namespace prescope::structure {

/// One source file: its path from the project's root, and its text.
struct Source {
  std::string path;
  std::string text;
};

/// Returns true if the project has a file of this path.
using Exists = std::function<bool(const std::string& path)>;

/// Returns the includes and names that break the layers, as `path:line: what`, in order of lines:
/// - plugin: an include that the picture does not allow, or of anything but the standard library in
///   a public header;
/// - an adapter: an include of ours that is neither a public header nor its own; a measure's name.
///
/// Comments are not read. Files elsewhere have no rules.
[[nodiscard]] std::vector<std::string> layer_violations(const Source& source,
                                                        const FolderPicture& picture,
                                                        const Exists& exists);

/// Returns the folder of a file under plugin as include paths name it: "live/ledger" for
/// "plugin/src/live/ledger/ledger.h". Empty for other files.
[[nodiscard]] std::string plugin_folder(std::string_view path);

/// Returns each pair of folders under plugin with files that include one of the other, as
/// "live and live/ledger: FILE includes PATH, FILE includes PATH".
[[nodiscard]] std::vector<std::string> folder_circles(std::span<const Source> sources);

/// Returns the search engines that a file names anywhere, also in comments, as `path:line: what`,
/// the first place of each. For the files under plugin.
[[nodiscard]] std::vector<std::string> engines_named(const Source& source);

/// Returns the text with comments replaced by blanks; the line numbers stay the same.
[[nodiscard]] std::string without_comments(std::string_view text);

}  // namespace prescope::structure
