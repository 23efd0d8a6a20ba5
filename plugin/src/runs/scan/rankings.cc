#include "runs/scan/rankings.h"

#include <vector>

#include "runs/scan/topics_of_run.h"

namespace prescope {

void read_rankings(const std::filesystem::path& path, const ReadRankingsOptions& options,
                   const std::function<void()>& begin_again,
                   const std::function<void(const ReadRanking&)>& use) {
  std::vector<std::string_view> docnos;
  TopicReading reading{.precision = options.score};
  reading.is_wanted = [](std::string_view) { return true; };
  reading.take = [&](std::string_view topic, const TopicLines& lines) {
    docnos.clear();
    for (const std::uint32_t line : lines.ranked(options.order)) {
      if (docnos.size() == options.depth) break;
      docnos.push_back(lines.docno(line));
    }
    use({.topic = topic, .docnos = docnos});
  };
  read_whole_run(path, reading, begin_again);
}

}  // namespace prescope
