#pragma once

#include <string>
#include <vector>

#include "prescope/docno.h"

namespace prescope {

/// One way to read a document number as it was written.
struct NumberReading {
  std::string patent{};       ///< its key under DocnoPolicy::kPatent
  std::string publication{};  ///< its key under DocnoPolicy::kPublication
  std::string series{};       ///< "JP applications"
  unsigned year = 0;          ///< the year that the number names; 0 if it names none
  std::string why{};          ///< how the number is read so: "as a number of the era Heisei"
};

/// All readings of a number, each patent key once.
struct NumberReadings {
  std::vector<NumberReading> all{};  ///< the usual reading comes first; at least one
  std::size_t taken = 0;             ///< the position of the reading that is taken
  std::string why{};                 ///< why it is taken, a sentence without its end

  [[nodiscard]] const NumberReading& chosen() const { return all[taken]; }
};

/// Returns the ways to read a document number: the usual one of the table of authorities, other
/// eras and years, series that a missing kind code leaves open, and the country that a number has
/// the form of. If the year of publication is known (not 0), the first reading of this year is
/// taken; without one, the usual reading. A text that is no patent number has one reading: itself.
[[nodiscard]] NumberReadings read_number(std::string_view written, unsigned published_in = 0);

/// Returns the year that a patent number names, as JP S60-123456 and US 2003/0220294 do; 0 if it
/// names none. No allocation.
[[nodiscard]] unsigned year_of_number(std::string_view docno) noexcept;

/// Returns whether a number may have several readings that a year of publication decides between,
/// so that `read_number` may take another one than the usual. No allocation.
[[nodiscard]] bool has_several_years(std::string_view docno) noexcept;

}  // namespace prescope
