#include "structure/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "prescope/measure.h"

namespace prescope::structure {
namespace {

using Names = std::set<std::string, std::less<>>;

constexpr std::array<std::string_view, 6> kEngines = {"lucene", "xapian",  "groonga",
                                                      "sphinx", "elastic", "opensearch"};

constexpr std::string_view kAdapters = "engine-adapters/", kPlugin = "plugin/";
constexpr std::string_view kPublicHeaders = "prescope";

std::string_view first_part(std::string_view path) { return path.substr(0, path.find('/')); }

std::string folder_of(std::string_view path) {
  const std::size_t end = path.rfind('/');
  return std::string(end == std::string_view::npos ? "" : path.substr(0, end));
}

struct Include {
  std::string path;
  bool quoted = false;
};

std::optional<Include> include_of(std::string_view line) {
  const auto skip_blanks = [&] {
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front())) != 0) {
      line.remove_prefix(1);
    }
  };
  skip_blanks();
  if (!line.starts_with('#')) return std::nullopt;
  line.remove_prefix(1);
  skip_blanks();
  if (!line.starts_with("include")) return std::nullopt;
  line.remove_prefix(7);
  skip_blanks();
  if (line.empty() || (line.front() != '"' && line.front() != '<')) return std::nullopt;
  const bool quoted = line.front() == '"';
  const auto end = line.find(quoted ? '"' : '>', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return Include{.path = std::string(line.substr(1, end - 1)), .quoted = quoted};
}

/// Calls `take(number, line)`; numbers begin with 1.
template <class Take>
void for_each_line(std::string_view code, const Take& take) {
  for (std::size_t number = 1; !code.empty(); ++number) {
    const std::string_view line = code.substr(0, code.find('\n'));
    code.remove_prefix(std::min(code.size(), line.size() + 1));
    take(number, line);
  }
}

/// "engine-adapters/lucenepp/src/x.cc" -> "lucenepp".
std::string_view adapter_of(std::string_view path) {
  return first_part(path.substr(kAdapters.size()));
}

/// "engine-adapters/run-file/src/x.cc" -> "run_file": include paths are spelled as namespaces are.
std::string include_folder_of(std::string_view path) {
  std::string folder(adapter_of(path));
  std::replace(folder.begin(), folder.end(), '-', '_');
  return folder;
}

class Check {
 public:
  Check(const Source& source, const FolderPicture& picture, const Exists& exists)
      : source_(source),
        picture_(picture),
        exists_(exists),
        is_adapter_(source.path.starts_with(kAdapters)),
        folder_(plugin_folder(source.path)) {}

  std::vector<std::string> run() {
    for_each_line(without_comments(source_.text),
                  [this](std::size_t number, std::string_view line) {
                    line_number_ = number;
                    if (const auto include = include_of(line)) check_include(*include);
                    if (is_adapter_) check_measure_names(line);
                  });
    return std::move(problems_);
  }

 private:
  void problem(const std::string& what) {
    problems_.push_back(fmt::format("{}:{}: {}", source_.path, line_number_, what));
  }

  void check_include(const Include& include) {
    const bool is_ours = picture_.has(first_part(include.path));
    if (is_ours && include.path.find('/') != std::string::npos) {
      check_our_include(include.path);
    } else if (include.quoted) {
      check_relative_include(include.path);
    } else if (folder_ == kPublicHeaders && include.path.find_first_of("/.") != std::string::npos) {
      problem(
          fmt::format("includes <{}>; public headers use the standard library only", include.path));
    }
  }

  void check_our_include(const std::string& path) {
    const std::string to = folder_of(path);
    if (first_part(path) == kPublicHeaders && to != kPublicHeaders) {
      const bool is_own = is_adapter_ && to == fmt::format("{}/{}", kPublicHeaders,
                                                           include_folder_of(source_.path));
      if (!is_own) problem(fmt::format("includes {}, a header of another adapter", path));
    } else if (is_adapter_ && to != kPublicHeaders) {
      problem(fmt::format("includes {}; adapters include public headers only", path));
    } else if (!is_adapter_ && !picture_.may_include(folder_, to)) {
      problem(fmt::format("includes {}; {} is not below {} in the picture of docs/architecture.md",
                          path, to, folder_));
    }
  }

  /// Only an adapter may name a header by its place beside the file.
  void check_relative_include(const std::string& path) {
    if (is_adapter_) {
      const std::string target =
          std::filesystem::path(folder_of(source_.path) + '/' + path).lexically_normal();
      const std::string home = fmt::format("{}{}/", kAdapters, adapter_of(source_.path));
      if (!target.starts_with(home)) {
        return problem(fmt::format("includes {}, which is outside {}", path, home));
      }
      if (exists_(target)) return;
    }
    problem(
        fmt::format("includes \"{}\"; write the path from the include root, or <> for what is not "
                    "ours",
                    path));
  }

  void check_measure_names(std::string_view line) {
    static const Names kMeasures = measure_names();
    std::size_t i = 0;
    while (i < line.size()) {
      const auto is_word = [&](std::size_t at) {
        return at < line.size() &&
               (std::isalnum(static_cast<unsigned char>(line[at])) != 0 || line[at] == '_');
      };
      std::size_t end = i;
      while (is_word(end)) ++end;
      const std::string_view word = line.substr(i, end - i);
      if (kMeasures.contains(word)) {
        problem(fmt::format("names the measure '{}'; adapters report ranks, no measures", word));
      }
      i = std::max(end, i + 1);
    }
  }

  /// The names of the measure table without single letters, and the words that they stand for.
  static Names measure_names() {
    Names names = {"MAP", "Recall", "recall", "average_precision"};
    for (const MeasureDefinition* definition : measure_table()) {
      if (definition->name.size() > 1) names.emplace(definition->name);
    }
    return names;
  }

  const Source& source_;
  const FolderPicture& picture_;
  const Exists& exists_;
  bool is_adapter_;
  std::string folder_;  // in plugin
  std::size_t line_number_ = 0;
  std::vector<std::string> problems_;
};

}  // namespace

std::string without_comments(std::string_view text) {
  std::string code(text);
  enum class In { kCode, kLine, kBlock, kString } in = In::kCode;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const std::string_view two = text.substr(i, 2);
    if (in == In::kCode && two == "//") in = In::kLine;
    if (in == In::kCode && two == "/*") in = In::kBlock;
    if (in != In::kBlock && text[i] == '\n') in = In::kCode;
    if (in == In::kCode && text.substr(i, 3) == "'\"'") {
      i += 2;  // a quotation mark as a character begins no string
      continue;
    }
    if (in == In::kString && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"' && (in == In::kCode || in == In::kString)) {
      in = in == In::kCode ? In::kString : In::kCode;
    } else if (in == In::kBlock && two == "*/") {
      code[i] = code[i + 1] = ' ';
      ++i;
      in = In::kCode;
    } else if ((in == In::kLine || in == In::kBlock) && text[i] != '\n') {
      code[i] = ' ';
    }
  }
  return code;
}

std::vector<std::string> engines_named(const Source& source) {
  std::string lower = source.text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  std::vector<std::string> problems;
  for (const std::string_view engine : kEngines) {
    const auto at = lower.find(engine);
    if (at == std::string::npos) continue;
    const auto line = 1 + std::count(lower.begin(), lower.begin() + std::ptrdiff_t(at), '\n');
    problems.push_back(
        fmt::format("{}:{}: names the engine '{}'; engines are the adapters' business", source.path,
                    line, engine));
  }
  return problems;
}

std::string plugin_folder(std::string_view path) {
  for (const std::string_view root : {"plugin/include/", "plugin/src/", "plugin/"}) {
    if (path.starts_with(root)) return folder_of(path.substr(root.size()));
  }
  return {};
}

std::vector<std::string> folder_circles(std::span<const Source> sources) {
  std::map<std::pair<std::string, std::string>, std::string> examples;
  for (const Source& source : sources) {
    const std::string from = plugin_folder(source.path);
    for_each_line(without_comments(source.text),
                  [&](std::size_t /*number*/, std::string_view line) {
                    const auto include = include_of(line);
                    if (!include || !include->quoted || from.empty()) return;
                    examples.emplace(std::pair(from, folder_of(include->path)),
                                     fmt::format("{} includes {}", source.path, include->path));
                  });
  }
  std::vector<std::string> circles;
  for (const auto& [folders, there] : examples) {
    const auto& [a, b] = folders;
    const auto back = examples.find(std::pair(b, a));
    if (a < b && back != examples.end()) {
      circles.push_back(fmt::format("{} and {}: {}, {}", a, b, there, back->second));
    }
  }
  return circles;
}

std::vector<std::string> layer_violations(const Source& source, const FolderPicture& picture,
                                          const Exists& exists) {
  const bool has_rules = source.path.starts_with(kPlugin) || source.path.starts_with(kAdapters);
  if (!has_rules) return {};
  return Check(source, picture, exists).run();
}

}  // namespace prescope::structure
