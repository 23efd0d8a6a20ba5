#include "structure/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <initializer_list>
#include <set>
#include <stdexcept>

#include "structure/code_rules.h"
#include "support/scratch_file.h"

namespace prescope::structure {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

const fs::path kRoot = PRESCOPE_SOURCE_DIR;

Source read(const fs::path& path) {
  return {.path = fs::relative(path, kRoot).generic_string(), .text = content_of(path)};
}

std::vector<Source> sources_under(const fs::path& folder) {
  std::vector<Source> sources;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".h" || path.extension() == ".cc") sources.push_back(read(path));
  }
  return sources;
}

FolderPicture picture_of_the_project() {
  return FolderPicture(content_of(kRoot / "docs/architecture.md"));
}

TEST(Layers, NoSourceBreaksTheRules) {
  const Exists exists = [](const std::string& path) { return fs::is_regular_file(kRoot / path); };
  const FolderPicture picture = picture_of_the_project();
  std::size_t checked = 0;
  for (const char* folder : {"plugin", "engine-adapters"}) {
    for (const Source& source : sources_under(kRoot / folder)) {
      EXPECT_THAT(layer_violations(source, picture, exists), IsEmpty());
      EXPECT_THAT(machine_specific(source), IsEmpty());
      EXPECT_THAT(long_functions(source), IsEmpty());
      ++checked;
    }
  }
  EXPECT_GT(checked, 50U) << "the check no longer finds the sources under " << kRoot;
}

TEST(Layers, PictureHasTheFoldersOfTheCodeAndNoOthers) {
  // A folder with subfolders need not have files of its own.
  std::set<std::string> found;
  for (const Source& source : sources_under(kRoot / "plugin")) {
    const std::string folder = plugin_folder(source.path);
    found.insert(folder.substr(0, folder.find('/')));
    found.insert(folder);
  }
  EXPECT_THAT(picture_of_the_project().folders(), testing::ElementsAreArray(found));
}

TEST(Layers, NoTwoFoldersIncludeEachOther) {
  EXPECT_THAT(folder_circles(sources_under(kRoot / "plugin")), IsEmpty());
}

constexpr std::string_view kDocument = R"(# A page

```folders
cli (commands > options)               | the program
serve (http)   report
live (query_path, summary > ledger)
measures
judgements   statistics                | who cites what
base
prescope
```
)";

TEST(FolderPicture, FoldersIncludeThoseInRowsBelow) {
  const FolderPicture picture(kDocument);
  EXPECT_EQ(picture.folders().size(), 15U);
  struct Case {
    const char *from, *to;
    bool may;
  };
  for (const Case& one : std::initializer_list<Case>{{"cli", "base", true},
                                                     {"base", "cli", false},
                                                     {"cli/options", "live/ledger", true},
                                                     {"measures", "live/ledger", false},
                                                     {"serve", "report", false},
                                                     {"report", "serve/http", false},
                                                     {"base", "base", true},
                                                     {"live", "live/ledger", true},
                                                     {"live/ledger", "live", false},
                                                     {"live/summary", "live/ledger", true},
                                                     {"live/query_path", "live/ledger", true},
                                                     {"live/query_path", "live/summary", false},
                                                     {"live/ledger", "live/summary", false},
                                                     {"cli", "nowhere", false},
                                                     {"nowhere", "base", false}}) {
    EXPECT_EQ(picture.may_include(one.from, one.to), one.may) << one.from << " -> " << one.to;
  }
}

TEST(FolderPicture, UnreadableDocumentsAreRefused) {
  for (const char* document :
       {"no picture", "```folders\nbase\n", "```folders\na (b\n```", "```folders\na > b\n```",
        "```folders\nA\n```", "```folders\na\nb  a\n```", "```folders\na (b, b)\n```"}) {
    EXPECT_THROW(static_cast<void>(FolderPicture(document)), std::invalid_argument) << document;
  }
}

TEST(FolderCircles, TwoFoldersThatIncludeEachOtherAreFound) {
  const std::vector<Source> sources = {
      {.path = "plugin/src/live/a.cc", .text = "#include \"live/ledger/b.h\"\n"},
      {.path = "plugin/src/live/ledger/b.h", .text = "// #include \"live/c.h\"\n"},
      {.path = "plugin/cli/main.cc", .text = "#include \"live/a.h\"\n#include \"cli/x.h\"\n"}};
  EXPECT_THAT(folder_circles(sources), IsEmpty());
  std::vector<Source> circle = sources;
  circle[1].text = "#include \"live/c.h\"\n";
  EXPECT_THAT(folder_circles(circle),
              ElementsAre("live and live/ledger: plugin/src/live/a.cc includes live/ledger/b.h, "
                          "plugin/src/live/ledger/b.h includes live/c.h"));
}

struct Planted {
  const char* path;
  const char* line;
  const char* found;  ///< part of the problem; empty if the line is right
};

void judge(std::initializer_list<Planted> lines) {
  const Exists only_one = [](const std::string& path) {
    return path == "engine-adapters/lucenepp/src/docno_terms.h";
  };
  for (const Planted& planted : lines) {
    SCOPED_TRACE(std::string(planted.path) + ": " + planted.line);
    const auto problems = layer_violations(
        {.path = planted.path, .text = std::string("#pragma once\n") + planted.line},
        FolderPicture(kDocument), only_one);
    if (*planted.found == '\0') {
      EXPECT_THAT(problems, IsEmpty());
    } else {
      EXPECT_THAT(problems, ElementsAre(testing::AllOf(
                                testing::StartsWith(std::string(planted.path) + ":2: "),
                                testing::HasSubstr(planted.found))));
    }
  }
}

TEST(PlantedLines, IncludesOfALayerAboveAreFound) {
  judge(
      {{"plugin/src/judgements/qrels.cc", "#include \"judgements/docno.h\"", ""},
       {"plugin/src/judgements/qrels.cc", "#include \"live/ledger.h\"", "live/ledger.h"},
       {"plugin/src/judgements/qrels.cc", "#  include <live/ledger.h>", "live/ledger.h"},
       {"plugin/src/judgements/qrels.cc", "#include \"../live/ledger.h\"", "from the include root"},
       {"plugin/src/judgements/qrels.cc", "#include \"docno.h\"", "from the include root"},
       {"plugin/src/judgements/qrels.cc", "// #include \"live/ledger.h\"", ""},
       {"plugin/src/judgements/qrels.cc", "#include \"statistics/sketch.h\"",
        "statistics is not below judgements"},
       {"plugin/src/live/ledger/ledger.h", "#include \"live/experiment_state.h\"",
        "live is not below live/ledger"},
       {"plugin/src/live/summary/checks.h", "#include \"live/ledger/ledger.h\"", ""},
       {"plugin/src/live/actions/stop.h", "#include \"base/errors.h\"",
        "base is not below live/actions"},
       {"plugin/src/live/ledger.cc", "#include \"measures/scorer.h\"", ""},
       {"plugin/src/live/ledger.cc", "#include \"report/table.h\"", "report/table.h"},
       {"plugin/src/report/table.cc", "#include \"measures/scorer.h\"", ""},
       {"plugin/src/report/table.cc", "#include \"serve/http/access.h\"", "serve/http/access.h"},
       {"plugin/src/report/table.cc", "#include \"cli/terminal.h\"", "cli/terminal.h"},
       {"plugin/cli/main.cc", "#include \"live/ledger.h\"", ""},
       {"tests/live/ledger_test.cc", "#include \"live/ledger.h\"", ""}});
}

TEST(PlantedLines, PublicHeadersStandOnTheStandardLibrary) {
  judge({{"plugin/include/prescope/qrels.h", "#include \"prescope/docno.h\"", ""},
         {"plugin/include/prescope/qrels.h", "#include <vector>", ""},
         {"plugin/include/prescope/qrels.h", "#include <fmt/format.h>", "standard library only"},
         {"plugin/include/prescope/qrels.h", "#include <zlib.h>", "standard library only"},
         {"plugin/include/prescope/qrels.h", "#include \"judgements/docno.h\"",
          "judgements/docno.h"}});
}

TEST(PlantedLines, AdaptersIncludePublicHeadersAndTheirOwn) {
  judge(
      {{"engine-adapters/lucenepp/src/x.cc", "#include \"prescope/engine.h\"", ""},
       {"engine-adapters/lucenepp/src/x.cc", "#include \"prescope/lucenepp/ranker.h\"", ""},
       {"engine-adapters/lucenepp/src/x.cc", "#include <lucene++/Lucene.h>", ""},
       {"engine-adapters/lucenepp/src/x.cc", "#include \"docno_terms.h\"", ""},
       {"engine-adapters/lucenepp/src/x.cc", "#include \"no_such_file.h\"", "no_such_file.h"},
       {"engine-adapters/lucenepp/src/x.cc", "#include \"measures/scorer.h\"", "measures/scorer.h"},
       {"engine-adapters/lucenepp/src/x.cc", "#include \"prescope/xapian/ranker.h\"",
        "another adapter"},
       {"engine-adapters/lucenepp/src/x.cc", "#include \"../../xapian/src/text.h\"",
        "outside engine-adapters/lucenepp/"},
       {"plugin/cli/main.cc", "#include \"prescope/xyz/ranker.h\"", "another adapter"}});
}

TEST(PlantedLines, MeasuresAreNotNamedInAdapters) {
  judge({{"engine-adapters/lucenepp/src/x.cc", "parse(\"PRES@100\");", "'PRES'"},
         {"engine-adapters/lucenepp/src/x.cc", "double recall = 0;", "'recall'"},
         {"engine-adapters/lucenepp/src/x.cc", "PRESENT, mapping, // recall", ""},
         {"engine-adapters/lucenepp/src/x.cc", "call('\"'); // recall", ""},
         {"engine-adapters/lucenepp/src/x.cc", "call(\"// no comment\", recall);", "'recall'"},
         {"engine-adapters/lucenepp/src/x.cc", "int a; /* recall */ int MAP;", "'MAP'"}});
}

TEST(Layers, NoFileUnderPluginNamesAnEngine) {
  std::size_t checked = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "plugin")) {
    if (!entry.is_regular_file()) continue;
    EXPECT_THAT(engines_named(read(entry.path())), IsEmpty());
    ++checked;
  }
  EXPECT_GT(checked, 100U) << "the check no longer finds the files";
}

TEST(PlantedLines, EnginesAreFoundInCodeCommentsAndBuildFiles) {
  const auto named = [](const char* text) {
    return engines_named({.path = "plugin/cli/x", .text = text});
  };
  EXPECT_THAT(named("using namespace Lucene;"),
              ElementsAre("plugin/cli/x:1: names the engine 'lucene'; engines are the adapters' "
                          "business"));
  EXPECT_THAT(named("a\n// as Xapian does\n"),
              ElementsAre(testing::StartsWith("plugin/cli/x:2: names the engine 'xapian'")));
  EXPECT_THAT(named("help(\"for example --engine lucenepp\");"), testing::SizeIs(1));
  EXPECT_THAT(named("load_engine(name);"), IsEmpty());
}

TEST(PlantedLines, CodeForOneMachineIsFoundOutsideItsFiles) {
  const auto found = [](const char* path, const char* text) {
    return machine_specific({.path = path, .text = text}).size();
  };
  for (const char* text :
       {"__builtin_prefetch(p);", "[[gnu::noinline]] void f();", "#include <immintrin.h>",
        "#if defined(__GNUC__)", "#  elif defined(__x86_64__)", "asm volatile(\"nop\");",
        "__extension__ using Wide = __int128;"}) {
    EXPECT_EQ(found("plugin/src/live/x.cc", text), 1U) << text;
    EXPECT_EQ(found("plugin/src/runs/scan/x.cc", text), 0U) << text;
  }
  EXPECT_EQ(found("plugin/src/live/x.cc", "// __builtin_prefetch\n#if defined(NDEBUG)"), 0U);
  EXPECT_EQ(found("plugin/include/x.h", "struct [[gnu::visibility(\"hidden\")]] State;"), 0U);
}

TEST(PlantedLines, LongFunctionsAreFound) {
  const auto found = [](const std::string& head, std::size_t lines, const std::string& tail) {
    std::string text = "namespace x {\n\n" + head;
    for (std::size_t i = 0; i < lines; ++i) text += "    f();\n";
    return long_functions({.path = "x.cc", .text = text + tail}).size();
  };
  EXPECT_EQ(found("void g() {\n", 59, "}\n"), 1U);
  EXPECT_EQ(found("void g() {\n", 58, "}\n"), 0U);
  EXPECT_EQ(found("struct S {\n  int g(int a,\n        int b) const {\n", 80, "  }\n};\n"), 1U);
  EXPECT_EQ(found("struct S {\n", 80, "};\n"), 0U);
  EXPECT_EQ(found("const T kTable[] = {\n", 80, "};\n"), 0U);
}

}  // namespace
}  // namespace prescope::structure
