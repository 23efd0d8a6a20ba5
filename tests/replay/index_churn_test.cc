// Nights on which some 5 % of a real collection came into the index and some 4 % left it, all of
// them documents that nobody judged: the gate must not call every such night significantly worse.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "base/text_file.h"
#include "prescope/qrels.h"
#include "support/workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;

const std::filesystem::path kCranfield = std::filesystem::path(PRESCOPE_TEST_DATA) / "cranfield";
constexpr std::size_t kCame = 70, kLeft = 50;  // of 1,400 documents

/// The collection as lines for `prescope index`, and the lines that no judgement names.
struct Collection {
  std::vector<std::string> lines{};
  std::vector<std::size_t> unjudged{};
};

Collection read_collection() {
  std::set<std::string> judged;
  const Qrels qrels = Qrels::load(kCranfield / "qrels.binary.txt", {.docno = DocnoPolicy::kRaw});
  for (const TopicQrels& topic : qrels.topics()) {
    for (const Judgement& judgement : topic.judgements()) judged.insert(judgement.docno.text());
  }
  Collection collection;
  TextFile file(kCranfield / "docs.jsonl.gz");
  for (std::string_view line; file.next(line);) {
    const json document = json::parse(line);
    if (!judged.contains(document["id"])) collection.unjudged.push_back(collection.lines.size());
    collection.lines.push_back(
        json{{"id", document["id"]}, {"title", document["title"]}, {"abstract", document["text"]}}
            .dump());
  }
  return collection;
}

/// Indexes all documents but some of those that are not judged.
void index_without(std::size_t absent, const Workspace& workspace, const Collection& collection,
                   std::mt19937& random) {
  std::vector<std::size_t> left_out;
  std::ranges::sample(collection.unjudged, std::back_inserter(left_out), absent, random);
  std::string lines;
  for (std::size_t i = 0; i < collection.lines.size(); ++i) {
    if (std::ranges::count(left_out, i) == 0) lines += collection.lines[i] + '\n';
  }
  workspace.write("documents.jsonl", lines);
  const Outcome indexed =
      workspace.run({"index", "--engine", "lucenepp", "--out", "index", "documents.jsonl"});
  ASSERT_EQ(indexed.exit_code, 0) << indexed.err;
}

TEST(IndexChurn, IsNotSignificantlyWorseEveryNight) {
#if !PRESCOPE_HAS_TWO_ENGINES
  GTEST_SKIP() << "built without Lucene++ or Xapian";
#endif
  if (!std::filesystem::exists(kCranfield)) GTEST_SKIP() << kCranfield << " is absent";
  constexpr int kNights = 8;
  const Workspace workspace;
  const Collection collection = read_collection();
  ASSERT_EQ(collection.lines.size(), 1400U);
  workspace.write("experiment.toml",
                  "engine = 'lucenepp'\nindex = 'index'\ncutoffs = [100]\n"
                  "[qrels]\npath = '" +
                      (kCranfield / "qrels.binary.txt").string() +
                      "'\ndocno = 'raw'\n[topics]\npath = '" +
                      (kCranfield / "topics.tsv").string() + "'\n[[arms]]\nname = 'bm25'\n");
  workspace.write("rules.toml", "latency.ratio = false\n");
  std::mt19937 random(1968);
  index_without(kCame, workspace, collection, random);
  ASSERT_EQ(
      workspace.run({"pin", "nights.db", "--from", "experiment.toml", "--why", "x"}).exit_code, 0);
  int called_worse = 0, with_small_losses = 0;
  for (int night = 0; night < kNights; ++night) {
    index_without(kLeft, workspace, collection, random);
    const Outcome gated = workspace.run(
        {"gate", "nights.db", "--from", "experiment.toml", "--rules", "rules.toml", "--json", "-"});
    EXPECT_EQ(gated.exit_code, 0) << gated.err;
    const json verdict = json::parse(gated.out);
    bool is_worse = false, has_small_loss = false;
    for (const json& measure : verdict.at("measures")) {
      is_worse = is_worse || measure.at("status") != "pass";
      has_small_loss = has_small_loss || (measure.at("difference").get<double>() < 0.0 &&
                                          measure.at("p_different").get<double>() < 0.05);
    }
    called_worse += is_worse ? 1 : 0;
    with_small_losses += has_small_loss ? 1 : 0;
  }
  // A rule that only asks whether the loss is significant would call all of these worse.
  EXPECT_GE(with_small_losses, 3);
  // Chance alone calls a night worse once in twenty, by either of two measures.
  EXPECT_LE(called_worse, 1);
}

}  // namespace
}  // namespace prescope::testing
