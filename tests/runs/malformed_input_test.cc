// Reading a file of any bytes returns a value or throws prescope::Error.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "judgements/patent_file.h"
#include "judgements/topics.h"
#include "prescope/qrels.h"
#include "runs/run_file.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

constexpr unsigned kSeed = 20260101;
constexpr int kTrials = 400;

/// Pieces of all formats, in any order.
std::string random_pieces(std::mt19937& random) {
  static const std::string kPieces[] = {"t1",      "0",           "EP-0971326-B1",
                                        "EP 1 A1", "1",           "X",
                                        "-7",      "99999999999", "0.5",
                                        "nan",     "Q0",          "run",
                                        " ",       " ",           " ",
                                        "\t",      "\t",          "\n",
                                        "\n",      "\r\n",        "#",
                                        "{",       "}",           "\"id\"",
                                        ":",       ",",           "\"text\"",
                                        "[",       "]",           "\"",
                                        "\\",      "\"EP1\"",     "null",
                                        "\\u0000", "\xC3\xA9",    "\xEF\xBB\xBF"};
  std::string text;
  for (auto size = random() % 40; size > 0; --size) text += kPieces[random() % std::size(kPieces)];
  return text;
}

std::string random_bytes(std::mt19937& random) {
  std::string bytes;
  for (auto size = random() % 200; size > 0; --size) bytes += static_cast<char>(random());
  return bytes;
}

/// `text` with up to two of its bytes changed, taken out, or doubled.
std::string with_typing_errors(std::string text, std::mt19937& random) {
  for (auto errors = random() % 3; errors > 0 && !text.empty(); --errors) {
    const std::size_t at = random() % text.size();
    switch (random() % 3) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, 1);
        break;
      default:
        text.insert(at, 1, text[at]);
    }
  }
  return text;
}

using Load = std::function<void(const std::filesystem::path&)>;

class MalformedInput : public ::testing::Test {
 protected:
  /// Reads files that hold anything, and files that differ a little from `good`.
  void check(const std::string& name, const std::string& good, const Load& load) {
    const std::string gzip = content_of(folder_.write_gzip("good.gz", good));
    std::mt19937 random(kSeed);
    int accepted = 0;
    for (int trial = 0; trial < kTrials && !HasFailure(); ++trial) {
      SCOPED_TRACE("seed " + std::to_string(kSeed) + ", trial " + std::to_string(trial));
      const auto kind = random() % 4;
      const std::string bytes = kind == 0   ? random_bytes(random)
                                : kind == 1 ? random_pieces(random)
                                : kind == 2 ? with_typing_errors(gzip, random)
                                            : with_typing_errors(good, random);
      accepted += accepts(load, folder_.write(name, bytes)) ? 1 : 0;
    }
    EXPECT_GT(accepted, 0) << "no file was well-formed";
    EXPECT_LT(accepted, kTrials) << "no file was malformed";
  }

 private:
  static bool accepts(const Load& load, const std::filesystem::path& path) {
    try {
      load(path);
      return true;
    } catch (const Error& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with(path.string() + ":")) << error.what();
      return false;
    }
  }

  ScratchFolder folder_;
};

TEST_F(MalformedInput, QrelsAreReadOrRefused) {
  for (const auto policy : {DocnoPolicy::kRaw, DocnoPolicy::kPatent}) {
    check("qrels.txt", "# topic iter docno grade\nt1 0 EP-0971326-B1 1\nt1 0 EP0971326A3 XY\r\n",
          [&](const auto& path) { (void)Qrels::load(path, {.docno = policy}); });
  }
}

TEST_F(MalformedInput, FamiliesAreReadOrRefused) {
  check("families.txt", "EP0971326 12\nWO1984000705A1\t12\n",
        [](const auto& path) { (void)FamilyMap::load(path); });
}

TEST_F(MalformedInput, RunsAreReadOrRefused) {
  check("run.txt", "t1 Q0 EP1 1 0.5 run\nt1 Q0 EP2 2 -1e-3 run\nt2 Q0 EP1 1 inf run\n",
        [](const auto& path) { (void)load_run(path, RunOrder::kTrec); });
}

TEST_F(MalformedInput, TopicsAreReadOrRefused) {
  const Load load = [](const auto& path) { (void)load_topics(path); };
  check("topics.tsv", "t1\tA pump.\tMore.\nt2\tcaf\xC3\xA9\n", load);
  check("topics.jsonl",
        "{\"id\": \"t1\", \"text\": \"A pump.\"}\n"
        "{\"id\": \"t2\", \"title\": \"Pump\", \"abstract\": \"\\u00e9\", \"x\": [1]}\n",
        load);
}

TEST_F(MalformedInput, PatentsAreReadOrRefused) {
  check("patents.jsonl",
        "{\"id\": \"EP1\", \"title\": \"Pump\", \"ipc\": [\"A01B1/00\"], \"claims\": [\"1.\"]}\n"
        "{\"id\": \"EP2\", \"family\": \"EP2A1\", \"abstract\": null, \"year\": 1.5}\n",
        [](const auto& path) { (void)for_each_patent(path, [](const PatentDocument&) {}); });
}

}  // namespace
}  // namespace prescope
