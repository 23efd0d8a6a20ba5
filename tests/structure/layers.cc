#include "structure/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>

#include "prescope/measure.h"

namespace prescope::structure {
namespace {

using Names = std::set<std::string, std::less<>>;

/// The rooms of plugin/src, each of which may include those before it and public headers.
constexpr std::array<std::string_view, 14> kRooms = {
    "base",    "statistics", "judgements", "measures", "runs",   "trec_eval", "live",
    "nightly", "store",      "fleet",      "studies",  "report", "replay",    "serve"};
constexpr std::array<std::string_view, 6> kEngines = {"lucene", "xapian",  "groonga",
                                                      "sphinx", "elastic", "opensearch"};

/// A folder and the layers, by the first part of the include's path, that it may include.
struct Layer {
  std::string_view folder;
  std::vector<std::string_view> may_include;
};

std::vector<Layer> make_layers() {
  static std::vector<std::string> folders;
  folders.reserve(kRooms.size());
  std::vector<Layer> layers = {{"plugin/include/", {"prescope"}},
                               {"engine-adapters/", {"prescope"}}};
  std::vector<std::string_view> may_include = {"prescope"};
  for (const std::string_view room : kRooms) {
    may_include.push_back(room);
    layers.push_back({folders.emplace_back(fmt::format("plugin/src/{}/", room)), may_include});
  }
  may_include.push_back("cli");
  layers.push_back({"plugin/cli/", may_include});
  return layers;
}

const std::vector<Layer>& layers() {
  static const std::vector<Layer> kLayers = make_layers();
  return kLayers;
}

std::string_view first_part(std::string_view path) { return path.substr(0, path.find('/')); }

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_ours(std::string_view part) {
  return part == "prescope" || part == "cli" || contains(kRooms, part);
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

/// "engine-adapters/lucenepp/src/x.cc" -> "lucenepp".
std::string_view adapter_of(std::string_view path) {
  return first_part(path.substr(std::string_view("engine-adapters/").size()));
}

/// "engine-adapters/run-file/src/x.cc" -> "run_file": include paths are spelled as namespaces are.
std::string include_folder_of(std::string_view path) {
  std::string folder(adapter_of(path));
  std::replace(folder.begin(), folder.end(), '-', '_');
  return folder;
}

class Check {
 public:
  Check(const Source& source, const Layer& layer, const Exists& exists)
      : source_(source),
        layer_(layer),
        exists_(exists),
        is_adapter_(layer.folder == "engine-adapters/") {}

  std::vector<std::string> run() {
    const std::string code = without_comments(source_.text);
    std::string_view rest = code;
    while (!rest.empty()) {
      ++line_number_;
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (const auto include = include_of(line)) check_include(*include);
      if (is_adapter_) check_measure_names(line);
    }
    return std::move(problems_);
  }

 private:
  void problem(const std::string& what) {
    problems_.push_back(fmt::format("{}:{}: {}", source_.path, line_number_, what));
  }

  void check_include(const Include& include) {
    if (is_ours(first_part(include.path)) && include.path.find('/') != std::string::npos) {
      check_our_include(include.path);
    } else if (include.quoted) {
      check_relative_include(include.path);
    } else if (layer_.folder == "plugin/include/" &&
               include.path.find_first_of("/.") != std::string::npos) {
      problem(
          fmt::format("includes <{}>; public headers use the standard library only", include.path));
    }
  }

  void check_our_include(const std::string& path) {
    if (!contains(layer_.may_include, first_part(path))) {
      problem(fmt::format("includes {}; this folder may include {}/ only", path,
                          fmt::join(layer_.may_include, "/, ")));
      return;
    }
    const std::string_view below = std::string_view(path).substr(first_part(path).size() + 1);
    const bool of_an_adapter =
        first_part(path) == "prescope" && below.find('/') != std::string::npos;
    if (of_an_adapter && !(is_adapter_ && first_part(below) == include_folder_of(source_.path))) {
      problem(fmt::format("includes {}, a header of another adapter", path));
    }
  }

  /// A header beside the file, or in a folder of the same layer.
  void check_relative_include(const std::string& path) {
    const auto folder = std::filesystem::path(source_.path).parent_path();
    const std::string target = (folder / path).lexically_normal().generic_string();
    const std::string home = is_adapter_
                                 ? fmt::format("engine-adapters/{}/", adapter_of(source_.path))
                                 : std::string(layer_.folder);
    if (!target.starts_with(home)) {
      problem(fmt::format("includes {}, which is outside {}", path, home));
    } else if (!is_adapter_ || !exists_(target)) {
      problem(
          fmt::format("includes \"{}\"; write the path from the include root, or <> for what is "
                      "not ours",
                      path));
    }
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
  const Layer& layer_;
  const Exists& exists_;
  bool is_adapter_;
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

std::vector<std::string> layer_violations(const Source& source, const Exists& exists) {
  for (const Layer& layer : layers()) {
    if (source.path.starts_with(layer.folder)) return Check(source, layer, exists).run();
  }
  return {};
}

}  // namespace prescope::structure
