#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/evaluation_record.h"
#include "prescope/observation.h"
#include "store/statement.h"

namespace prescope {

/// A row of `observations`, with the numbers that its names have in the store.
struct ObservationRow {
  std::int64_t seq = 0;
  UtcTime time{};
  std::int64_t arm = 0;
  std::optional<std::int64_t> topic{};
  std::optional<std::int64_t> generation{};
  const Observation* observation = nullptr;
  std::span<const std::optional<double>> scores{};  ///< PRES, R, AP; or empty
};

/// Appends rows, in the caller's transaction.
class ObservationWriter {
 public:
  /// `captured_hits`: of what was captured, how many are stored.
  ObservationWriter(Database& database, std::uint32_t captured_hits);

  void write(const ObservationRow& row);

 private:
  void write_capture(const ObservationRow& row);

  std::uint32_t captured_hits_;
  Statement insert_, insert_capture_;
  std::string bytes_;
};

/// Adds what was observed since the last time to the sums by topic, in the caller's transaction.
void roll_up_topics(Database& database);

}  // namespace prescope
