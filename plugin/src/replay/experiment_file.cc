#include "replay/replay_options.h"

#include <algorithm>
#include <sstream>

#include "base/errors.h"
#include "base/text_file.h"
#include "judgements/judgement_line.h"
#include "replay/engines.h"

namespace prescope {

namespace {

/// "fields.title" is the key title of the table fields.
void set_nested(toml::table& table, std::string_view key, const std::string& value) {
  const std::size_t dot = key.find('.');
  if (dot == std::string_view::npos) {
    table.insert_or_assign(key, value);
    return;
  }
  toml::node* nested = table.get(key.substr(0, dot));
  if (nested == nullptr || !nested->is_table()) {
    nested = &table.insert_or_assign(key.substr(0, dot), toml::table{}).first->second;
  }
  set_nested(*nested->as_table(), key.substr(dot + 1), value);
}

namespace fs = std::filesystem;

bool is_list(ValueKind kind) {
  return kind == ValueKind::kTextList || kind == ValueKind::kIntegerList ||
         kind == ValueKind::kNumberList;
}

bool is_number(ValueKind kind) {
  return kind == ValueKind::kNumber || kind == ValueKind::kNumberList;
}

bool is_integer(ValueKind kind) {
  return kind == ValueKind::kInteger || kind == ValueKind::kIntegerList;
}

std::string_view type_expected(ValueKind kind) {
  if (kind == ValueKind::kNumberList) return "an array of numbers";
  if (is_list(kind)) return is_integer(kind) ? "an array of integers" : "an array of strings";
  if (is_number(kind)) return "a number";
  return is_integer(kind) ? "an integer" : "a string";
}

/// Returns a scalar as text; std::nullopt for anything else.
std::optional<std::string> scalar_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* integer = node.as_integer()) return fmt::format("{}", integer->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* boolean = node.as_boolean()) return fmt::format("{}", boolean->get());
  return std::nullopt;
}

/// Returns the text of a value, or of each one in a list; std::nullopt if it is of another type.
std::optional<std::vector<std::string>> items_of(ValueKind kind, const toml::node& node) {
  const auto has_type = [&](const toml::node& item) {
    if (is_number(kind)) return item.is_number();
    return is_integer(kind) ? item.is_integer() : item.is_string();
  };
  if (!is_list(kind)) {
    return has_type(node) ? std::optional(std::vector{*scalar_text(node)}) : std::nullopt;
  }
  const toml::array* list = node.as_array();
  if (list == nullptr || !std::all_of(list->begin(), list->end(), has_type)) return std::nullopt;
  std::vector<std::string> items;
  for (const toml::node& item : *list) items.push_back(*scalar_text(item));
  return items;
}

void for_each_key(auto use) {
  for (const OptionKey& key : kOptionKeys) use(key);
  for (const OptionKey& key : kLiveKeys) use(key);
  for (const OptionKey& key : kTestKeys) use(key);
  for (const OptionKey& key : kActionKeys) use(key);
}

const OptionKey* find_key(std::string_view name) {
  const OptionKey* found = nullptr;
  for_each_key([&](const OptionKey& key) { found = key.key == name ? &key : found; });
  return found;
}

class Reader {
 public:
  Reader(const fs::path& path, OptionProblems& problems) : path_(path), problems_(problems) {}

  RawOptions read(const toml::table& root) {
    TomlKeys keys{
        .kind = "key", .known = {}, .read = [&](const std::string& key, const toml::node& node) {
          read_key(key, node);
        }};
    for_each_key([&](const OptionKey& option) { keys.known.push_back(option.key); });
    keys.known.insert(keys.known.end(), {categories(), "arms"});
    read_toml_keys(root, keys, path_, problems_);
    return std::move(raw_);
  }

 private:
  /// The place of a key or a value.
  template <class Node>
  [[nodiscard]] std::string place(const Node& node) const {
    return toml_place(path_, node.source());
  }

  void wrong_type(const std::string& key, const toml::node& node, std::string_view expected) {
    problems_.add(place(node),
                  fmt::format("{} is {}; expected {}", key, toml_type(node), expected));
  }

  static std::string_view categories() { return kCategories.substr(0, kCategories.size() - 1); }

  void read_key(const std::string& key, const toml::node& node) {
    if (const OptionKey* const option = find_key(key)) {
      read_value(*option, node);
    } else if (key == "arms") {
      read_arms(node);
    } else if (key == categories() && node.is_table()) {
      for (const auto& [letter, grade] : *node.as_table()) {
        read_grade(std::string(kCategories) + std::string(letter.str()), grade);
      }
    } else {
      wrong_type(key, node, fmt::format("a table: [{}]", key));
    }
  }

  void read_value(const OptionKey& option, const toml::node& node) {
    const auto items = items_of(option.kind, node);
    if (!items) wrong_type(std::string(option.key), node, type_expected(option.kind));
    RawValue value{.items = items.value_or(std::vector<std::string>()),
                   .place = place(node),
                   .refused = !items};
    for (std::string& item : value.items) item = located(option.kind, std::move(item));
    raw_.values[std::string(option.key)] = std::move(value);
  }

  [[nodiscard]] std::string located(ValueKind kind, std::string text) const {
    const bool is_path = (kind == ValueKind::kPath && !is_url(text)) ||
                         (kind == ValueKind::kEngine && is_module_path(text));
    return is_path && !text.empty() ? (path_.parent_path() / text).string() : text;
  }

  void read_grade(const std::string& key, const toml::node& node) {
    if (!node.is_integer()) return wrong_type(key, node, "an integer");
    raw_.values[key] = {.items = {*scalar_text(node)}, .place = place(node)};
  }

  void read_arms(const toml::node& node) {
    const toml::array* arms = node.as_array();
    if (arms == nullptr || !arms->is_homogeneous<toml::table>()) {
      return wrong_type("arms", node, "an array of tables: [[arms]]");
    }
    for (const toml::node& arm : *arms) read_arm(*arm.as_table());
  }

  void read_arm(const toml::table& table) {
    ReplayArm arm{.place = place(table)};
    if (!table.contains("name")) {
      problems_.add(arm.place, "an arm without a name; expected name = \"...\"");
    }
    const std::string name = text_of(table, "name", ValueKind::kText);
    if (!name.empty()) {
      arm.config.id = ArmId(name);
      arm.place = place(*table.get("name"));
    }
    arm.engine = text_of(table, "engine", ValueKind::kEngine);
    arm.index = text_of(table, "index", ValueKind::kPath);
    add_settings(table, "", arm.config);
    raw_.arms.push_back(std::move(arm));
  }

  /// Returns a value that is no setting of the arm's engine; empty if it is not there or refused.
  std::string text_of(const toml::table& table, const char* key, ValueKind kind) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return {};
    const auto text = node->value_exact<std::string>();
    if (!text) wrong_type(key, *node, "a string");
    if (text == "") problems_.add(place(*node), fmt::format("an arm's {} is empty", key));
    return located(kind, text.value_or(""));
  }

  void add_settings(const toml::table& table, const std::string& prefix, ArmConfig& arm) {
    for (const auto& [key, node] : in_file_order(table)) {
      const std::string full = prefix + std::string(key->str());
      if (full == "name" || full == "engine" || full == "index") continue;
      if (const toml::table* nested = node->as_table()) {
        add_settings(*nested, full + ".", arm);
      } else if (auto value = scalar_text(*node)) {
        arm.settings.push_back({full, std::move(*value), place(*key)});
      } else {
        wrong_type(full, *node, "a string, a number or a boolean");
      }
    }
  }

  const fs::path& path_;
  OptionProblems& problems_;
  RawOptions raw_;
};

ReplayArm& arm_of(RawOptions& raw, const std::string& name, std::string_view place) {
  for (ReplayArm& arm : raw.arms) {
    if (arm.config.id.text() == name) return arm;
  }
  return raw.arms.emplace_back(
      ReplayArm{.config = {.id = ArmId(name), .settings = {}}, .place = std::string(place)});
}

void set(ReplayArm& arm, const std::string& key, std::string value, std::string_view place) {
  if (key == "engine") {
    arm.engine = std::move(value);
  } else if (key == "index") {
    arm.index = std::move(value);
  } else {
    std::vector<ArmSetting>& settings = arm.config.settings;
    const auto known = std::ranges::find(settings, key, &ArmSetting::key);
    ArmSetting& setting = known != settings.end() ? *known : settings.emplace_back();
    setting = {key, std::move(value), std::string(place)};
  }
}

void override_values(const ReplayFlags& flags, RawOptions& raw) {
  const auto value_of = [&](std::string_view key) {
    const auto at = flags.values.find(key);
    return at == flags.values.end() ? std::nullopt : at->second;
  };
  const auto given = [&](std::string_view key) { return value_of(key).has_value(); };
  // A flag also replaces keys with the same meaning.
  if (given("topics.path") && !given("topics.source")) raw.values.erase("topics.source");
  if (given("topics.source") && !given("topics.path") && value_of("topics.source") == "documents") {
    raw.values.erase("topics.path");
  }
  if (given("cutoffs")) raw.values.erase("measures");
  if (given("measures")) raw.values.erase("cutoffs");
  for_each_key([&](const OptionKey& key) {
    const std::optional<std::string> text = value_of(key.key);
    if (!text) return;
    raw.values[std::string(key.key)] = {
        .items = is_list(key.kind) ? split(*text, ',') : std::vector<std::string>{*text},
        .place = std::string(key.flag)};
  });
}

void override_categories(const ReplayFlags& flags, RawOptions& raw, OptionProblems& problems) {
  CitationCategories given;  // tells of two grades for one letter
  for (const std::string& text : flags.categories) {
    try {
      const auto [letter, grade] = split_category(text);
      set_category(given, letter, grade);
      raw.values[std::string(kCategories) + letter] = {.items = {grade}, .place = "--category"};
    } catch (const Error& error) {
      problems.add("--category", error.what());
    }
  }
}

void override_arm_settings(const ReplayFlags& flags, RawOptions& raw, OptionProblems& problems) {
  constexpr std::string_view kPlace = "--arm";
  for (const std::string& text : flags.arm_settings) {
    const std::size_t colon = text.find(':');
    if (colon == 0 || text.empty()) {
      problems.add(kPlace, fmt::format("'{}'; expected NAME:KEY=VALUE,KEY=VALUE", text));
      continue;
    }
    ReplayArm& arm = arm_of(raw, text.substr(0, colon), kPlace);
    if (colon == std::string::npos || colon + 1 == text.size()) continue;
    for (const std::string& pair : split(std::string_view(text).substr(colon + 1), ',')) {
      const std::size_t equals = pair.find('=');
      if (equals == std::string::npos || equals == 0) {
        problems.add(kPlace, fmt::format("'{}' of arm '{}'; expected NAME:KEY=VALUE,KEY=VALUE",
                                         pair, arm.config.id.text()));
        continue;
      }
      set(arm, pair.substr(0, equals), pair.substr(equals + 1), kPlace);
    }
  }
}

void choose_arms(const ReplayFlags& flags, RawOptions& raw, OptionProblems& problems) {
  if (flags.arms.empty()) return;
  std::vector<ReplayArm> chosen;
  for (const std::string& name : split(flags.arms, ',')) {
    const auto found = std::ranges::find(raw.arms, name,
                                         [](const ReplayArm& arm) { return arm.config.id.text(); });
    if (found != raw.arms.end()) {
      chosen.push_back(*found);
      continue;
    }
    std::vector<std::string_view> names;
    for (const ReplayArm& arm : raw.arms) names.push_back(arm.config.id.text());
    problems.add("--arms", unknown_name_message("arm", name, names));
  }
  if (!chosen.empty()) raw.arms = std::move(chosen);
}

}  // namespace

std::string arm_toml(const ReplayOptions& options, const ReplayArm& arm) {
  toml::table settings{{"name", arm.config.id.text()}};
  for (const ArmSetting& setting : arm.config.settings) {
    set_nested(settings, setting.key, setting.value);
  }
  const toml::table file{{"engine", arm.engine},
                         {"topics", toml::table{{"exclude", to_string(options.exclude)}}},
                         {"arms", toml::array{std::move(settings)}}};
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << file << '\n';
  return text.str();
}

ReplayArm read_arm_toml(const std::string& text) {
  OptionProblems problems;
  const fs::path no_file;
  RawOptions raw;
  try {
    raw = Reader(no_file, problems).read(toml::parse(text));
  } catch (const toml::parse_error& error) {
    throw Error(ErrorCode::kBadInput, std::string(error.description()));
  }
  problems.throw_if_any();
  const auto engine = raw.values.find("engine");
  if (raw.arms.size() != 1 || engine == raw.values.end()) {
    throw bad_input_error("expected an engine and one arm");
  }
  return {.config = raw.arms.front().config, .engine = engine->second.items.front(), .index = {}};
}

RawOptions read_experiment_file(const fs::path& path, OptionProblems& problems) {
  return Reader(path, problems).read(read_toml_file(path, "an experiment file"));
}

void override_options(const ReplayFlags& flags, RawOptions& raw, OptionProblems& problems) {
  override_values(flags, raw);
  override_categories(flags, raw, problems);
  override_arm_settings(flags, raw, problems);
  choose_arms(flags, raw, problems);
}

}  // namespace prescope
