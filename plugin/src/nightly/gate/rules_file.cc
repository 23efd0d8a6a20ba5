#include "nightly/gate/gate_rules.h"

#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/toml_file.h"
#include "prescope/error.h"
#include "prescope/qrels.h"

namespace prescope {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDecisions = "decisions";

/// "input." of "input.topics_missing"; empty where the key is in no table.
std::string_view table_of(std::string_view key) {
  const std::size_t dot = key.find('.');
  return dot == std::string_view::npos ? std::string_view{} : key.substr(0, dot + 1);
}

/// A TOML value as the rules have it; nothing where it is of another type.
struct ValueReader {
  const toml::node& node;

  std::optional<GateRuleValue> operator()(bool) const {
    if (const auto* value = node.as_boolean()) return GateRuleValue(value->get());
    return std::nullopt;
  }
  std::optional<GateRuleValue> operator()(double) const {
    if (const auto value = number()) return GateRuleValue(*value);
    return std::nullopt;
  }
  std::optional<GateRuleValue> operator()(const std::optional<double>&) const {
    if (const auto* off = node.as_boolean(); off != nullptr && !off->get()) {
      return GateRuleValue(std::optional<double>());
    }
    if (const auto value = number()) return GateRuleValue(std::optional<double>(*value));
    return std::nullopt;
  }
  std::optional<GateRuleValue> operator()(std::uint32_t) const {
    const auto* value = node.as_integer();
    if (value == nullptr || !std::in_range<std::uint32_t>(value->get())) return std::nullopt;
    return GateRuleValue(static_cast<std::uint32_t>(value->get()));
  }
  std::optional<GateRuleValue> operator()(const std::vector<TopicId>&) const {
    const toml::array* list = node.as_array();
    if (list == nullptr || !(list->empty() || list->is_homogeneous<std::string>())) {
      return std::nullopt;
    }
    std::vector<TopicId> topics;
    for (const toml::node& item : *list) topics.emplace_back(item.as_string()->get());
    return GateRuleValue(std::move(topics));
  }
  [[nodiscard]] std::optional<double> number() const {
    return node.is_number() ? node.value<double>() : std::nullopt;
  }
};

class RulesReader {
 public:
  explicit RulesReader(const fs::path& path) : path_(path) {}

  GateRules read(const toml::table& root) {
    read_table(root, "");
    for (auto& [measure, margin] : decisions_) {
      rules_.decisions.push_back({measure, margin.value_or(rules_.margin)});
    }
    problems_.throw_if_any();
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
    if (const auto* integer = node.as_integer()) {
      return add_problem(node.source(),
                         fmt::format("{} is {}; expected {}", key, integer->get(), expected));
    }
    add_problem(node.source(),
                fmt::format("{} is {}; expected {}", key, toml_type(node), expected));
  }

  /// `prefix` is empty, or "input." and the like.
  void read_table(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : in_file_order(table)) {
      const std::string full = prefix + std::string(key->str());
      const auto known = std::ranges::find(gate_rule_keys(), full, &GateRuleKey::key);
      if (known != gate_rule_keys().end()) {
        read_value(*known, *node);
      } else if (full == kDecisions) {
        read_decisions(*node);
      } else if (has_keys(full + ".")) {
        read_nested(full, *node);
      } else {
        unknown_key(*key, prefix);
      }
    }
  }

  static bool has_keys(std::string_view prefix) {
    return std::ranges::any_of(gate_rule_keys(),
                               [&](const GateRuleKey& key) { return table_of(key.key) == prefix; });
  }

  void read_nested(const std::string& key, const toml::node& node) {
    if (const toml::table* table = node.as_table()) return read_table(*table, key + ".");
    wrong_type(key, node, fmt::format("a table: [{}]", key));
  }

  void unknown_key(const toml::key& key, const std::string& prefix) {
    std::vector<std::string_view> candidates;
    if (prefix.empty()) candidates.push_back(kDecisions);
    for (const GateRuleKey& known : gate_rule_keys()) {
      const std::string_view table = table_of(known.key);
      std::string_view name = known.key.substr(prefix.empty() ? 0 : table.size());
      if (table != prefix) {
        if (!prefix.empty()) continue;
        name = table.substr(0, table.size() - 1);  // the table's own name
      }
      if (std::ranges::find(candidates, name) == candidates.end()) candidates.push_back(name);
    }
    const std::string kind =
        prefix.empty() ? "rule" : fmt::format("rule of [{}]", prefix.substr(0, prefix.size() - 1));
    add_problem(key.source(), unknown_name_message(kind, key.str(), candidates));
  }

  void read_value(const GateRuleKey& key, const toml::node& node) {
    const auto value = std::visit(ValueReader{node}, key.get(rules_));
    if (!value) return wrong_type(key.key, node, key.range);
    if (!is_allowed(key, *value)) {
      const double number = *ValueReader{node}.number();
      return add_problem(node.source(), out_of_range_message(key.key, number, key.range));
    }
    key.set(rules_, *value);
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
    for (const auto& [key, node] : in_file_order(table)) {
      if (key->str() == "measure") {
        measure = read_measure(*node);
      } else if (key->str() == "margin") {
        margin = read_margin(*node);
      } else {
        constexpr std::string_view kKnown[] = {"measure", "margin"};
        add_problem(key->source(),
                    unknown_name_message("key of [[decisions]]", key->str(), kKnown));
      }
    }
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
    const std::optional<double> margin = ValueReader{node}.number();
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
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(const std::optional<double>& value) const {
    return value ? fmt::format("{}", *value) : "false";
  }
  std::string operator()(std::uint32_t value) const { return fmt::format("{}", value); }
  std::string operator()(const std::vector<TopicId>& topics) const {
    std::vector<std::string> texts;
    for (const TopicId& topic : topics) texts.push_back(toml_string(topic.text()));
    return fmt::format("[{}]", fmt::join(texts, ", "));
  }
};

void write_key(const GateRuleKey& key, const GateRules& rules, std::string& text) {
  text += fmt::format("# {}; {}\n{} = {}\n", key.meaning, key.range,
                      key.key.substr(table_of(key.key).size()),
                      std::visit(ValueWriter{}, key.get(rules)));
}

void write_decisions(const GateRules& rules, std::string& text) {
  text += "\n# What decides, each within its margin";
  text += rules.decisions.empty()
              ? ". Named by none: PRES and R at the first cutoff of the baseline's PRES.\n"
              : ".\n";
  for (const GateRules::Decision& decision : rules.decisions) {
    text += fmt::format("[[decisions]]\nmeasure = \"{}\"\nmargin = {}\n", decision.measure.name(),
                        decision.margin);
  }
}

}  // namespace

GateRules read_gate_rules(const fs::path& path) {
  return RulesReader(path).read(read_toml_file(path, "the rules of a gate"));
}

std::string gate_rules_toml(const GateRules& rules) {
  std::string text = "# Rules of a gate. docs/gate.md says why each is what it is.\n";
  std::string_view table;
  for (const GateRuleKey& key : gate_rule_keys()) {
    if (table_of(key.key) != table) {
      if (table.empty()) write_decisions(rules, text);
      table = table_of(key.key);
      text += fmt::format("\n[{}]\n", table.substr(0, table.size() - 1));
    }
    write_key(key, rules, text);
  }
  return text;
}

namespace {

/// Citations as the evaluation has them; those it has not, as sentences.
class Matcher {
 public:
  Matcher(const EvaluationRecord& evaluation, const DocnoNormalizer& docnos)
      : evaluation_(&evaluation), docnos_(&docnos) {}

  void add(const TopicId& topic, const Judgement& judgement) {
    const auto& topics = evaluation_->topics;
    const auto at = std::ranges::lower_bound(topics, topic, {}, &EvaluationRecord::Topic::id);
    if (at == topics.end() || at->id != topic) {
      missing_.push_back(fmt::format("topic '{}' is not in the evaluation", topic.text()));
      return;
    }
    for (const EvaluationRecord::Found& found : at->found) {
      if (docnos_->key(found.docno) != judgement.key) continue;
      matched_.push_back({topic, found.docno});
      return;
    }
    missing_.push_back(
        fmt::format("topic '{}' did not find '{}' among its {} relevant documents, or it is none "
                    "of them",
                    topic.text(), judgement.docno.text(), at->num_rel));
  }

  [[nodiscard]] std::vector<MustFind> matched(const std::filesystem::path& path) && {
    if (missing_.empty()) return std::move(matched_);
    constexpr std::size_t kShown = 5;
    const std::size_t all = missing_.size();
    missing_.resize(std::min(all, kShown));
    throw Error(ErrorCode::kBadInput,
                fmt::format("{}: {} not found by the evaluation that is to be pinned, which only "
                            "relevant documents that it finds can be: {}{}",
                            path.string(),
                            all == 1 ? "1 citation is" : fmt::format("{} citations are", all),
                            fmt::join(missing_, "; "),
                            all > kShown ? fmt::format("; and {} more", all - kShown) : ""));
  }

 private:
  const EvaluationRecord* evaluation_;
  const DocnoNormalizer* docnos_;
  std::vector<MustFind> matched_;
  std::vector<std::string> missing_;
};

}  // namespace

std::vector<MustFind> load_must_find(const std::filesystem::path& path,
                                     const std::filesystem::path& family_map,
                                     const EvaluationRecord& evaluation) {
  if (evaluation.qrels.docno == DocnoPolicy::kFamily && family_map.empty()) {
    throw Error(ErrorCode::kUsage,
                fmt::format("--must-find: the evaluation matches docnos by family; name the map "
                            "with --family-map, to match those of {}",
                            path.string()));
  }
  const Qrels citations = Qrels::load(path, {.docno = evaluation.qrels.docno,
                                             .family_map = family_map,
                                             .min_grade = evaluation.qrels.min_grade});
  Matcher matcher(evaluation, citations.docnos());
  for (const TopicQrels& topic : citations.topics()) {
    for (std::uint32_t i = 0; i < topic.judgements().size(); ++i) {
      if (topic.is_relevant(JudgementIndex(i))) matcher.add(topic.id(), topic.judgements()[i]);
    }
  }
  return std::move(matcher).matched(path);
}

}  // namespace prescope
