// The rules of a gate as a file: read, refused by line, and written so that it reads back the same.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "nightly/gate/gate_rules.h"
#include "support/scratch_file.h"

namespace prescope::testing {
namespace {

using ::testing::HasSubstr;

GateRules read(const std::string& text) {
  const ScratchFolder folder;
  return read_gate_rules(folder.write("rules.toml", text));
}

/// Leaves out the folder of the file.
Refusal refused(const std::string& text) {
  const ScratchFolder folder;
  const auto path = folder.write("rules.toml", text);
  Refusal refusal = refusal_of([&] { (void)read_gate_rules(path); });
  const std::string place = folder.path().string() + "/";
  for (std::size_t at = 0; (at = refusal.message.find(place)) != std::string::npos;) {
    refusal.message.erase(at, place.size());
  }
  return refusal;
}

TEST(GateRulesFile, EmptyFileHasTheDefaults) { EXPECT_EQ(read(""), GateRules{}); }

TEST(GateRulesFile, ReadsEveryKey) {
  const GateRules rules = read(R"(
margin = 0.02
confidence = 0.99
[[decisions]]
measure = "R@1000"
[[decisions]]
measure = "PRES@100"
margin = 0.005
[catastrophe]
must_find = false
emptied = false
emptied_allowed = ["T1", "ü"]
hard_loss_share = 0
fall = 1
fall_share = 0.5
[slices]
path = "/etc/patents.jsonl"
by = ["section", "ü"]
margin = 0.03
must_decide = true
[latency]
ratio = 1.5
[input]
judged_found_fall = 0.0
documents_change = 3.5
topics_missing = 4294967295
duplicates_share = 1.0
)");
  const GateRules expected = {
      .decisions = {{Measure::parse("R@1000"), 0.02}, {Measure::parse("PRES@100"), 0.005}},
      .margin = 0.02,
      .confidence = 0.99,
      .catastrophe = {.must_find = false,
                      .emptied = false,
                      .emptied_allowed = {TopicId("T1"), TopicId("ü")},
                      .hard_loss_share = 0.0,
                      .fall = 1.0,
                      .fall_share = 0.5},
      .slices = {.path = "/etc/patents.jsonl",
                 .by = {"section", "ü"},
                 .margin = 0.03,
                 .must_decide = true},
      .latency = {.ratio = 1.5},
      .input = {.judged_found_fall = 0.0,
                .documents_change = 3.5,
                .topics_missing = 4294967295U,
                .duplicates_share = 1.0}};
  EXPECT_EQ(rules, expected);
  EXPECT_EQ(read("latency.ratio = false").latency.ratio, std::nullopt);
}

TEST(GateRulesFile, ReportsAllProblemsAtOnceByLine) {
  const Refusal refusal = refused(R"(margin = -0.01
confidnce = 0.95
[[decisions]]
measure = "PRES@100"
margin = 1.0
[[decisions]]
measure = "PRSE@100"
[[decisions]]
measure = "PRES@100"
[[decisions]]
measure = "nDCG@10"
[[decisions]]
margins = 0.01
[catastrophe]
fall = "far"
emptid = true
emptied_allowed = ["T1", 2]
[slices]
path = 3
by = ["section", 1]
margin = 1.5
[latency]
ratio = true
[input]
topics_missing = -1
duplicates_share = nan
)");
  EXPECT_EQ(refusal.code, ErrorCode::kUsage);
  std::vector<std::string> expected = {
      "rules.toml:1: margin is -0.01; expected a number in (0, 1)\n",
      "rules.toml:2: unknown rule 'confidnce'; did you mean 'confidence'? Valid: decisions, "
      "margin, "
      "confidence, catastrophe, slices, latency, input\n",
      "rules.toml:5: margin is 1; expected a number in (0, 1)\n",
      "rules.toml:7: unknown measure 'PRSE@100'; did you mean 'PRES@100'?",
      "rules.toml:9: PRES@100 decides twice; expected each measure once\n",
      "rules.toml:11: nDCG@10 cannot decide: it needs more than the ranks of relevant documents",
      "rules.toml:12: a decision without a measure; expected measure = \"PRES@100\"\n",
      "rules.toml:13: unknown key of [[decisions]] 'margins'; did you mean 'margin'?",
      "rules.toml:15: catastrophe.fall is a string; expected a number in (0, 1]\n",
      "rules.toml:16: unknown rule of [catastrophe] 'emptid'; did you mean 'emptied'?",
      "rules.toml:17: catastrophe.emptied_allowed is an array; expected an array of topic ids\n",
      "rules.toml:19: slices.path is 3; expected a path, from the folder of this file on\n",
      "rules.toml:20: slices.by is an array; expected an array of texts\n",
      "rules.toml:21: slices.margin is 1.5; expected a number in (0, 1), or false\n",
      "rules.toml:23: latency.ratio is a boolean; expected a number above 0, or false\n",
      "rules.toml:25: input.topics_missing is -1; expected an integer in [0, 4294967295]\n",
      "rules.toml:26: input.duplicates_share is nan; expected a number in [0, 1]"};
  for (const std::string& problem : expected) EXPECT_THAT(refusal.message, HasSubstr(problem));
  EXPECT_EQ(std::ranges::count(refusal.message, '\n') + 1, std::ssize(expected));
}

TEST(GateRulesFile, RefusesOtherFiles) {
  EXPECT_EQ(refused("margin = ").code, ErrorCode::kBadInput);
  EXPECT_THAT(refused("a = 1\nmargin = ").message, HasSubstr("rules.toml:2: not TOML: "));
  EXPECT_THAT(refused("input = 3").message,
              HasSubstr("rules.toml:1: input is 3; expected a table: [input]"));
  EXPECT_THAT(refused("decisions = \"PRES@100\"").message,
              HasSubstr("decisions is a string; expected an array of tables: [[decisions]]"));
  const Refusal missing = refusal_of([] { (void)read_gate_rules("no/such/rules.toml"); });
  EXPECT_EQ(missing.code, ErrorCode::kIo);
  EXPECT_EQ(missing.message,
            "no/such/rules.toml: cannot be read; expected the rules of a gate (TOML)");
}

/// Returns any valid rules, drawn from `random`.
GateRules any_rules(std::mt19937_64& random) {
  std::uniform_real_distribution<double> share(0.0, 1.0);
  std::uniform_int_distribution<int> coin(0, 1);
  GateRules rules;
  for (const GateRuleKey& key : gate_rule_keys()) {
    GateRuleValue value = key.get(rules);
    if (auto* flag = std::get_if<bool>(&value)) *flag = coin(random) == 1;
    if (auto* count = std::get_if<std::uint32_t>(&value))
      *count = static_cast<std::uint32_t>(random());
    if (auto* number = std::get_if<double>(&value)) *number = share(random);
    if (auto* number = std::get_if<std::optional<double>>(&value)) {
      *number = coin(random) == 1 ? std::optional(1e-7 + 100.0 * share(random)) : std::nullopt;
    }
    if (auto* topics = std::get_if<std::vector<TopicId>>(&value)) {
      for (int i = coin(random); i > 0; --i) {
        topics->emplace_back(std::string("\"\\\t\x7f'\n# ü ") + std::to_string(random()));
      }
    }
    // A relative path would begin at the folder of the file.
    const auto any_text = [&] { return fmt::format("/\"\\\t\x7f'\n# ü {}", random()); };
    if (auto* text = std::get_if<std::string>(&value)) *text = coin(random) == 1 ? any_text() : "";
    if (auto* texts = std::get_if<std::vector<std::string>>(&value)) {
      for (int i = coin(random); i > 0; --i) texts->push_back(any_text());
    }
    if (is_allowed(key, value)) key.set(rules, value);
  }
  for (const char* measure : {"PRES@100", "R@1000", "AP", "RBP0.8", "Fap4@100"}) {
    if (coin(random) == 1) rules.decisions.push_back({Measure::parse(measure), share(random)});
  }
  return rules;
}

TEST(GateRulesFile, WrittenRulesReadBackEqual) {
  EXPECT_EQ(read(gate_rules_toml({})), GateRules{});
  std::mt19937_64 random(20100719);
  const ScratchFolder folder;
  for (int i = 0; i < 500; ++i) {
    const GateRules rules = any_rules(random);
    const std::string text = gate_rules_toml(rules);
    ASSERT_EQ(read_gate_rules(folder.write("rules.toml", text)), rules) << text;
  }
}

TEST(GateRulesFile, EveryKeyIsWrittenWithItsMeaning) {
  const std::string text = gate_rules_toml({});
  for (const GateRuleKey& key : gate_rule_keys()) {
    EXPECT_THAT(text, HasSubstr(fmt::format("# {}; {}\n", key.meaning, key.range)));
  }
}

TEST(GateRulesFile, EveryKeyAndItsDefaultIsDocumented) {
  const std::string page = content_of(PRESCOPE_SOURCE_DIR "/docs/gate.md");
  for (const GateRuleKey& key : gate_rule_keys()) {
    EXPECT_THAT(page, HasSubstr(fmt::format("`{}`", key.key)));
  }
  EXPECT_THAT(page, HasSubstr("`decisions`"));
  // The full output of --show-rules.
  EXPECT_THAT(page, HasSubstr("```toml\n" + gate_rules_toml({}) + "```\n"));
}

}  // namespace
}  // namespace prescope::testing
