#include "support/workspace.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace prescope::testing {

namespace fs = std::filesystem;

nlohmann::json Workspace::read_json(std::string_view name) const {
  return nlohmann::json::parse(read(name));
}

bool Workspace::has(std::string_view name) const { return fs::exists(path(name)); }

bool Workspace::has_unfinished_file() const {
  const auto is_unfinished = [](const auto& entry) {
    return entry.path().extension() == ".partial";
  };
  return std::ranges::any_of(fs::directory_iterator(folder()), is_unfinished);
}

Outcome Workspace::run(std::vector<std::string> arguments,
                       std::map<std::string, std::string> environment) const {
  return run_program({.arguments = std::move(arguments),
                      .environment = std::move(environment),
                      .folder = folder()});
}

std::string test_module(std::string_view name) {
  return fmt::format("{}/prescope-engine-{}.so", test_modules(), name);
}

void set_up_toy(const Workspace& workspace) {
  workspace.write("documents.jsonl", R"({"id": "EP0000001A1", "title": "one"}
{"id": "EP0000002A1", "title": "two"}
{"id": "EP0000003A1", "title": "three", "family": ["EP0000004A1"]}
{"id": "EP0000004A1", "title": "four"}
{"id": "EP0000005A1", "title": "five"}
)");
  workspace.write("qrels.txt",
                  "T1 0 EP0000002A1 1\n"
                  "T2 0 EP0000001A1 1\n"
                  "T2 0 EP0000005A1 1\n");
  workspace.write("topics.tsv", "T1\tfirst\nT2\tsecond\n");
  workspace.write("experiment.toml", "name = 'toy'\nengine = '" + test_module("toy") + R"('
index = 'index'
cutoffs = [4]
depth = 5
[qrels]
path = 'qrels.txt'
[topics]
path = 'topics.tsv'
[[arms]]
name = 'forward'
[[arms]]
name = 'backward'
order = 'backward'
)");
  const Outcome indexed =
      workspace.run({"index", "--engine", test_module("toy"), "--out", "index", "documents.jsonl"});
  ASSERT_EQ(indexed.exit_code, 0) << indexed.err;
}

void remove_times(nlohmann::json& replay) {
  replay["options"].erase("threads");
  for (nlohmann::json& arm : replay["summary"]["arms"]) {
    arm["latency_ms"] = arm["latency_ms"]["count"];
    arm.erase("self_time_us");
  }
  replay.erase("latencies");
  // The words name the number of threads, too.
  std::erase_if(replay["words"]["subject"].get_ref<nlohmann::json::array_t&>(),
                [](const nlohmann::json& line) {
                  return line["words"].get<std::string>().find(" thread") != std::string::npos;
                });
  for (nlohmann::json& row : replay["summary"]["per_topic"]) {
    for (nlohmann::json& arm : row["arms"]) arm.erase("latency_ms");
  }
}

}  // namespace prescope::testing
