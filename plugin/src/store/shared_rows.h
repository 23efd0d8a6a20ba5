#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/evaluation_record.h"
#include "store/statement.h"

namespace prescope {

/// What many rows name by number: judgements, indexes, arms, topics. Each is stored once; asking
/// for its number stores it. Within a transaction of a connection for writing, which outlives this.
class SharedRows {
 public:
  explicit SharedRows(const Database& database);

  std::int64_t number_of(const QrelsVersion& qrels);
  std::int64_t number_of(const IndexVersion& index);
  std::int64_t number_of_arm(const std::string& name, const std::string& config);
  std::int64_t number_of_topic(const std::string& name);

 private:
  /// The statement that finds a row, and the one that stores it, with the same parameters.
  struct Row {
    Statement find, add;

    template <class... Values>
    std::int64_t number_of(const Database& database, const Values&... values) {
      if (find.bind(values...).next()) {
        const std::int64_t number = find.integer(0);
        find.rewind();
        return number;
      }
      add.bind(values...).run();
      return database.last_row();
    }
  };

  const Database& database_;
  Row qrels_, index_, arm_, topic_;
};

}  // namespace prescope
