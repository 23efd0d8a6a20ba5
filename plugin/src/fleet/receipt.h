#pragma once

#include "fleet/schema.h"

namespace prescope {

/// What a table has of some rows: how many different ones, and the sum of their hashes, which does
/// not depend on their order. Rows that were sent twice count once.
struct Receipt {
  std::uint64_t rows = 0;
  std::uint64_t hash = 0;

  friend bool operator==(const Receipt&, const Receipt&) = default;
};

/// Returns the receipt that the fleet must give for rows of RowBinary.
[[nodiscard]] Receipt expected_receipt(const FleetTable& table, std::string_view rows);

/// Returns the fleet's receipt for the rows that meet a condition of SQL. Throws as
/// ClickHouse::ask, and FleetUnavailable if the answer is none.
[[nodiscard]] Receipt read_receipt(ClickHouse& fleet, const FleetTable& table,
                                   std::string_view condition);

/// Returns if the rows that meet the condition are those that were inserted, and no others: an
/// acknowledged insert alone proves nothing. Looks again for 3 s, because a shard may be read from
/// a replica that follows. Throws as ClickHouse::ask; FleetUnavailable if rows are missing, after
/// which they must be sent again; FleetConflict if there are others.
void verify_rows(ClickHouse& fleet, const FleetTable& table, const Receipt& expected,
                 std::string_view condition);

/// Inserts rows of RowBinary, which have every column, and verifies them; `condition` selects them.
/// Throws as ClickHouse::insert and verify_rows.
void insert_rows(ClickHouse& fleet, const FleetTable& table, std::string_view rows,
                 std::string_view condition);

}  // namespace prescope
