#include "runs/run_source.h"

namespace prescope {

std::string KeptLines::text() const {
  std::string text;
  std::string_view topic;
  for (std::string_view rest = lines_; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    if (line.front() == kTopic) {
      topic = line.substr(1);
    } else {
      text.append(topic).append(" Q0 ").append(line) += " 0 0 x\n";
    }
  }
  return text;
}

bool can_be_reopened(const RunFacts& facts) noexcept {
  std::error_code unknown;
  return facts.kept || std::filesystem::is_regular_file(facts.path, unknown);
}

std::unique_ptr<ByteSource> reopened(const RunFacts& facts) {
  if (!can_be_reopened(facts)) return nullptr;
  if (facts.kept) return ByteSource::of_text(facts.kept->text(), facts.path);
  return std::make_unique<ByteSource>(facts.path);
}

}  // namespace prescope
