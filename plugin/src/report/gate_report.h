#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/gate/gate.h"
#include "prescope/report.h"

namespace prescope {

/// What `prescope gate` found out, whichever way it is told.
struct GateReport {
  std::string program{};                     ///< its version
  std::string store{};                       ///< path, as given
  std::optional<std::int64_t> evaluation{};  ///< tonight's number there; nothing: not stored
  GateVerdict verdict{};
};

struct GateTableOptions {
  TableOptions::Color color = TableOptions::Color::kNever;
  /// Topics that changed, listed with their citations: those that fail a rule by themselves first.
  std::size_t topics = 10;
};

/// `docs/gate.md` describes each of them. All are UTF-8, end with a newline, are independent of the
/// locale, and say the same verdict. Names from files can neither leave their place in them nor
/// mean anything to who reads them.
[[nodiscard]] std::string gate_table(const GateReport& report,
                                     const GateTableOptions& options = {});
[[nodiscard]] std::string gate_markdown(const GateReport& report,
                                        const GateTableOptions& options = {});
/// One object; `docs/gate-json.md` names every key.
[[nodiscard]] std::string gate_json(const GateReport& report);
/// JUnit XML: a case for each rule, and one for each topic that fails a rule by itself.
[[nodiscard]] std::string gate_junit(const GateReport& report);
/// "REGRESSION: main".
[[nodiscard]] std::string gate_title(const GateReport& report);

}  // namespace prescope
