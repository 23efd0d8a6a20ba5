#include "runs/judged_topics.h"

#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/errors.h"
#include "base/hash.h"
#include "base/json_lines.h"
#include "citations/citation_qrels.h"
#include "citations/document/document_number.h"
#include "citations/store/citation_store.h"

namespace prescope {

namespace {

constexpr std::string_view kRelevant = "relevant";
constexpr std::string_view kSections = "section", kCountries = "country", kYears = "year";
constexpr std::string_view kLanguages = "language";

std::optional<std::uint64_t> leading_number(std::string_view name) noexcept {
  return whole_number<std::uint64_t>(name.substr(0, name.find_first_not_of("0123456789")));
}

/// The order of slices: 2 before 10, and 11+ behind 6-10.
struct BySliceName {
  bool operator()(const std::string& a, const std::string& b) const noexcept {
    const auto in_a = leading_number(a), in_b = leading_number(b);
    if (in_a && in_b && *in_a != *in_b) return *in_a < *in_b;
    return a < b;
  }
};

/// Finds judged topics by their ids.
class JudgedTopics {
 public:
  explicit JudgedTopics(std::span<const JudgedTopic> topics) : topics_(topics) {
    places_.reserve(topics.size());
    for (const JudgedTopic& topic : topics) {
      places_.emplace(topic.id, static_cast<std::uint32_t>(places_.size()));
    }
  }

  [[nodiscard]] std::optional<TopicIndex> find(std::string_view id) const {
    const auto found = places_.find(id);
    return found == places_.end() ? std::nullopt : std::optional(TopicIndex(found->second));
  }
  [[nodiscard]] std::span<const JudgedTopic> all() const noexcept { return topics_; }

 private:
  std::span<const JudgedTopic> topics_;
  std::unordered_map<std::string_view, std::uint32_t> places_;
};

/// Collects topics by dimension and slice.
class Slicer {
 public:
  Slicer(const JudgedTopics& judged, std::vector<std::string> by)
      : judged_(judged), by_(std::move(by)) {
    for (const std::string& dimension : by_) topics_[dimension];
  }

  [[nodiscard]] bool wants(std::string_view dimension) const {
    return topics_.find(dimension) != topics_.end();
  }
  /// Returns the topic of the file; counts one that is not judged.
  [[nodiscard]] std::optional<TopicIndex> topic(std::string_view name) {
    const std::optional<TopicIndex> found = judged_.find(name);
    if (found) {
      has_any_ = true;
    } else {
      if (unjudged_.empty()) unjudged_example_ = name;
      unjudged_.insert(key_hash(name));
    }
    return found;
  }
  void add(TopicIndex topic, std::string_view dimension, std::string_view slice) {
    slice = trimmed(slice);
    if (slice == kUnsliced || slice == kSmallSlices) {
      throw bad_input_error("a slice of dimension '{}' is called {}; expected another name",
                            dimension, slice);
    }
    const auto found = topics_.find(dimension);
    if (found != topics_.end() && !slice.empty()) found->second[std::string(slice)].insert(topic);
  }
  void refuse_without_topics(const std::filesystem::path& file) const {
    if (has_any_) return;
    throw bad_input_error(
        "{}: none of its {} topics{} is judged; expected topics such as '{}'", file.string(),
        unjudged_.size(),
        !unjudged_.empty() ? fmt::format(", such as '{}',", unjudged_example_) : "",
        judged_.all().empty() ? std::string_view() : judged_.all().front().id);
  }

  [[nodiscard]] TopicSlices take() {
    TopicSlices result{.unjudged = unjudged_.size(), .unjudged_example = unjudged_example_};
    for (const std::string& name : by_) {
      TopicSlices::Dimension dimension{.name = name};
      std::vector<bool> is_sliced(judged_.all().size());
      for (const auto& [slice, topics] : topics_.find(name)->second) {
        dimension.slices.push_back({slice, {topics.begin(), topics.end()}});
        for (const TopicIndex topic : topics) is_sliced[topic.value()] = true;
      }
      for (std::uint32_t t = 0; t < is_sliced.size(); ++t) {
        if (!is_sliced[t]) dimension.unsliced.emplace_back(t);
      }
      result.dimensions.push_back(std::move(dimension));
    }
    return result;
  }

 private:
  const JudgedTopics& judged_;
  std::vector<std::string> by_;
  std::map<std::string, std::map<std::string, std::set<TopicIndex>, BySliceName>, std::less<>>
      topics_;
  bool has_any_ = false;
  std::unordered_set<std::uint64_t> unjudged_;  // hashes of names
  std::string unjudged_example_;
};

void slice_by_relevant(const JudgedTopics& judged, Slicer& slicer) {
  for (std::uint32_t t = 0; t < judged.all().size(); ++t) {
    const std::uint32_t n = judged.all()[t].num_rel;
    slicer.add(TopicIndex(t), kRelevant,
               n <= 2    ? fmt::format("{}", n)
               : n <= 5  ? "3-5"
               : n <= 10 ? "6-10"
                         : "11+");
  }
}

/// Refuses dimensions that are none of `known`, and one that is asked for twice.
void check_dimensions(const std::vector<std::string>& by, const std::set<std::string>& known,
                      std::string_view file) {
  std::unordered_set<std::string_view> seen;
  for (const std::string& dimension : by) {
    if (!seen.insert(dimension).second) {
      throw usage_error("dimension '{}' is there twice; name each once", dimension);
    }
    if (dimension == kRelevant || known.contains(dimension)) continue;
    if (file.empty()) {
      throw usage_error(
          "dimension '{}' needs a file of slices; only '{}', the number of relevant documents, "
          "needs none",
          dimension, kRelevant);
    }
    std::vector<std::string_view> names(known.begin(), known.end());
    names.push_back(kRelevant);
    throw usage_error("{}: {}", file, unknown_name_message("dimension", dimension, names));
  }
}

// Tables.

struct TableHead {
  std::vector<std::string> dimensions;
  bool has_names = false;  ///< in the first line
};

/// Returns whether the first cell of a table is the name of its column.
bool is_topic(std::string_view cell) noexcept {
  constexpr std::string_view kTopic = "topic";
  return std::ranges::equal(cell, kTopic, {}, ascii_lower);
}

TableHead head_of(std::string_view line, const TextFile& file) {
  std::vector<std::string> cells = split(line, '\t');
  if (cells.size() < 2) throw file.bad_line("no tab; expected \"topic<TAB>slice\"");
  TableHead head{.dimensions = {}, .has_names = is_topic(trimmed(cells[0]))};
  if (!head.has_names && cells.size() != 2) {
    throw file.bad_line(
        fmt::format("{} columns; expected \"topic<TAB>slice\", or a first line that names the "
                    "columns: \"topic<TAB>source<TAB>section\"",
                    cells.size()));
  }
  for (std::size_t c = 1; c < cells.size(); ++c) {
    const std::string name(trimmed(cells[c]));
    if (head.has_names && name.empty()) {
      throw file.bad_line(fmt::format("column {} has no name", c + 1));
    }
    head.dimensions.push_back(head.has_names ? name : "slice");
  }
  return head;
}

/// Reads the next line that is neither empty nor a comment.
bool next_row(TextFile& file, std::string_view& line) {
  while (file.next(line)) {
    if (!trimmed(line).empty() && !line.starts_with('#')) return true;
  }
  return false;
}

TopicSlices slices_of_table(const SliceSource& source, const JudgedTopics& judged) {
  TextFile file(source.file);
  std::string_view line;
  if (!next_row(file, line)) throw bad_input_error("{}: no topics", source.file.string());
  const TableHead head = head_of(line, file);
  const auto& columns = head.dimensions;
  check_dimensions(columns, {columns.begin(), columns.end()}, source.file.string());
  check_dimensions(source.by, {columns.begin(), columns.end()}, source.file.string());
  Slicer slicer(judged, source.by.empty() ? columns : source.by);
  if (slicer.wants(kRelevant) && std::ranges::count(columns, kRelevant) == 0) {
    slice_by_relevant(judged, slicer);
  }
  const auto add_row = [&] {
    const std::vector<std::string> cells = split(line, '\t');
    if (cells.size() != columns.size() + 1) {
      throw file.bad_line(fmt::format("{} columns; expected {}", cells.size(), columns.size() + 1));
    }
    const auto topic = slicer.topic(trimmed(cells[0]));
    for (std::size_t c = 0; topic && c < columns.size(); ++c) {
      slicer.add(*topic, columns[c], cells[c + 1]);
    }
  };
  if (!head.has_names) add_row();
  while (next_row(file, line)) add_row();
  slicer.refuse_without_topics(source.file);
  return slicer.take();
}

// JSON lines.

/// Calls `use(text)` for a text, number or truth value, and for each of an array.
template <class Use>
void for_each_value(JsonLines::Element value, const Use& use) {
  simdjson::dom::array items;
  if (value.get(items) == simdjson::SUCCESS) {
    for (const JsonLines::Element item : items) for_each_value(item, use);
    return;
  }
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) {
    use(text);
  } else if (!value.is_null() && !value.is_object()) {
    use(simdjson::minify(value));
  }
}

/// Returns the first text of the first field that has one.
std::string first_text(JsonLines::Object object, std::initializer_list<const char*> fields) {
  std::string first;
  for (const char* const field : fields) {
    JsonLines::Element value;
    if (object[field].get(value) != simdjson::SUCCESS) continue;
    for_each_value(value, [&](std::string_view text) {
      if (first.empty()) first = trimmed(text);
    });
    if (!first.empty()) break;
  }
  return first;
}

/// Returns the slice of a patent in a dimension that no field names; empty if it is not known.
std::string derived_slice(JsonLines::Object object, std::string_view dimension,
                          std::string_view id) {
  if (dimension == kSections) {
    const std::string symbol = first_text(object, {"ipc_primary", "ipc", "cpc"});
    const char letter = symbol.empty() ? ' ' : ascii_upper(symbol[0]);
    return letter >= 'A' && letter <= 'Z' ? std::string(1, letter) : std::string();
  }
  if (dimension == kYears) {
    const std::string date = first_text(object, {"pub_date", "publication_date", "date"});
    const std::string year = date.substr(0, 4);
    const bool is_year = year.size() == 4 && std::ranges::all_of(year, is_digit);
    return is_year ? year : std::string();
  }
  return dimension == kCountries ? std::string(country_of(document_number(id).key)) : std::string();
}

TopicSlices slices_of_json(const SliceSource& source, const JudgedTopics& judged) {
  std::set<std::string> known{std::string(kSections), std::string(kYears), std::string(kCountries)};
  if (source.by.empty()) {
    throw usage_error(
        "{}: say by which of its fields topics are sliced, such as section or source; {} are made "
        "of the fields of patents",
        source.file.string(), fmt::join(known, ", "));
  }
  Slicer slicer(judged, source.by);
  JsonLines lines(source.file);
  for (JsonLines::Object object; lines.next(object);) {
    const std::string id = first_text(object, {"id", "topic"});
    if (id.empty()) throw lines.file().bad_line("no 'id'; expected {\"id\": \"...\", ...}");
    for (const auto [key, value] : object) known.emplace(key);
    const auto topic = slicer.topic(id);
    if (!topic) continue;
    for (const std::string& dimension : source.by) {
      JsonLines::Element value;
      if (object[dimension].get(value) == simdjson::SUCCESS) {
        for_each_value(value, [&](std::string_view text) { slicer.add(*topic, dimension, text); });
      } else {
        slicer.add(*topic, dimension, derived_slice(object, dimension, id));
      }
    }
  }
  check_dimensions(source.by, known, source.file.string());
  slicer.refuse_without_topics(source.file);
  const bool has_field = known.contains(std::string(kRelevant));
  if (slicer.wants(kRelevant) && !has_field) slice_by_relevant(judged, slicer);
  return slicer.take();
}

// Citation stores.

TopicSlices slices_of_store(const SliceSource& source, const JudgedTopics& judged) {
  const std::vector<std::string> all{std::string(kSections), std::string(kCountries),
                                     std::string(kYears), std::string(kLanguages)};
  check_dimensions(source.by, {all.begin(), all.end()}, source.file.string());
  Slicer slicer(judged, source.by.empty() ? all : source.by);
  if (slicer.wants(kRelevant)) slice_by_relevant(judged, slicer);
  const CitationStore store = CitationStore::open(source.file);
  for (const JudgedTopic& each : judged.all()) {
    const std::string key = document_number(each.id).key;
    const auto document = store.find(key);
    if (!document) continue;
    const TopicIndex topic = *slicer.topic(each.id);
    slicer.add(topic, kCountries, country_of(key));
    std::string section;
    unsigned year = 0;
    document->for_each_publication([&](const PublicationFacts& facts) {
      slicer.add(topic, kLanguages, facts.language);
      if (section.empty() && !facts.classes.empty()) section = facts.classes.substr(0, 1);
      if (facts.published.is_known()) {
        year = year == 0 ? facts.published.year : std::min<unsigned>(year, facts.published.year);
      }
    });
    slicer.add(topic, kSections, section);
    if (year != 0) slicer.add(topic, kYears, fmt::format("{}", year));
  }
  slicer.refuse_without_topics(source.file);
  return slicer.take();
}

}  // namespace

std::vector<std::string> slice_dimensions(std::string_view list) {
  std::vector<std::string> dimensions;
  for (const std::string& one : split(list, ',')) dimensions.emplace_back(trimmed(one));
  return dimensions;
}

TopicSlices read_slices(const SliceSource& source, std::span<const JudgedTopic> topics) {
  if (source.file.empty() && source.by.empty()) return {};
  const JudgedTopics judged(topics);
  if (source.file.empty()) {
    check_dimensions(source.by, {}, {});
    Slicer slicer(judged, source.by);
    slice_by_relevant(judged, slicer);
    return slicer.take();
  }
  if (is_citation_store(source.file)) return slices_of_store(source, judged);
  return is_json_lines(source.file) ? slices_of_json(source, judged)
                                    : slices_of_table(source, judged);
}

TopicSlices read_slices(const SliceSource& source, const Qrels& qrels) {
  if (source.file.empty() && source.by.empty()) return {};
  if (qrels.finds_topics()) {
    throw usage_error(
        "slices need a list of topics, and these judgements find theirs as they come; name the "
        "topics in a file (topics.path), or leave the slices out");
  }
  std::vector<JudgedTopic> topics;
  topics.reserve(qrels.topics().size());
  for (const TopicQrels& topic : qrels.topics()) {
    topics.push_back({topic.id().text(), topic.num_rel()});
  }
  return read_slices(source, topics);
}

}  // namespace prescope
