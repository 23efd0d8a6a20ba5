#include "report/topic_curve.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/text_grid.h"

namespace prescope {
namespace {

constexpr std::string_view kEarned = "█", kLost = "░";
constexpr std::size_t kLeastWidth = 40, kMostRows = 12, kLeastRows = 6;

/// Relevant documents found at or above a rank, in three cases. Missing documents stand behind N,
/// as the definition has it.
class Cases {
 public:
  explicit Cases(const TopicCurve& curve) : curve_(curve) {}

  [[nodiscard]] std::uint64_t best(std::uint64_t rank) const {
    return std::min<std::uint64_t>(rank, curve_.num_rel);
  }
  [[nodiscard]] std::uint64_t worst(std::uint64_t rank) const {
    return rank <= curve_.cutoff ? 0 : best(rank - curve_.cutoff);
  }
  [[nodiscard]] std::uint64_t actual(std::uint64_t rank) const {
    const auto end = std::ranges::upper_bound(curve_.found, rank);
    const auto found = static_cast<std::uint64_t>(end - curve_.found.begin());
    return std::max(found, worst(rank));
  }

 private:
  TopicCurve curve_;
};

/// How ranks and documents are spread over columns and rows.
struct Scale {
  std::uint64_t ranks;  // N + n
  std::size_t columns;
  std::uint64_t documents;
  std::size_t rows;

  Scale(const TopicCurve& curve, std::size_t room)
      : ranks(std::uint64_t{curve.cutoff} + curve.num_rel), documents(curve.num_rel) {
    columns = ranks < room ? static_cast<std::size_t>(ranks) * (room / ranks) : room;
    const auto n = static_cast<std::size_t>(documents);
    rows = n >= kMostRows ? kMostRows : n * std::max<std::size_t>(1, kLeastRows / n);
  }

  /// The rank in the middle of a column.
  [[nodiscard]] std::uint64_t rank(std::size_t column) const {
    return (2 * column + 1) * ranks / (2 * columns) + 1;
  }
  /// Whether a curve that has come to `found` covers the middle of a row, counted from below.
  [[nodiscard]] bool covers(std::uint64_t found, std::size_t row) const {
    return 2 * found * rows > (2 * row + 1) * documents;
  }
  /// The column in which a rank stands.
  [[nodiscard]] std::size_t column(std::uint64_t rank) const {
    return static_cast<std::size_t>((rank - 1) * columns / ranks);
  }
};

std::string row_of(const Cases& cases, const Scale& scale, std::size_t row) {
  std::string line;
  for (std::size_t c = 0; c < scale.columns; ++c) {
    const std::uint64_t rank = scale.rank(c);
    if (!scale.covers(cases.best(rank), row) || scale.covers(cases.worst(rank), row)) {
      line += ' ';
    } else {
      line += scale.covers(cases.actual(rank), row) ? kEarned : kLost;
    }
  }
  return line.erase(line.find_last_not_of(' ') + 1);
}

/// The axis and, below it, the ranks 1, N and N + n.
std::string axis(const TopicCurve& curve, const Scale& scale, std::size_t indent) {
  const std::size_t at_cutoff = scale.column(curve.cutoff);
  std::string line(indent - 1, ' ');
  line += "└";
  for (std::size_t c = 0; c < scale.columns; ++c) line += c == at_cutoff ? "┴" : "─";
  const std::string first = "rank 1", cutoff = fmt::format("N = {}", curve.cutoff);
  std::string labels = std::string(indent, ' ') + first;
  const std::size_t wanted = indent + at_cutoff - std::min(at_cutoff, cutoff.size() - 1);
  labels.append(std::max(wanted, labels.size() + 2) - labels.size(), ' ');
  return line + '\n' + labels + cutoff + '\n';
}

}  // namespace

std::string draw_topic_curve(const TopicCurve& curve, std::size_t width) {
  const std::string top = fmt::format("{}", curve.num_rel);
  const std::size_t indent = top.size() + 2;
  const Scale scale(curve, std::max(width, kLeastWidth) - indent);
  const Cases cases(curve);
  std::string out;
  for (std::size_t i = scale.rows; i-- > 0;) {
    out += fmt::format("{:>{}} │{}\n", i + 1 == scale.rows ? top : "", top.size(),
                       row_of(cases, scale, i));
  }
  return out + axis(curve, scale, indent);
}

}  // namespace prescope
