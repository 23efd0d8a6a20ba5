#include "runs/run_source.h"

namespace prescope {

void KeptLines::begin_block(std::size_t least) {
  constexpr std::size_t kFirst = std::size_t{1} << 12U, kMost = std::size_t{1} << 16U;
  const std::size_t wanted = blocks_.empty() ? kFirst : std::min(2 * blocks_.back().size, kMost);
  const std::size_t size = std::max(wanted, least);
  blocks_.push_back({std::make_unique_for_overwrite<char[]>(size), size});
}

std::string KeptLines::text() const {
  std::string text;
  auto topic = topics_.begin();
  std::uint64_t line = 0;  // of the topic
  for (const Block& block : blocks_) {
    std::string_view rest(block.bytes.get(), block.used);
    while (!rest.empty()) {
      for (; line == topic->lines; line = 0) ++topic;
      const std::size_t end = rest.find('\n');
      text += topic->name;
      text += " Q0 ";
      text += rest.substr(0, end);
      text += " 0 0 x\n";
      rest.remove_prefix(end + 1);
      ++line;
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
