#pragma once

#include <cstdint>

#include "core/evaluation_record.h"
#include "store/database.h"

namespace prescope {

/// Stores a record, within a transaction of the caller's; returns its number. Throws Error(kUsage)
/// for topics that do not ascend strictly by id, and for names that are not UTF-8.
std::int64_t write_evaluation(Database& database, const EvaluationRecord& record);

/// Throws Error(kUsage), with the numbers there are, for a number that is not there.
[[nodiscard]] EvaluationRecord read_evaluation(Database& database, std::int64_t number);

/// Throws as `read_evaluation`.
void require_evaluation(const Database& database, std::int64_t number);

}  // namespace prescope
