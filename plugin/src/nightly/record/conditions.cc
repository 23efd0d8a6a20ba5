#include "nightly/record/conditions.h"

#include <fmt/format.h>
#include <algorithm>
#include <locale>
#include <map>
#include <sstream>

#include "base/toml_file.h"

namespace prescope {

namespace {

constexpr ConditionKind kKinds[] = {{"run.", kConditionsRule},
                                    {"topics.", kConditionsRule},
                                    {"qrels.", kConditionsRule},
                                    {"index.", kIndexRule},
                                    {"", kArmRule}};

using Values = std::map<std::string, std::string>;

/// Returns the table of an array with one table, else null.
const toml::table* only_table_of(const toml::node& node) {
  const toml::array* const array = node.as_array();
  return array != nullptr && array->size() == 1 ? array->front().as_table() : nullptr;
}

std::string text_of(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  std::ostringstream out;
  out.imbue(std::locale::classic());
  node.visit([&](const auto& value) { out << value; });
  return out.str();
}

/// Adds the values of a table under their names: `[[arms]] fields.title` is "arm.fields.title".
void flatten(const toml::table& table, const std::string& prefix, Values& values) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (const toml::table* const inner = node.as_table()) {
      flatten(*inner, name + '.', values);
    } else if (const toml::table* const arm = only_table_of(node)) {
      flatten(*arm, "arm.", values);
    } else {
      values[name] = text_of(node);
    }
  }
}

void add_config(const std::string& config, Values& values) {
  try {
    flatten(toml::parse(config), "", values);
  } catch (const toml::parse_error&) {
    values["arm"] = config;
  }
}

void add_passport(const IndexPassport& passport, Values& values) {
  if (passport.analyzer) values["index.analyzer"] = *passport.analyzer;
  if (!passport.fields) return;
  std::vector<std::string_view> names;
  for (const IndexPassport::Field& field : *passport.fields) names.push_back(field.name);
  values["index.fields"] = fmt::format("{}", fmt::join(names, " "));
}

/// The word for a condition that an evaluation lacks.
std::string_view absent(std::string_view name) {
  return kind_of(name).rule == kIndexRule ? "unknown" : "not set";
}

}  // namespace

const ConditionKind& kind_of(std::string_view condition) noexcept {
  return *std::ranges::find_if(
      kKinds, [&](const ConditionKind& kind) { return condition.starts_with(kind.prefix); });
}

std::vector<Condition> conditions_of(const EvaluationRecord& record) {
  Values values;
  for (const Condition& one : record.conditions) values[one.name] = one.value;
  add_config(record.config, values);
  if (!record.index.engine.empty()) {
    values["engine"] = fmt::format("{} {}", record.index.engine, record.index.engine_version);
  }
  add_passport(record.index.passport, values);
  std::vector<Condition> conditions;
  for (auto& [name, value] : values) conditions.push_back({name, value});
  return conditions;
}

std::vector<ChangedCondition> changed_conditions(std::span<const Condition> before,
                                                 std::span<const Condition> after) {
  std::map<std::string_view, ChangedCondition> all;
  for (const Condition& one : before) all[one.name].before = one.value;
  for (const Condition& one : after) all[one.name].after = one.value;
  std::vector<ChangedCondition> changes;
  for (auto& [name, change] : all) {
    if (change.before == change.after) continue;
    change.name = name;
    changes.push_back(std::move(change));
  }
  return changes;
}

std::string changed_words(std::span<const ChangedCondition> changes) {
  std::vector<std::string> words;
  for (const ChangedCondition& change : changes) {
    const std::string_view none = absent(change.name);
    words.push_back(fmt::format("{} was {} and is {}", change.name,
                                change.before ? std::string_view(*change.before) : none,
                                change.after ? std::string_view(*change.after) : none));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace prescope
