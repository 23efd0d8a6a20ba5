#include "core/topics.h"

#include <unordered_map>

#include "core/json_lines.h"

namespace prescope {
namespace {

/// Topics in file order, each id once, each with text.
class TopicList {
 public:
  void add(std::string_view id, std::string text, const TextFile& file) {
    if (id.empty()) throw file.bad_line("a topic without id; give it the id that the qrels use");
    if (text.empty()) throw file.bad_line(fmt::format("topic '{}' has no text", id));
    const auto [first, added] = lines_.try_emplace(std::string(id), file.line_number());
    if (!added) {
      throw file.bad_line(
          fmt::format("topic '{}' is already in line {}; keep one of the two", id, first->second));
    }
    topics_.push_back({TopicId(id), std::move(text)});
  }

  std::vector<Topic> take(const std::filesystem::path& path) {
    if (!topics_.empty()) return std::move(topics_);
    throw Error(
        ErrorCode::kBadInput,
        fmt::format("{}: no topics; expected an id and a text on each line", path.string()));
  }

 private:
  std::vector<Topic> topics_;
  std::unordered_map<std::string, std::uint64_t> lines_;
};

std::string joined(std::string_view first, std::string_view second) {
  std::string text(trimmed(first));
  if (!text.empty() && !trimmed(second).empty()) text += ' ';
  return text += trimmed(second);
}

std::vector<Topic> load_json(const std::filesystem::path& path) {
  TopicList topics;
  JsonLines lines(path);
  for (JsonLines::Object object; lines.next(object);) {
    std::string_view id, text, title, abstract;
    for (const auto [key, value] : object) {
      if (key == "id") id = lines.as_name(key, lines.string(key, value));
      if (key == "text") text = lines.string(key, value);
      if (key == "title") title = lines.string(key, value);
      if (key == "abstract") abstract = lines.string(key, value);
    }
    topics.add(id, trimmed(text).empty() ? joined(title, abstract) : joined(text, {}),
               lines.file());
  }
  return topics.take(path);
}

std::vector<Topic> load_tab_separated(const std::filesystem::path& path) {
  TopicList topics;
  TextFile file(path);
  for (std::string_view line; file.next(line);) {
    if (trimmed(line).empty()) continue;
    const auto tab = line.find('\t');
    if (tab == std::string_view::npos) {
      throw file.bad_line("no tab; expected \"id<TAB>text\"");
    }
    std::string text;
    for (std::string_view rest = line.substr(tab); !rest.empty();) {
      rest.remove_prefix(1);
      const auto end = std::min(rest.find('\t'), rest.size());
      text = joined(text, rest.substr(0, end));
      rest.remove_prefix(end);
    }
    topics.add(trimmed(line.substr(0, tab)), std::move(text), file);
  }
  return topics.take(path);
}

}  // namespace

std::vector<Topic> load_topics(const std::filesystem::path& path) {
  const std::string name = path.string();
  return name.ends_with(".jsonl") || name.ends_with(".jsonl.gz") ? load_json(path)
                                                                 : load_tab_separated(path);
}

}  // namespace prescope
