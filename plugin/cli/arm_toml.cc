#include "cli/arm_toml.h"

#include <toml++/toml.h>
#include <sstream>
#include <string_view>

namespace prescope::cli {
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

}  // namespace

std::string arm_toml(const ReplayOptions& options, const ReplayArm& arm) {
  toml::table settings;
  settings.insert_or_assign("name", arm.config.id.text());
  for (const ArmSetting& setting : arm.config.settings) {
    set_nested(settings, setting.key, setting.value);
  }
  toml::table topics;
  topics.insert_or_assign("exclude", std::string(to_string(options.exclude)));
  toml::table file;
  file.insert_or_assign("engine", arm.engine);
  file.insert_or_assign("topics", std::move(topics));
  file.insert_or_assign("arms", toml::array{std::move(settings)});
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << file << '\n';
  return text.str();
}

}  // namespace prescope::cli
