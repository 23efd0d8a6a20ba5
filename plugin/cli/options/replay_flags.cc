#include "cli/options/replay_flags.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "prescope/error.h"
#include "replay/replay_options.h"

namespace prescope::cli {

namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool is_list(ValueKind kind) {
  return kind == ValueKind::kTextList || kind == ValueKind::kIntegerList;
}

/// The last one with this key, or a new one.
ArmSetting& setting_of(ArmConfig& arm, const std::string& key) {
  for (ArmSetting& setting : arm.settings) {
    if (setting.key == key) return setting;
  }
  return arm.settings.emplace_back(ArmSetting{key, {}, {}});
}

RawArm& arm_of(RawOptions& raw, const std::string& name, std::string_view place) {
  for (RawArm& arm : raw.arms) {
    if (arm.config.id.text() == name) return arm;
  }
  return raw.arms.emplace_back(RawArm{.config = {.id = ArmId(name), .settings = {}},
                                      .place = std::string(place),
                                      .engine = {},
                                      .index = {}});
}

void set(RawArm& arm, const std::string& key, std::string value, std::string_view place) {
  if (key == "engine") {
    arm.engine = std::move(value);
  } else if (key == "index") {
    arm.index = std::move(value);
  } else {
    ArmSetting& setting = setting_of(arm.config, key);
    setting.value = std::move(value);
    setting.place = place;
  }
}

}  // namespace

void ReplayFlags::add_to(CommandParser& parser) {
  for (const OptionKey& key : kOptionKeys) {
    parser.option(std::string(key.flag), values_[std::string(key.key)], std::string(key.value_name),
                  std::string(key.help));
  }
  parser.option("--category", categories_, "X=3", "Grade of a citation category; may be repeated");
  parser.option("--arms", arms_, "A,B", "Arms to run, in this order; the first is compared with");
  parser.option("--arm", arm_settings_, "NAME:KEY=VALUE,...",
                "Adds an arm or changes its settings; may be repeated");
}

std::string ReplayFlags::engine() const { return values_.at("engine").value_or(""); }

void ReplayFlags::override(RawOptions& raw, Problems& problems) const {
  override_values(raw);
  override_categories(raw, problems);
  override_arm_settings(raw, problems);
  choose_arms(raw, problems);
}

void ReplayFlags::override_values(RawOptions& raw) const {
  const auto given = [&](std::string_view key) { return values_.find(key)->second.has_value(); };
  // A flag also replaces what says the same in another way.
  if (given("topics.path") && !given("topics.source")) raw.values.erase("topics.source");
  if (given("topics.source") && !given("topics.path") &&
      values_.at("topics.source") == "documents") {
    raw.values.erase("topics.path");
  }
  if (given("cutoffs")) raw.values.erase("measures");
  if (given("measures")) raw.values.erase("cutoffs");
  for (const OptionKey& key : kOptionKeys) {
    const std::optional<std::string>& text = values_.find(key.key)->second;
    if (!text) continue;
    raw.values[std::string(key.key)] = {
        .items = is_list(key.kind) ? split(*text, ',') : std::vector<std::string>{*text},
        .place = std::string(key.flag)};
  }
}

void ReplayFlags::override_categories(RawOptions& raw, Problems& problems) const {
  for (const std::string& text : categories_) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      problems.add("--category", fmt::format("'{}'; expected a letter and its grade: X=3", text));
      continue;
    }
    raw.categories.push_back(
        {text.substr(0, equals), {.items = {text.substr(equals + 1)}, .place = "--category"}});
  }
}

void ReplayFlags::override_arm_settings(RawOptions& raw, Problems& problems) const {
  constexpr std::string_view kPlace = "--arm";
  for (const std::string& text : arm_settings_) {
    const std::size_t colon = text.find(':');
    if (colon == 0 || text.empty()) {
      problems.add(kPlace, fmt::format("'{}'; expected NAME:KEY=VALUE,KEY=VALUE", text));
      continue;
    }
    RawArm& arm = arm_of(raw, text.substr(0, colon), kPlace);
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

void ReplayFlags::choose_arms(RawOptions& raw, Problems& problems) const {
  if (arms_.empty()) return;
  std::vector<RawArm> chosen;
  for (const std::string& name : split(arms_, ',')) {
    const auto found = std::find_if(raw.arms.begin(), raw.arms.end(), [&](const RawArm& arm) {
      return arm.config.id.text() == name;
    });
    if (found != raw.arms.end()) {
      chosen.push_back(*found);
      continue;
    }
    std::vector<std::string_view> names;
    for (const RawArm& arm : raw.arms) names.push_back(arm.config.id.text());
    problems.add("--arms", unknown_name_message("arm", name, names));
  }
  raw.arms = std::move(chosen);
}

}  // namespace prescope::cli
