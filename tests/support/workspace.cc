#include "support/workspace.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdlib.h>
#include <zlib.h>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

namespace prescope::testing {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Workspace::Workspace() {
  std::string name = (fs::temp_directory_path() / "prescope-cli-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), name);
  }
  folder_ = name;
}

Workspace::~Workspace() {
  std::error_code in_use;
  fs::remove_all(folder_, in_use);
}

void Workspace::write(std::string_view name, std::string_view content) const {
  std::ofstream(path(name), std::ios::binary) << content;
}

void Workspace::write_gzip(std::string_view name, std::string_view content) const {
  const gzFile file = gzopen(path(name).c_str(), "wb");
  gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
  gzclose(file);
}

std::string Workspace::read(std::string_view name) const { return content_of(path(name)); }

nlohmann::json Workspace::read_json(std::string_view name) const {
  return nlohmann::json::parse(read(name));
}

bool Workspace::has(std::string_view name) const { return fs::exists(path(name)); }

bool Workspace::has_unfinished_file() const {
  const auto is_unfinished = [](const auto& entry) {
    return entry.path().extension() == ".partial";
  };
  return std::ranges::any_of(fs::directory_iterator(folder_), is_unfinished);
}

Outcome Workspace::run(std::vector<std::string> arguments,
                       std::map<std::string, std::string> environment) const {
  return run_program({.arguments = std::move(arguments),
                      .environment = std::move(environment),
                      .folder = folder_});
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
  for (nlohmann::json& pair : replay["summary"]["pairs"]) {
    pair.erase("latency_ratio");
    pair["words"].erase("latency");
    pair["words"].erase("finished_latency");
  }
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
