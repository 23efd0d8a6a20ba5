#include "nightly/gate/gate_rules.h"

#include <algorithm>

#include "base/errors.h"
#include "base/toml_file.h"

namespace prescope {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDecisions = "decisions";

/// "input." of "input.topics_missing"; empty if the key is in no table.
std::string_view toml_table_of(std::string_view key) {
  const std::size_t dot = key.find('.');
  return dot == std::string_view::npos ? std::string_view{} : key.substr(0, dot + 1);
}

std::optional<double> number_of(const toml::node& node) {
  return node.is_number() ? node.value<double>() : std::nullopt;
}

/// Reads a TOML value into a value of the rules. Returns false if it has another type.
struct ValueReader {
  const toml::node& node;

  template <class Value>
  bool take(Value& value, const std::optional<Value>& read) const {
    if (read) value = *read;
    return read.has_value();
  }
  bool operator()(bool& value) const { return take(value, node.value_exact<bool>()); }
  bool operator()(double& value) const { return take(value, number_of(node)); }
  bool operator()(std::optional<double>& value) const {
    value = number_of(node);
    return value || node.value_exact<bool>() == false;
  }
  bool operator()(std::uint32_t& value) const {
    const auto number = node.value_exact<std::int64_t>();
    if (!number || !std::in_range<std::uint32_t>(*number)) return false;
    value = static_cast<std::uint32_t>(*number);
    return true;
  }
  bool operator()(std::string& value) const { return take(value, node.value_exact<std::string>()); }
  bool operator()(std::vector<std::string>& texts) const { return take_texts(texts); }
  bool operator()(std::vector<TopicId>& topics) const { return take_texts(topics); }

  template <class Text>
  bool take_texts(std::vector<Text>& texts) const {
    texts.clear();
    const toml::array* list = node.as_array();
    if (list == nullptr || !(list->empty() || list->is_homogeneous<std::string>())) return false;
    for (const toml::node& item : *list) texts.emplace_back(item.as_string()->get());
    return true;
  }
};

class RulesReader {
 public:
  explicit RulesReader(const fs::path& path) : path_(path) {}

  GateRules read(const toml::table& root) {
    std::vector<std::string_view> known{kDecisions};
    for (const GateRuleKey& key : gate_rule_keys()) known.push_back(key.key);
    const auto read = [&](const std::string& key, const toml::node& node) { read_key(key, node); };
    read_toml_keys(root, {"rule", std::move(known), read}, path_, problems_);
    for (auto& [measure, margin] : decisions_) {
      rules_.decisions.push_back({measure, margin.value_or(rules_.margin)});
    }
    problems_.throw_if_any();
    std::string& slices = rules_.slices.path;
    if (!slices.empty()) slices = (path_.parent_path() / slices).string();
    return std::move(rules_);
  }

 private:
  struct ReadDecision {
    Measure measure;
    std::optional<double> margin{};
  };

  void add_problem(const toml::source_region& source, std::string_view message) {
    problems_.add(toml_place(path_, source), message);
  }
  void wrong_type(std::string_view key, const toml::node& node, std::string_view expected) {
    const auto integer = node.value_exact<std::int64_t>();
    const std::string found = integer ? fmt::to_string(*integer) : std::string(toml_type(node));
    add_problem(node.source(), fmt::format("{} is {}; expected {}", key, found, expected));
  }

  void read_key(const std::string& key, const toml::node& node) {
    const auto known = std::ranges::find(gate_rule_keys(), key, &GateRuleKey::key);
    if (known != gate_rule_keys().end()) return read_value(*known, node);
    if (key == kDecisions) return read_decisions(node);
    wrong_type(key, node, fmt::format("a table: [{}]", key));
  }

  void read_value(const GateRuleKey& key, const toml::node& node) {
    GateRuleValue value = key.get(rules_);
    if (!std::visit(ValueReader{node}, value)) return wrong_type(key.key, node, key.range);
    if (!is_allowed(key, value)) {
      return add_problem(node.source(), out_of_range_message(key.key, *number_of(node), key.range));
    }
    key.set(rules_, value);
  }

  void read_decisions(const toml::node& node) {
    const toml::array* decisions = node.as_array();
    if (decisions == nullptr || !(decisions->empty() || decisions->is_homogeneous<toml::table>())) {
      return wrong_type(kDecisions, node, "an array of tables: [[decisions]]");
    }
    for (const toml::node& decision : *decisions) read_decision(*decision.as_table());
  }

  void read_decision(const toml::table& table) {
    std::optional<Measure> measure;
    std::optional<double> margin;
    if (!table.contains("measure")) {
      add_problem(table.source(), "a decision without a measure; expected measure = \"PRES@100\"");
    }
    const auto read = [&](const std::string& key, const toml::node& node) {
      if (key == "measure") {
        measure = read_measure(node);
      } else {
        margin = read_margin(node);
      }
    };
    read_toml_keys(table, {"key of [[decisions]]", {"measure", "margin"}, read}, path_, problems_);
    if (measure) decisions_.push_back({*measure, margin});
  }

  std::optional<Measure> read_measure(const toml::node& node) {
    if (!node.is_string()) {
      wrong_type("measure", node, "a string such as \"PRES@100\"");
      return std::nullopt;
    }
    try {
      const Measure measure = Measure::parse(node.as_string()->get());
      if (const auto why_not = why_not_a_decision(measure)) {
        add_problem(node.source(), *why_not);
      } else if (std::ranges::any_of(decisions_,
                                     [&](const auto& other) { return other.measure == measure; })) {
        add_problem(node.source(), decides_twice_message(measure));
      } else {
        return measure;
      }
    } catch (const Error& error) {
      add_problem(node.source(), error.what());
    }
    return std::nullopt;
  }

  std::optional<double> read_margin(const toml::node& node) {
    const std::optional<double> margin = number_of(node);
    if (!margin) {
      wrong_type("margin", node, kMarginRange);
    } else if (!is_margin(*margin)) {
      add_problem(node.source(), out_of_range_message("margin", *margin, kMarginRange));
    }
    return margin;
  }

  const fs::path& path_;
  OptionProblems problems_;
  GateRules rules_;
  std::vector<ReadDecision> decisions_;
};

struct ValueWriter {
  template <class Value>
  std::string operator()(const Value& value) const {
    return fmt::format("{}", value);
  }
  std::string operator()(const std::optional<double>& value) const {
    return value ? fmt::format("{}", *value) : "false";
  }
  std::string operator()(const std::string& value) const { return toml_string(value); }
  std::string operator()(const std::vector<std::string>& texts) const {
    std::vector<std::string> quoted;
    for (const std::string& text : texts) quoted.push_back(toml_string(text));
    return fmt::format("[{}]", fmt::join(quoted, ", "));
  }
  std::string operator()(const std::vector<TopicId>& topics) const {
    std::vector<std::string> texts;
    for (const TopicId& topic : topics) texts.push_back(topic.text());
    return (*this)(texts);
  }
};

void write_key(const GateRuleKey& key, const GateRules& rules, std::string& text) {
  text += fmt::format("# {}; {}\n{} = {}\n", key.meaning, key.range,
                      key.key.substr(toml_table_of(key.key).size()),
                      std::visit(ValueWriter{}, key.get(rules)));
}

void write_decisions(const GateRules& rules, std::string& text) {
  text += "\n# The measures that decide, each within its margin";
  text += rules.decisions.empty()
              ? ". Named by none: PRES and R at the first cutoff of the baseline's PRES.\n"
              : ".\n";
  for (const GateRules::Decision& decision : rules.decisions) {
    text += fmt::format("[[decisions]]\nmeasure = \"{}\"\nmargin = {}\n", decision.measure.name(),
                        decision.margin);
  }
}

/// Returns the judged document as the evaluation spells it, or a sentence about its absence.
std::variant<MustFind, std::string> find_citation(const EvaluationRecord& evaluation,
                                                  const DocnoNormalizer& docnos,
                                                  const TopicId& topic,
                                                  const Judgement& judgement) {
  const auto& topics = evaluation.topics;
  const auto at = std::ranges::lower_bound(topics, topic, {}, &EvaluationRecord::Topic::id);
  if (at == topics.end() || at->id != topic) {
    return fmt::format("topic '{}' is not in the night to be pinned", topic.text());
  }
  for (const EvaluationRecord::Found& found : at->found) {
    if (docnos.key(found.docno) == judgement.key) return MustFind{topic, found.docno};
  }
  return fmt::format(
      "topic '{}' did not find '{}' among its {} relevant documents, or it is none of them",
      topic.text(), judgement.docno.text(), at->num_rel);
}

Error not_found_error(const fs::path& path, std::vector<std::string> missing) {
  constexpr std::size_t kShown = 5;
  const std::size_t all = missing.size();
  missing.resize(std::min(all, kShown));
  return bad_input_error(
      "{}: {} not found in the night to be pinned; only relevant documents that it finds can be "
      "pinned: {}{}",
      path.string(), all == 1 ? "1 citation is" : fmt::format("{} citations are", all),
      fmt::join(missing, "; "), all > kShown ? fmt::format("; and {} more", all - kShown) : "");
}

}  // namespace

GateRules read_gate_rules(const fs::path& path) {
  return RulesReader(path).read(read_toml_file(path, "the rules of a gate"));
}

GateRules gate_rules_of(std::string_view toml) {
  constexpr const char* kPlace = "the rules";
  return RulesReader(kPlace).read(parse_toml(toml, kPlace));
}

std::string gate_rules_toml(const GateRules& rules) {
  std::string text = "# Rules of a gate. docs/gate.md says why each is what it is.\n";
  std::string_view table;
  for (const GateRuleKey& key : gate_rule_keys()) {
    if (toml_table_of(key.key) != table) {
      if (table.empty()) write_decisions(rules, text);
      table = toml_table_of(key.key);
      text += fmt::format("\n[{}]\n", table.substr(0, table.size() - 1));
    }
    write_key(key, rules, text);
  }
  return text;
}

std::vector<MustFind> load_must_find(const std::filesystem::path& path,
                                     const std::filesystem::path& family_map,
                                     const EvaluationRecord& evaluation) {
  if (evaluation.qrels.docno == DocnoPolicy::kFamily && family_map.empty()) {
    throw usage_error(
        "--must-find: the night matches docnos by family; name the map with --family-map, to match "
        "those of {}",
        path.string());
  }
  const Qrels citations = Qrels::load(path, {.docno = evaluation.qrels.docno,
                                             .family_map = family_map,
                                             .min_grade = evaluation.qrels.min_grade,
                                             .categories = categories_of(evaluation)});
  std::vector<MustFind> matched;
  std::vector<std::string> missing;
  for (const TopicQrels& topic : citations.topics()) {
    for (std::uint32_t i = 0; i < topic.judgements().size(); ++i) {
      if (!topic.is_relevant(JudgementIndex(i))) continue;
      auto found = find_citation(evaluation, citations.docnos(), topic.id(), topic.judgements()[i]);
      if (auto* why = std::get_if<std::string>(&found)) {
        missing.push_back(std::move(*why));
      } else {
        matched.push_back(std::get<MustFind>(std::move(found)));
      }
    }
  }
  if (!missing.empty()) throw not_found_error(path, std::move(missing));
  return matched;
}

}  // namespace prescope
