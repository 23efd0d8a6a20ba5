#include "store/shared_rows.h"

namespace prescope {

SharedRows::SharedRows(const Database& database)
    : database_(database),
      qrels_{{database,
              "SELECT number FROM qrels_versions "
              "WHERE hash = ?1 AND docno = ?5 AND min_grade = ?6"},
             {database,
              "INSERT INTO qrels_versions (hash, topics, judgements, relevant, docno, min_grade) "
              "VALUES (?, ?, ?, ?, ?, ?)"}},
      index_{{database,
              "SELECT number FROM index_versions WHERE engine = ? AND engine_version = ? "
              "AND place = ? AND documents IS ? AND judged_found IS ?"},
             {database,
              "INSERT INTO index_versions (engine, engine_version, place, documents, judged_found) "
              "VALUES (?, ?, ?, ?, ?)"}},
      arm_{{database, "SELECT number FROM arms WHERE name = ? AND config = ?"},
           {database, "INSERT INTO arms (name, config) VALUES (?, ?)"}},
      topic_{{database, "SELECT number FROM topics WHERE name = ?"},
             {database, "INSERT INTO topics (name) VALUES (?)"}} {}

std::int64_t SharedRows::number_of(const QrelsVersion& qrels) {
  return qrels_.number_of(database_, qrels.hash, qrels.topics, qrels.judgements, qrels.relevant,
                          to_string(qrels.docno), qrels.min_grade);
}

std::int64_t SharedRows::number_of(const IndexVersion& index) {
  return index_.number_of(database_, index.engine, index.engine_version, index.place,
                          index.documents, index.judged_found);
}

std::int64_t SharedRows::number_of_arm(const std::string& name, const std::string& config) {
  return arm_.number_of(database_, name, config);
}

std::int64_t SharedRows::number_of_topic(const std::string& name) {
  return topic_.number_of(database_, name);
}

}  // namespace prescope
