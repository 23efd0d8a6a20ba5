#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "conformance/watched.h"
#include "prescope/engine.h"
#include "support/scratch_file.h"

namespace prescope::conformance {

/// An engine that writes and searches indexes for the program, and facts that its tests need.
struct EngineUnderTest {
  std::string name;  ///< letters and digits
  std::function<std::unique_ptr<Engine>()> make;
  std::string engine_name, version_prefix;
  std::vector<std::string> rankers;  ///< values of the setting `ranker`
  std::size_t longest_docno = 0;     ///< in bytes
  std::string holds_none;            ///< said of a folder without an index
  std::string no_docnos;             ///< said of an index without docnos
  /// Writes one document without a docno, as another program would.
  std::function<void(const std::filesystem::path& folder)> write_foreign;
  /// Returns the file that names the last commit.
  std::function<std::filesystem::path(const std::filesystem::path& folder)> commit_file;
  unsigned sound_part = 1;  ///< of that file; with less than this part of it, nothing can be read
  /// Opens a writer of the index, which closes when it is destroyed.
  std::function<std::shared_ptr<void>(const std::filesystem::path& folder)> open_writer;
};

[[nodiscard]] PatentDocument patent(const std::string& docno, const std::string& abstract);
/// `valves(n)` as abstracts: served by number, descending.
[[nodiscard]] std::vector<PatentDocument> valve_patents(std::uint32_t n);
[[nodiscard]] std::vector<std::string> docnos(const std::vector<Hit>& hits);
inline const ArmConfig kArm{ArmId{"a"}, {}};

/// An engine, and a folder for its index.
class EngineTest : public ::testing::Test {
 protected:
  explicit EngineTest(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

  void build(const std::vector<PatentDocument>& documents) { build(documents, folder()); }
  void build(const std::vector<PatentDocument>& documents, const std::filesystem::path& into);
  [[nodiscard]] std::filesystem::path folder() const { return root_.path() / "index"; }
  [[nodiscard]] std::unique_ptr<SearchIndex> open(Watched& watched) {
    return engine_->open(folder(), watched.experiment());
  }
  static std::vector<std::string> search(SearchIndex& index, const char* text,
                                         std::span<const Docno> excluded = {},
                                         std::uint32_t depth = 10);

  std::unique_ptr<Engine> engine_;
  ScratchFolder root_;
};

/// Tests of every engine. The engine's own test file instantiates them; they are compiled once,
/// into the objects `conformance_engines`.
class EngineConformance : public EngineTest, public ::testing::WithParamInterface<EngineUnderTest> {
 protected:
  EngineConformance() : EngineTest(GetParam().make()) {}
  [[nodiscard]] std::vector<std::string> left_in_root() const;
};

/// GoogleTest prints an engine with this.
inline void PrintTo(const EngineUnderTest& engine, std::ostream* out) { *out << engine.name; }
/// The last argument of INSTANTIATE_TEST_SUITE_P.
[[nodiscard]] inline std::string name_of_engine(
    const testing::TestParamInfo<EngineUnderTest>& info) {
  return info.param.name;
}

}  // namespace prescope::conformance
