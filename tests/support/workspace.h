#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/program.h"
#include "support/scratch_file.h"

namespace prescope::testing {

/// A folder of one test, with the files that the test writes; removed with the object.
class Workspace {
 public:
  Workspace() = default;
  /// Makes a folder with the files that `set_up` writes.
  explicit Workspace(void (*set_up)(const Workspace& workspace)) { set_up(*this); }

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  [[nodiscard]] std::filesystem::path path(std::string_view name) const { return folder() / name; }
  void write(std::string_view name, std::string_view content) const {
    folder_.write(name, content);
  }
  void write_gzip(std::string_view name, std::string_view content) const {
    folder_.write_gzip(name, content);
  }
  [[nodiscard]] std::string read(std::string_view name) const { return content_of(path(name)); }
  [[nodiscard]] nlohmann::json read_json(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const;
  /// Returns true if a command left a file behind that it had begun to write.
  [[nodiscard]] bool has_unfinished_file() const;

  /// Runs the program in this folder.
  [[nodiscard]] Outcome run(std::vector<std::string> arguments,
                            std::map<std::string, std::string> environment = {}) const;

 private:
  ScratchFolder folder_;
};

/// Path of a module built beside the tests: "toy", "outdated", "nothing".
[[nodiscard]] std::string test_module(std::string_view name);

/// Five documents EP0000001A1 ... EP0000005A1, titled "one" ... "five", indexed in this order by
/// the toy engine as `index`; `qrels.txt`, `topics.tsv` and `experiment.toml` (PRES, R and AP at
/// 4):
///
///   topic  relevant      forward ranks  backward ranks
///   T1     EP2           2              4
///   T2     EP1, EP5      1, 5           5, 1
void set_up_toy(const Workspace& workspace);

/// Removes the fields that differ between two runs of the same replay: times and thread counts.
void remove_times(nlohmann::json& replay);

}  // namespace prescope::testing
