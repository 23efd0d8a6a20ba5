// Reading a run of any lines equals the plain reading, with any number of threads, topics together
// or interleaved.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "runs/read_runs.h"
#include "runs/scan/separators.h"
#include "support/memory_file.h"
#include "support/number_of_cases.h"
#include "support/plain_run_facts.h"

namespace prescope {

// For failures.
void PrintTo(const Retrieved& r, std::ostream* out) {
  *out << "#" << r.judgement.value() << " at " << r.trec_rank << " (file " << r.file_rank
       << ", tied " << r.first_tied << " to " << r.last_tied << ")";
}

namespace {

constexpr std::uint64_t kCasesOfASeed = 12'500;  // eight seeds make 100,000

/// Draws that are the same with every standard library.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}

  std::size_t below(std::size_t end) { return engine_() % end; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  std::string of(const std::vector<std::string>& choices) { return choices[below(choices.size())]; }

 private:
  std::mt19937_64 engine_;
};

const std::vector<std::string> kTopics = {
    "1", "2", "10", "EP-1480263-A1", "PAC-1004", "a-topic-with-a-name-of-more-than-32-bytes"};
const std::vector<std::string> kDocnos = {"a",
                                          "b",
                                          "aa",
                                          "EP-0971326-B1",
                                          "EP-0971326-A3",
                                          "EP0971326B1",
                                          "EP-1160749-A3",
                                          "EP-1160749-A2",
                                          "clueweb09-en0000-00-00142",
                                          "clueweb09-en0000-00-00143",
                                          "WO-1984000705-A1",
                                          "d\xC3\xA9",
                                          std::string(70, 'x'),
                                          std::string(70, 'x') + "y"};

/// Docnos of one length, so that lines have the same layout as the line before.
const std::vector<std::string> kAlike = {
    "EP-0971326-B1", "EP-0971326-A3", "EP-0971326-A2", "EP-1160749-A3", "EP-1160749-A2",
    "EP-1160749-B1", "EP-0000001-A1", "EP-0000002-A1", "EP-0000003-A1", "EP-0000004-A1",
    "EP-0000005-A1", "EP-0000006-A1", "EP-0000007-A1", "EP-0000008-A1", "EP-0000009-A1"};

/// A few of one kind, so that many are the same, or nearly.
std::vector<std::string> some_scores(Draw& draw) {
  switch (draw.below(10)) {
    case 0:
      return {"3.0000", "2.5000", "2.0000", "1.9999"};
    case 1:
      return {"10.5", "9.5", "9.50", "0.5", "-0.5", "0", "-0"};
    case 2:
      return {"-5.1234", "-5.1235", "-15.123", "-4.9999", "-5.0000"};
    case 3:  // the same double, neighbouring doubles, and others; a double's spacing is 1.4e-17
      return {"0.123456789012345678", "0.123456789012345679", "0.123456789012345690",
              "0.123456789012345999", "0.123456789012346000", "0.123456789012349999",
              "0.123456789012350000", "0.123999999999999999", "0.124000000000000000",
              "0.123999999999999000", "0.123999999999990000", "0.123999999999900000"};
    case 4:  // the same float, or not; a float's spacing is 1.2e-7
      return {"1.00000001", "1.00000000", "1.00000012", "1.00099999",
              "1.00100000", "1.09999999", "1.10000000", "1.90000000"};
    case 5:
      return {"1e-3", "0.001", "1.0e+2", "100", "99.9", "1E2", ".5", "5."};
    case 6:  // of several widths, as the shortest digits of a double are, and text that only begins
             // so
      return {"0.4",
              "0.39999999999999997",
              "0.3999999999999999",
              "0.40000000000000002",
              "0.41",
              "0.399999999999999",
              "0.40000001",
              "0.39999999",
              "0.390",
              "0.3899",
              "0.4e1",
              "0.3e2",
              "4.0",
              "0.38e0",
              "0.4000000",
              "0.04"};
    case 7:  // zeros above nines, down to digits that a double keeps and to such that it does not
      return {"9.0000000000000000", "8.9999999999999999", "8.9999999999999991",
              "8.9999999999999985", "8.9999999999999930", "8.9999999999999300",
              "8.9999999999993000", "8.9999999999930000", "9.0000000000000001",
              "9.0000000000000010", "9.0000000000000080", "9.0000000000000800",
              "9.0000000000008000", "9.0000000000080000", "8.9999999999929999"};
    case 8:  // likewise of a float; negative, too
      return {"-9.0000000", "-8.9999999", "-8.9999995", "-8.9999960", "-8.9999600",
              "-8.9996000", "-9.0000001", "-9.0000004", "-9.0000040", "-9.0000400"};
    default:
      return {"7", "6", "5", "4", "12"};
  }
}

std::string some_line(Draw& draw, const std::string& topic, const std::string& docno,
                      const std::string& score, std::size_t rank, bool regular) {
  const std::string rank_text = std::to_string(rank);
  if (regular || !draw.one_in(4)) {
    return topic + " Q0 " + docno + " " + rank_text + " " + score + " tag";
  }
  switch (draw.below(4)) {
    case 0:
      return topic + "\tQ0\t" + docno + "\t" + rank_text + "\t" + score + "\ttag";
    case 1:
      return "  " + topic + "  Q0 " + docno + "\t" + rank_text + "   " + score + " tag ";
    case 2:
      return topic + " 0 " + docno + " - " + score + " " + std::string(draw.below(90), 't') + "x";
    default:
      return topic + " Q0\r" + docno + " " + rank_text + "\v" + score + "\ftag";
  }
}

/// Falling, as engines print them, in half of the cases.
std::vector<std::string> some_scores(Draw& draw, std::size_t count) {
  const std::vector<std::string> choices = some_scores(draw);
  std::vector<std::string> scores;
  for (std::size_t i = 0; i < count; ++i) scores.push_back(draw.of(choices));
  if (draw.one_in(2)) return scores;
  // As numbers, so that different texts of one number stand in any order.
  const bool as_floats = draw.one_in(2);
  std::ranges::stable_sort(scores, std::greater{}, [&](const std::string& score) {
    return as_floats ? double{std::stof(score)} : std::stod(score);
  });
  return scores;
}

std::string some_run(Draw& draw) {
  const bool regular = draw.one_in(2), interleaved = draw.one_in(3), repeats = draw.one_in(3);
  const bool tabs = regular && draw.one_in(4), carriage_returns = regular && draw.one_in(4);
  const bool further = draw.one_in(6);
  const std::size_t size = 1 + draw.below(24);
  const std::vector<std::string> scores = some_scores(draw, size);
  std::vector<std::string> lines;
  std::string topic = draw.of(kTopics);
  const std::vector<std::string>& all_docnos = draw.one_in(2) ? kAlike : kDocnos;
  const bool docnos_fall = draw.one_in(3);  // so that ties stand as trec_eval puts them
  std::vector<std::string> docnos;
  for (std::size_t i = 0; i < size; ++i) {
    if (interleaved || draw.one_in(10)) topic = draw.of(kTopics);
    if (docnos.empty()) docnos = all_docnos;
    if (docnos_fall) std::ranges::sort(docnos, std::greater{});
    const std::size_t at = docnos_fall ? 0 : draw.below(docnos.size());
    const std::string docno = docnos[at];
    if (!repeats) docnos.erase(docnos.begin() + static_cast<std::ptrdiff_t>(at));
    std::string line = some_line(draw, topic, docno, scores[i], i + 1, regular);
    if (further) line += " further columns";
    if (tabs) std::replace(line.begin(), line.end(), ' ', '\t');
    if (carriage_returns) line += '\r';
    lines.push_back(line);
    if (!regular && draw.one_in(8)) lines.push_back(draw.of({"", "  ", "# 1 Q0 a 1 2 tag"}));
  }
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  if (draw.one_in(4)) text.pop_back();
  return text;
}

Qrels some_qrels(Draw& draw) {
  std::vector<Qrels::Line> lines;
  for (const std::string& topic : kTopics) {
    if (draw.one_in(6)) continue;
    for (const std::string& docno : draw.one_in(2) ? kAlike : kDocnos) {
      if (draw.one_in(3)) {
        lines.push_back({TopicId(topic), Docno(docno), static_cast<Grade>(draw.below(4)) - 1});
      }
    }
  }
  if (lines.empty()) lines.push_back({TopicId("1"), Docno("a"), 1});
  constexpr DocnoPolicy kPolicies[] = {DocnoPolicy::kPatent, DocnoPolicy::kPublication,
                                       DocnoPolicy::kRaw, DocnoPolicy::kRaw, DocnoPolicy::kRaw};
  return Qrels::from_lines(lines, {.docno = kPolicies[draw.below(std::size(kPolicies))]});
}

void expect_same(const RunFacts& facts, const RunFacts& plain) {
  EXPECT_EQ(facts.topics, plain.topics);
  EXPECT_EQ(facts.retrieved, plain.retrieved);
  EXPECT_EQ(facts.repeats, plain.repeats);
  EXPECT_EQ(facts.tag, plain.tag);
  EXPECT_EQ(facts.tags, plain.tags);
  EXPECT_EQ(facts.lines, plain.lines);
  EXPECT_EQ(facts.unjudged_topics, plain.unjudged_topics);
  EXPECT_EQ(facts.unjudged, plain.unjudged);
}

class RunFactsProperties : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  /// Each case allocates large arrays; most of the time went to the system's clearing them anew.
  static void SetUpTestSuite() {
    constexpr int kKept = 32 << 20;
    mallopt(M_MMAP_THRESHOLD, kKept);
    mallopt(M_TRIM_THRESHOLD, kKept);
  }
};

TEST_P(RunFactsProperties, EqualThePlainReading) {
  Draw draw(GetParam());
  for (std::uint64_t i = 0; i < number_of_cases(kCasesOfASeed) && !HasFailure(); ++i) {
    const Qrels qrels = some_qrels(draw);
    const std::string text = some_run(draw);
    const auto precision = draw.one_in(2) ? ScorePrecision::kDouble : ScorePrecision::kFloat;
    const RunFacts plain = plain_run_facts(qrels, text, precision);
    const MemoryFile file(text);
    // Threads take long to start.
    const unsigned threads = draw.one_in(50) ? 3 : 1;
    SCOPED_TRACE(::testing::Message() << threads << " threads, case " << i << ":\n" << text);
    for (const bool together : {true, false}) {
      ByteSource bytes(file.path());
      expect_same(read_run(qrels, bytes,
                           {.score = precision,
                            .threads = threads,
                            .smallest_part = 40,
                            .expects_topics_together = together}),
                  plain);
    }
  }
}

/// Most of the lines are judged, so that they are sorted instead of counting each one's rank.
TEST(RunFactsOfManyJudgements, EqualThePlainReading) {
  constexpr std::size_t kLines = 3'000;
  for (const bool tied : {false, true}) {
    Draw draw(1);
    std::vector<Qrels::Line> judged;
    std::string text;
    for (std::size_t i = 0; i < kLines; ++i) {
      const std::string docno = std::to_string(draw.below(1'000'000) * kLines + i);
      if (!draw.one_in(3)) judged.push_back({TopicId("1"), Docno(docno), 1});
      const std::size_t score = tied ? 9 : draw.below(9);
      text += "1 Q0 " + docno + " 1 " + std::to_string(score) + " tag\n";
    }
    const Qrels qrels = Qrels::from_lines(judged);
    const MemoryFile file(text);
    ByteSource bytes(file.path());
    SCOPED_TRACE(tied ? "all tied" : "any order");
    expect_same(read_run(qrels, bytes, {}), plain_run_facts(qrels, text));
  }
}

/// Control characters but the line feed.
std::string others_than_usual() {
  std::string others;
  for (char c = 0; c < ' '; ++c) {
    if (c != '\n') others += c;
  }
  return others;
}

TEST(Separators, AreTheSameWithAndWithoutVectorInstructions) {
  constexpr std::size_t kWords = 8;
  Draw draw(1);
  for (std::uint64_t i = 0; i < number_of_cases(kCasesOfASeed); ++i) {
    const bool usual = draw.one_in(2);
    std::string text;
    for (std::size_t byte = 0; byte < 64 * kWords; ++byte) {
      text += usual            ? draw.of({" ", "\n", "a", "Z"})[0]
              : draw.one_in(9) ? draw.of({"\x80", "\"", "'", "\x7F"})[0]
              : draw.one_in(2) ? static_cast<char>(draw.below(256))
                               : static_cast<char>(draw.below(3) + '\x1F');
    }
    const UnusualBytes unusual{
        .separators = text.find_first_of(others_than_usual()) != std::string::npos,
        .marks = std::ranges::any_of(text, [](char c) {
          return c == '"' || c == '\'' || static_cast<unsigned char>(c) > 127;
        })};
    for (const auto& find : {find_separators, find_separators_portably}) {
      std::array<char, 8 * kWords> all, feeds;
      ASSERT_EQ(find(text.data(), kWords, {all.data(), feeds.data()}), unusual);
      for (std::size_t byte = 0; byte < text.size(); ++byte) {
        const auto bit_of = [&](char bits) { return (bits >> byte % 8 & 1) != 0; };
        ASSERT_EQ(bit_of(all[byte / 8]), static_cast<unsigned char>(text[byte]) <= ' ');
        ASSERT_EQ(bit_of(feeds[byte / 8]), text[byte] == '\n');
      }
    }
  }
}

/// Two topics of many lines, so that parts of hashes are the same by chance, and blocks of text end
/// within lines.
std::string some_large_run(Draw& draw, bool repeats) {
  constexpr std::size_t kLines = 30'000;
  const std::vector<std::string> scores = some_scores(draw);
  std::string text;
  for (std::size_t i = 0; i < kLines; ++i) {
    const std::size_t docno = repeats && draw.one_in(5'000) ? draw.below(i + 1) : i;
    const std::string score =
        draw.one_in(2) ? draw.of(scores) : std::to_string(draw.below(1'000'000));
    text += draw.one_in(2) ? "1" : "2";
    text += " Q0 EP-" + std::to_string(docno) + " 1 " + score + " tag\n";
  }
  return text;
}

TEST_P(RunFactsProperties, ScatteredLinesOfLargeTopicsEqualThePlainReading) {
  Draw draw(GetParam());
  for (const bool repeats : {false, true}) {
    std::vector<Qrels::Line> judged;
    for (int i = 0; i < 40; ++i) {
      judged.push_back(
          {TopicId(draw.one_in(2) ? "1" : "2"),
           Docno("EP-" + std::to_string(1000 * i + static_cast<int>(draw.below(1000)))), 1});
    }
    const Qrels qrels = Qrels::from_lines(judged);
    const std::string text = some_large_run(draw, repeats);
    const RunFacts plain = plain_run_facts(qrels, text);
    ASSERT_EQ(plain.repeats.empty(), !repeats);
    for (const unsigned threads : {1U, 3U}) {
      const MemoryFile file(text);
      ByteSource bytes(file.path());
      expect_same(read_run(qrels, bytes, {.threads = threads}), plain);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RunFactsProperties, ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8));

}  // namespace
}  // namespace prescope
