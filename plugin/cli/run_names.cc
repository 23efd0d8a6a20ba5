#include "cli/run_names.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace prescope::cli {
namespace {

std::string short_name(const std::string& path) {
  constexpr std::array<std::string_view, 6> kEndings = {".gz",   ".run", ".res",
                                                        ".trec", ".txt", ".prel"};
  if (path == "-") return "stdin";
  std::string name = std::filesystem::path(path).filename().string();
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view ending : kEndings) {
      if (name.size() <= ending.size() || !name.ends_with(ending)) continue;
      name.resize(name.size() - ending.size());
      found = true;
    }
  }
  return name.empty() ? path : name;
}

}  // namespace

std::vector<std::string> run_names(std::span<const std::string> paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) names.push_back(short_name(path));
  std::vector<std::string> unique = names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::count(names, names[i]) > 1) unique[i] = paths[i];
  }
  return unique;
}

}  // namespace prescope::cli
