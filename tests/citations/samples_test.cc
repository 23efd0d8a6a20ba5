// Every citation of the real files, compared with an independent reader.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>

#include "citations/citation_lines.h"

namespace prescope {
namespace {

namespace fs = std::filesystem;

const fs::path kPatentFiles = fs::path(PRESCOPE_TEST_DATA) / "patent_xml";

/// Returns the files with patent documents: not licences, and no texts without citation fields.
std::vector<fs::path> sample_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(kPatentFiles)) {
    const std::string name = entry.path().filename().string();
    const bool is_sample = entry.is_regular_file() && !name.starts_with("LICEN") &&
                           name != "SOURCE.txt" &&
                           entry.path().parent_path().filename() != "wpi_sample";
    if (is_sample) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

/// Returns the lines that the Python program prints about the files.
std::vector<std::string> independent_lines(const std::vector<fs::path>& files) {
  std::string command =
      PRESCOPE_PYTHON " " PRESCOPE_SOURCE_DIR "/tests/citations/independent_citations.py";
  for (const fs::path& file : files) command += fmt::format(" '{}'", file.string());
  const std::unique_ptr<FILE, int (*)(FILE*)> output(::popen(command.c_str(), "r"), ::pclose);
  std::string text;
  std::array<char, 1U << 16U> block{};
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), output.get())) {
    text.append(block.data(), got);
  }
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

TEST(CitationSamples, EqualAnIndependentReader) {
  if (!fs::exists(kPatentFiles)) GTEST_SKIP() << "the files are absent: " << kPatentFiles;
  const std::vector<fs::path> files = sample_files();
  std::vector<std::string> lines;
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    const FileFacts facts = read_citations(
        file, [&](const CitingDocument& each) { append_citation_lines(each, name, lines); });
    const bool is_of_wrappers = name == "sample_XML4IP.ZIP";
    EXPECT_EQ(facts.problems.count(), is_of_wrappers ? 13U : 0U) << name;
  }
  const std::vector<std::string> expected = independent_lines(files);
  ASSERT_EQ(lines.size(), expected.size());
  for (std::size_t i = 0; i < lines.size(); ++i) ASSERT_EQ(lines[i], expected[i]);
}

/// The counts that an earlier script found, by formats.
TEST(CitationSamples, HaveTheKnownCounts) {
  if (!fs::exists(kPatentFiles)) GTEST_SKIP() << "the files are absent: " << kPatentFiles;
  std::map<std::string, std::array<std::uint64_t, 2>> counts;
  for (const fs::path& file : sample_files()) {
    const FileFacts facts = read_citations(file, [](const CitingDocument&) {});
    counts[facts.format][0] += facts.patents;
    counts[facts.format][1] += facts.others;
  }
  const std::map<std::string, std::array<std::uint64_t, 2>> expected = {
      {"", {0, 0}},  // of file wrappers
      {"uspto-xml", {2001, 556}},
      {"uspto-pap", {0, 0}},
      {"uspto-sgml", {18, 3}},
      {"uspto-greenbook", {17, 0}},
      {"uspto-brs", {92, 13}},
      {"epo-exchange", {262, 5}},
      {"ops-family", {0, 0}},
      {"epo-register", {11, 0}},
      {"marec", {6, 0}}};
  EXPECT_EQ(counts, expected);
}

TEST(CitationSamples, ReadTheCollectionOfTexts) {
  const fs::path path = fs::path(PRESCOPE_TEST_DATA) / "patent_text" / "documents.jsonl.gz";
  if (!fs::exists(path)) GTEST_SKIP() << "the collection is absent: " << path;
  std::vector<std::string> lines;
  const FileFacts facts = read_citations(path, [&](const CitingDocument& each) {
    append_citation_lines(each, path.filename().string(), lines);
  });
  EXPECT_EQ(facts.documents, 12'242U);
  EXPECT_EQ(facts.documents_without_citations, 482U);
  EXPECT_EQ(lines, independent_lines({path}));
}

}  // namespace
}  // namespace prescope
