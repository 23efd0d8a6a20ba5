#include "runs/scan/bad_lines.h"

#include <fmt/format.h>

#include "prescope/error.h"

namespace prescope {

void BadLines::add(std::uint64_t line, std::string problem) {
  ++count_;
  if (first_.size() < kListed) first_.emplace_back(line, std::move(problem));
}

void BadLines::append(const BadLines& part, std::uint64_t lines_before) {
  count_ += part.count_;
  for (const auto& [line, problem] : part.first_) {
    if (first_.size() < kListed) first_.emplace_back(lines_before + line, problem);
  }
}

void BadLines::throw_if_any(const std::string& path) const {
  if (count_ == 0) return;
  std::string message;
  for (const auto& [line, problem] : first_) {
    if (!message.empty()) message += '\n';
    message += fmt::format("{}:{}: {}", path, line, problem);
  }
  if (count_ > first_.size()) {
    const std::uint64_t rest = count_ - first_.size();
    message += fmt::format("\n{}: and {} more malformed line{}; nothing was evaluated", path, rest,
                           rest == 1 ? "" : "s");
  }
  throw Error(ErrorCode::kBadInput, message);
}

}  // namespace prescope
