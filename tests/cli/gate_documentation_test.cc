// The pages on pin, gate and the gate's JSON keep up with the program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "support/gate_verdict.h"
#include "support/workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::HasSubstr;

const std::filesystem::path kDocs = std::filesystem::path(PRESCOPE_SOURCE_DIR) / "docs";

/// The keys of `means` are measures.
void collect_gate_keys(const json& value, std::set<std::string>& keys, bool are_names = false) {
  if (value.is_array()) {
    for (const json& item : value) collect_gate_keys(item, keys);
  }
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.items()) {
    if (!are_names) keys.insert(key);
    collect_gate_keys(member, keys, key == "means");
  }
}

TEST(GateDocumentation, JsonPageNamesEveryKey) {
  std::set<std::string> keys, rules;
  for (const GateReport& report : {sliced_report(), bad_input_report()}) {
    json all = json::parse(gate_json(report));
    collect_gate_keys(all["applied"], rules);
    all.erase("applied");
    collect_gate_keys(all, keys);
  }
  EXPECT_GT(keys.size(), 70U);
  const std::string page = content_of(kDocs / "gate-json.md");
  for (const std::string& key : keys) EXPECT_THAT(page, HasSubstr("`" + key + "`")) << key;
  const std::string rules_page = content_of(kDocs / "gate.md");
  for (const std::string& key : rules) {
    EXPECT_THAT(rules_page, AnyOf(HasSubstr("`" + key + "`"), HasSubstr("." + key + "`"),
                                  HasSubstr("[" + key + "]"), HasSubstr("[[" + key + "]]")))
        << key;
  }
}

std::set<std::string> flags_of(const std::string& command) {
  const std::string help = run_program({.arguments = {command, "--help"}, .environment = {}}).out;
  const std::regex flag("\n  (?:-[a-z],)?(--[a-z-]+)");
  std::set<std::string> flags;
  for (std::sregex_iterator at(help.begin(), help.end(), flag), end; at != end; ++at) {
    if ((*at)[1] != "--help") flags.insert((*at)[1]);
  }
  return flags;
}

TEST(GateDocumentation, PagesNameEveryFlag) {
  const std::string pin = content_of(kDocs / "pin.md");
  const std::set<std::string> of_pin = flags_of("pin");
  EXPECT_GT(of_pin.size(), 10U);
  for (const std::string& flag : of_pin) {
    const std::string shown = flag == "--measures" ? "-m" : flag;
    EXPECT_THAT(pin, HasSubstr("`" + shown + "`")) << flag;
  }
  const std::string gate = content_of(kDocs / "gate.md");
  for (const std::string& flag : flags_of("gate")) {
    if (of_pin.contains(flag) && flag != "--from") continue;  // described with pin
    EXPECT_THAT(gate, HasSubstr("`" + flag + "`")) << flag;
  }
}

}  // namespace
}  // namespace prescope::testing
