// Qrels that several threads read are those that one thread reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "prescope/error.h"
#include "prescope/qrels.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::HasSubstr;

/// Enough that three threads are worth starting: 30,000 lines of more than 30 bytes.
constexpr int kManyTopics = 3'000, kJudged = 10;

std::string line_of(int topic, int docno) {
  return "topic-" + std::to_string(100'000 + topic) + " 0 document-" +
         std::to_string(1'000'000 + docno) + " 1\n";
}

std::string text_of(const std::vector<int>& topics) {
  std::string text;
  for (const int topic : topics) {
    for (int i = 0; i < kJudged; ++i) text += line_of(topic, 7919 * i % 1000 + topic);
  }
  return text;
}

std::vector<int> topics_in_order() {
  std::vector<int> topics;
  for (int topic = 0; topic < kManyTopics; ++topic) topics.push_back(topic);
  return topics;
}

class QrelsThreads : public ::testing::Test {
 protected:
  Qrels load(std::string_view bytes, unsigned threads) const {
    return Qrels::load(folder_.write("qrels.txt", bytes), {.threads = threads});
  }
  std::string refusal(std::string_view bytes, unsigned threads) const {
    return testing::refusal_of([&] { (void)load(bytes, threads); }).message;
  }
  /// Everything, as one text.
  std::string contents(std::string_view bytes, unsigned threads) const {
    const Qrels qrels = load(bytes, threads);
    std::string all = std::to_string(qrels.repeated()) + " repeated\n";
    for (const TopicQrels& topic : qrels.topics()) {
      for (const Judgement& judgement : topic.judgements()) {
        all += topic.id().text() + ' ' + judgement.docno.text() + ' ' + judgement.key + ' ' +
               std::to_string(judgement.grade) + '\n';
      }
    }
    return all;
  }

  testing::ScratchFolder folder_;
};

TEST_F(QrelsThreads, GiveTheSameQrelsWhateverTheOrderOfTheTopics) {
  std::vector<int> backwards = topics_in_order();
  std::swap(backwards.front(), backwards.back());
  std::vector<int> twice = topics_in_order();
  twice.push_back(5);  // its lines are not together, and repeat judgements
  const std::string in_order = text_of(topics_in_order());
  const std::string texts[] = {in_order,
                               text_of(backwards),
                               text_of(twice),
                               "\xEF\xBB\xBF" + in_order,
                               "# made by\n\n" + in_order.substr(0, in_order.size() - 1),
                               text_of(std::vector<int>(kManyTopics, 1))};
  for (const std::string& text : texts) {
    const std::string one = contents(text, 1);
    for (const unsigned threads : {2U, 3U, 64U}) EXPECT_EQ(contents(text, threads), one) << threads;
  }
  EXPECT_EQ(load(in_order, 3).num_judgements(), std::size_t{kManyTopics} * kJudged);
}

TEST_F(QrelsThreads, NameTheLineOfTheFileThatIsWrong) {
  const std::string half = text_of(topics_in_order());
  const std::string second = std::to_string(kManyTopics * kJudged + 1);
  EXPECT_THAT(refusal(half + "topic-x 0 a many\n" + half, 2),
              HasSubstr("qrels.txt:" + second + ": grade 'many'"));
  const std::string contradicting = "topic-x 0 a 1\ntopic-x 0 a 2\n";
  EXPECT_EQ(refusal(half + contradicting, 2), refusal(half + contradicting, 1));
  EXPECT_THAT(refusal(half + contradicting, 2), HasSubstr("docno 'a' of topic 'topic-x'"));
}

TEST_F(QrelsThreads, ReadGzipAsOneThreadDoes) {
  const std::string text = text_of(topics_in_order());
  const auto gzip = folder_.write_gzip("qrels.gz", text);
  EXPECT_EQ(Qrels::load(gzip, {.threads = 3}).num_judgements(), std::size_t{kManyTopics} * kJudged);
}

}  // namespace
}  // namespace prescope
