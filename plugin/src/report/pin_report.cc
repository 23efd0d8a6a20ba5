#include "report/pin_report.h"

#include <fmt/format.h>

#include <map>

#include "core/utc_time.h"
#include "report/clean_text.h"
#include "report/number_text.h"
#include "report/report_table.h"

namespace prescope {
namespace {

using Align = TextGrid::Align;

}  // namespace

std::string pin_table(const std::vector<Pin>& pins, TableOptions::Color color) {
  if (pins.empty()) return "No baseline has been pinned.\n";
  std::map<std::string, const Pin*> newest;
  for (const Pin& pin : pins) newest[pin.name] = &pin;
  ReportTable table{.title = "Baselines, oldest first; * stands now",
                    .columns = {{"time (UTC)", Align::kLeft},
                                {"name", Align::kLeft},
                                {"evaluation"},
                                {"replaced"},
                                {"must find"},
                                {"by", Align::kLeft},
                                {"why", Align::kLeft}}};
  for (const Pin& pin : pins) {
    const bool stands = newest[pin.name] == &pin;
    const std::string name = one_line(pin.name) + (stands ? " *" : "");
    table.rows.push_back({{utc_minute_text(pin.time)},
                          {name, stands ? Style::kStrong : Style::kPlain},
                          {fmt::format("{}", pin.evaluation)},
                          {pin.replaced ? fmt::format("{}", *pin.replaced) : "-"},
                          {grouped_text(pin.must_find.size())},
                          {one_line(pin.by)},
                          {one_line(pin.why)}});
  }
  std::string text = table_text(table, color);
  text.erase(text.find_last_not_of('\n') + 1);
  return text + '\n';
}

std::string pin_sentence(const Pin& pin) {
  std::string text =
      fmt::format("{}: evaluation {} pinned by {}", pin.name, pin.evaluation, pin.by);
  if (!pin.must_find.empty()) {
    text += fmt::format(", with {}", count_text(pin.must_find.size(), "citation that must be found",
                                                "citations that must be found"));
  }
  if (pin.replaced) text += fmt::format("; it replaces evaluation {}", *pin.replaced);
  return one_line(text) + '\n';
}

}  // namespace prescope
