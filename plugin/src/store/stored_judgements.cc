#include "store/stored_judgements.h"

#include <string>

#include "core/evaluation_record.h"
#include "prescope/docno.h"
#include "store/observation_blobs.h"
#include "store/shared_rows.h"
#include "store/statement.h"

namespace prescope {
namespace {

std::vector<std::int64_t> topics_of(Database& database, std::int64_t qrels) {
  std::vector<std::int64_t> topics;
  Statement select(database, "SELECT topic FROM qrels_topics WHERE qrels = ? ORDER BY position");
  for (select.bind(qrels); select.next();) topics.push_back(select.integer(0));
  return topics;
}

/// One topic after the other.
class TopicWriter {
 public:
  TopicWriter(Database& database, SharedRows& shared, const Qrels& qrels)
      : database_(database),
        shared_(shared),
        policy_(qrels.docnos().policy()),
        min_grade_(qrels.min_grade()) {}

  std::int64_t number_of(const TopicQrels& topic) {
    const std::int64_t name = shared_.number_of_topic(topic.id().text());
    const std::string judgements = judgements_text(topic, policy_);
    if (find_.bind(name, to_string(policy_), min_grade_, judgements).next()) {
      const std::int64_t number = find_.integer(0);
      find_.rewind();
      return number;
    }
    add_.bind(name, to_string(policy_), min_grade_, judgements).run();
    return database_.last_row();
  }

 private:
  Database& database_;
  SharedRows& shared_;
  DocnoPolicy policy_;
  Grade min_grade_;
  Statement find_{database_,
                  "SELECT number FROM judged_topics WHERE topic = ? AND docno = ?"
                  " AND min_grade = ? AND judgements = ?"};
  Statement add_{database_,
                 "INSERT INTO judged_topics (topic, docno, min_grade, judgements)"
                 " VALUES (?, ?, ?, ?)"};
};

}  // namespace

StoredJudgements store_judgements(Database& database, const Qrels& qrels) {
  SharedRows shared(database);
  StoredJudgements stored{.qrels = shared.number_of(qrels_version(qrels))};
  stored.topics = topics_of(database, stored.qrels);
  if (stored.topics.size() == qrels.topics().size()) return stored;
  stored.topics.clear();
  TopicWriter writer(database, shared, qrels);
  Statement add(database,
                "INSERT OR REPLACE INTO qrels_topics (qrels, position, topic) VALUES (?, ?, ?)");
  for (const TopicQrels& topic : qrels.topics()) {
    const std::int64_t number = writer.number_of(topic);
    add.bind(stored.qrels, stored.topics.size(), number).run();
    stored.topics.push_back(number);
  }
  return stored;
}

}  // namespace prescope
