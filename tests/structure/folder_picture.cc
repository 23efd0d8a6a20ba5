#include "structure/folder_picture.h"

#include <fmt/format.h>

#include <regex>
#include <stdexcept>

namespace prescope::structure {

namespace {

constexpr std::string_view kBegin = "```folders\n", kEnd = "```";

std::string_view top_folder(std::string_view folder) { return folder.substr(0, folder.find('/')); }

}  // namespace

FolderPicture::FolderPicture(std::string_view document) {
  const std::size_t begin = document.find(kBegin);
  if (begin == std::string_view::npos) throw std::invalid_argument("no block ```folders");
  document.remove_prefix(begin + kBegin.size());
  while (!document.starts_with(kEnd)) {
    const std::size_t feed = document.find('\n');
    if (feed == std::string_view::npos) throw std::invalid_argument("```folders does not end");
    add_row(document.substr(0, feed));
    document.remove_prefix(feed + 1);
  }
}

void FolderPicture::add_row(std::string_view line) {
  static const std::regex folder(R"( *([a-z_]+)(?: \(([a-z_]+(?:(?:,| >) [a-z_]+)*)\))? *)");
  static const std::regex subfolder(R"((^|, |> )([a-z_]+))");
  const std::string names(line.substr(0, line.find('|')));
  auto rest = names.begin();
  for (std::smatch found; rest != names.end(); rest = found.suffix().first) {
    if (!std::regex_search(rest, names.end(), found, folder,
                           std::regex_constants::match_continuous)) {
      throw std::invalid_argument(
          fmt::format("{}: expected \"folder (subfolder, subfolder > subfolder)   folder\"", line));
    }
    const std::string top = found[1], inside = found[2];
    add(top, 0);
    int level = 1;
    for (std::sregex_iterator sub(inside.begin(), inside.end(), subfolder), end; sub != end;
         ++sub) {
      if ((*sub)[1] == "> ") ++level;
      add(top + '/' + (*sub)[2].str(), level);
    }
  }
  ++rows_;
}

void FolderPicture::add(std::string folder, int level) {
  const auto [at, is_new] = places_.emplace(std::move(folder), Place{.row = rows_, .level = level});
  if (!is_new) throw std::invalid_argument(at->first + " is in the picture twice");
}

std::vector<std::string> FolderPicture::folders() const {
  std::vector<std::string> names;
  for (const auto& [name, place] : places_) names.push_back(name);
  return names;
}

bool FolderPicture::may_include(std::string_view from, std::string_view to) const {
  const auto a = places_.find(from), b = places_.find(to);
  if (a == places_.end() || b == places_.end()) return false;
  if (from == to) return true;
  return top_folder(from) == top_folder(to) ? a->second.level < b->second.level
                                            : a->second.row < b->second.row;
}

}  // namespace prescope::structure
