#include "report/runs/topic_explanation.h"

namespace prescope {

namespace {

constexpr std::string_view kEarned = "█", kLost = "░";
constexpr std::size_t kLeastWidth = 40, kMostRows = 12, kLeastRows = 6;

/// The curve of a topic in characters: ranks in columns, documents in rows.
struct CurvePicture {
  const PresCurve& curve;
  std::uint64_t ranks;  // N + n
  std::size_t columns, rows;

  CurvePicture(const PresCurve& of, std::size_t room)
      : curve(of), ranks(std::uint64_t{of.cutoff} + of.num_rel) {
    columns = ranks < room ? static_cast<std::size_t>(ranks) * (room / ranks) : room;
    const std::size_t n = curve.num_rel;
    rows = n >= kMostRows ? kMostRows : n * std::max<std::size_t>(1, kLeastRows / n);
  }

  // Relevant documents found at or above a rank, in three cases. Missing documents stand behind N,
  // as the definition has it.
  [[nodiscard]] std::uint64_t best(std::uint64_t rank) const {
    return std::min<std::uint64_t>(rank, curve.num_rel);
  }
  [[nodiscard]] std::uint64_t worst(std::uint64_t rank) const {
    return rank <= curve.cutoff ? 0 : best(rank - curve.cutoff);
  }
  [[nodiscard]] std::uint64_t actual(std::uint64_t rank) const {
    const auto end = std::ranges::upper_bound(curve.hits, rank, {}, &PresCurve::Hit::rank);
    const auto found = static_cast<std::uint64_t>(end - curve.hits.begin());
    return std::max(found, worst(rank));
  }

  [[nodiscard]] std::uint64_t rank(std::size_t column) const {
    return (2 * column + 1) * ranks / (2 * columns) + 1;
  }
  [[nodiscard]] std::size_t column(std::uint64_t rank) const {
    return static_cast<std::size_t>((rank - 1) * columns / ranks);
  }
  /// Returns true if a curve at height `found` covers the middle of a row, counted from below.
  [[nodiscard]] bool covers(std::uint64_t found, std::size_t row) const {
    return 2 * found * rows > (2 * row + 1) * curve.num_rel;
  }

  [[nodiscard]] std::string row_text(std::size_t row) const {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) {
      const std::uint64_t at = rank(c);
      if (!covers(best(at), row) || covers(worst(at), row)) {
        line += ' ';
      } else {
        line += covers(actual(at), row) ? kEarned : kLost;
      }
    }
    return line.erase(line.find_last_not_of(' ') + 1);
  }

  /// The axis and, below it, the ranks 1, N and N + n.
  [[nodiscard]] std::string axis_text(std::size_t indent) const {
    const std::size_t at_cutoff = column(curve.cutoff);
    std::string line(indent - 1, ' ');
    line += "└";
    for (std::size_t c = 0; c < columns; ++c) line += c == at_cutoff ? "┴" : "─";
    const std::string cutoff = fmt::format("N = {}", curve.cutoff);
    std::string labels = std::string(indent, ' ') + "rank 1";
    const std::size_t wanted = indent + at_cutoff - std::min(at_cutoff, cutoff.size() - 1);
    labels.append(std::max(wanted, labels.size() + 2) - labels.size(), ' ');
    return line + '\n' + labels + cutoff + '\n';
  }
};

constexpr std::size_t kGridIndent = 2;
constexpr std::size_t kTermsShown = 8;

class RankedTopic {
 public:
  explicit RankedTopic(const TopicExplanation& explanation)
      : qrels(explanation.qrels->topic(explanation.topic)),
        facts(explanation.facts->find(explanation.topic)),
        ranks_(*explanation.qrels, explanation.ranks) {
    judged = ranks_.of(*explanation.facts, explanation.topic);
    if (facts == nullptr) return;
    relevant =
        judged_ranking(*explanation.qrels, *explanation.facts, *facts, explanation.ranks).hits;
    std::erase_if(relevant,
                  [&](const JudgedHit& hit) { return !qrels.is_relevant(hit.judgement); });
  }

  /// Ranks of relevant documents, up to `last`.
  [[nodiscard]] std::span<const Rank> ranks_to(Rank last) const {
    const auto end = std::ranges::upper_bound(judged.relevant, last);
    return judged.relevant.first(static_cast<std::size_t>(end - judged.relevant.begin()));
  }
  [[nodiscard]] const Judgement& judgement(JudgementIndex index) const {
    return qrels.judgements()[index.value()];
  }

  const TopicQrels& qrels;
  const RunFacts::Topic* facts;  ///< null if the run has not the topic
  JudgedRanks judged{};
  std::vector<JudgedHit> relevant;

 private:
  TopicRanks ranks_;
};

Rank last_rank_of(const Measure& measure) {
  return measure.cutoff() ? measure.cutoff()->value() : std::numeric_limits<Rank>::max();
}

/// "1/1 + 2/5 + ...", of at most kTermsShown terms.
std::string sum_text(const std::vector<std::string>& terms) {
  if (terms.empty()) return "0";
  return fmt::format("{}{}", fmt::join(terms | std::views::take(kTermsShown), " + "),
                     terms.size() > kTermsShown ? " + ..." : "");
}

/// Returns " = 0.1234", or that there is no value.
std::string value_text(std::optional<double> value) {
  return value ? fmt::format("= {:.4f}", *value) : "has no value here";
}

std::string credits_table(const RankedTopic& topic, const PresCurve& curve, const TextLook& look) {
  ReportTable table =
      table_of("", {}, {"rank r", "j", "credit N + j - r", "of PRES", "grade"}, {"docno"});
  const double whole = double(curve.num_rel) * curve.cutoff;
  for (std::size_t i = 0; i < curve.hits.size(); ++i) {
    const PresCurve::Hit& hit = curve.hits[i];
    const Judgement& judgement = topic.judgement(topic.relevant[i].judgement);
    table.rows.push_back({std::to_string(hit.rank), std::to_string(i + 1),
                          std::to_string(hit.credit), score_text(double(hit.credit) / whole),
                          std::to_string(judgement.grade), judgement.docno.text()});
  }
  return table_text(table, look, kGridIndent) + '\n';
}

std::string pres_section(const TopicExplanation& explanation, const RankedTopic& topic,
                         const Measure& measure) {
  const std::uint32_t cutoff = measure.cutoff()->value();
  const std::uint32_t n = topic.qrels.num_rel();
  const std::span<const Rank> found = topic.ranks_to(cutoff);
  const PresCurve curve = pres_curve(n, cutoff, {found.begin(), found.end()});
  std::vector<std::string> terms;
  std::uint64_t credit = 0;
  for (const PresCurve::Hit& hit : curve.hits) {
    terms.push_back(std::to_string(hit.credit));
    credit += hit.credit;
  }
  const TextLook& look = explanation.look;
  std::string out =
      fmt::format("{}, n = {}, N = {}\n\n", paint(measure.name(), Style::kStrong, look), n, cutoff);
  if (!found.empty()) out += credits_table(topic, curve, look);
  out += fitted(fmt::format("{} = ({}) / (n N) = {} / ({} * {}) {}", measure.name(),
                            sum_text(terms), credit, n, cutoff, value_text(curve.pres)),
                look, "  ", 4);
  out += fitted(fmt::format("The {} found could give from {:.4f}, at the last ranks (n R^2 / N), "
                            "to {:.4f}, at the first (R)",
                            found.size(), curve.lowest, curve.highest),
                look, "  ", 4) +
         '\n';
  out += draw_topic_curve(curve, look.columns.value_or(kTableWidth));
  return out + wrapped(
                   "relevant documents found over rank; █ earned: from the worst case, in which "
                   "all stand just behind N, to the ranking; ░ lost: from there to the best "
                   "case; PRES = █ / (█ + ░)",
                   "  ", 2, look.paragraph_width());
}

std::string line_of(const RankedTopic& topic, const Measure& measure, std::optional<double> value) {
  const std::string_view family = measure.definition().name;
  const std::span<const Rank> ranks = topic.ranks_to(last_rank_of(measure));
  const std::uint32_t n = topic.qrels.num_rel();
  const bool counts_n = n > 0 && !measure.min_grade();
  if (family == "R" && counts_n) {
    return fmt::format("{} = {} / {} {}", measure.name(), ranks.size(), n, value_text(value));
  }
  if (family == "AP" && counts_n) {
    const auto terms = list_of(positions(ranks.size()), [&](std::size_t i) {
      return fmt::format("{}/{}", i + 1, ranks[i]);
    });
    return fmt::format("{} = ({}) / {} {}", measure.name(), sum_text(terms), n, value_text(value));
  }
  return fmt::format("{} {} ('prescope explain {}' says how)", measure.name(), value_text(value),
                     family);
}

/// Relevant documents without a rank up to `last`, in the order of the qrels.
std::string missing_section(const RankedTopic& topic, Rank last, const TextLook& look) {
  ReportTable table = table_of("", {"docno"}, {"grade"}, {"where"});
  for (std::uint32_t i = 0; i < topic.qrels.judgements().size(); ++i) {
    if (!topic.qrels.is_relevant(JudgementIndex(i))) continue;
    const auto at = std::ranges::find(topic.relevant, JudgementIndex(i), &JudgedHit::judgement);
    const bool retrieved = at != topic.relevant.end();
    if (retrieved && at->rank <= last) continue;
    const Judgement& judgement = topic.judgement(JudgementIndex(i));
    table.rows.push_back({judgement.docno.text(), std::to_string(judgement.grade),
                          retrieved ? fmt::format("rank {}", at->rank) : "not retrieved"});
  }
  if (table.rows.empty()) return {};
  const std::string where = last == std::numeric_limits<Rank>::max()
                                ? std::string()
                                : fmt::format(" in the first {} ranks", last);
  return '\n' +
         fitted(fmt::format("{} not found{}", count_text(table.rows.size(), "relevant document"),
                            where),
                look) +
         table_text(table, look, kGridIndent);
}

std::string title(const TopicExplanation& explanation, const RankedTopic& topic) {
  if (topic.facts == nullptr) {
    return fitted(fmt::format("{} does not have topic {}, which has {}: nothing was retrieved",
                              explanation.run, topic.qrels.id().text(),
                              count_text(topic.qrels.num_rel(), "relevant document")),
                  explanation.look) +
           '\n';
  }
  std::string line =
      fmt::format("Topic {} in {}: {}, {} retrieved, {} of them relevant", topic.qrels.id().text(),
                  explanation.run, count_text(topic.qrels.num_rel(), "relevant document"),
                  topic.judged.num_ret, topic.relevant.size());
  if (topic.facts->duplicates > 0) {
    line += fmt::format("; {} a document, which counts at its best rank",
                        count_text(topic.facts->duplicates, "line repeats", "lines repeat"));
  }
  return fitted(line, explanation.look) + '\n';
}

/// "Slices: section A and B; source x; no year"; empty without slices.
std::string slices_line(const TopicExplanation& explanation) {
  if (explanation.slices.empty()) return {};
  std::vector<std::string> parts;
  for (const TopicSlices::Dimension& dimension : explanation.slices.dimensions) {
    std::vector<std::string> names;
    for (const TopicSlices::Slice& slice : dimension.slices) {
      if (std::ranges::binary_search(slice.topics, explanation.topic)) names.push_back(slice.name);
    }
    parts.push_back(names.empty() ? fmt::format("no {}", dimension.name)
                                  : fmt::format("{} {}", dimension.name, listed(names)));
  }
  return fitted(fmt::format("Slices: {}", fmt::join(parts, "; ")), explanation.look) + '\n';
}

}  // namespace

std::string draw_topic_curve(const PresCurve& curve, std::size_t width) {
  const std::string top = fmt::format("{}", curve.num_rel);
  const std::size_t indent = top.size() + 2;
  const CurvePicture picture(curve, std::max(width, kLeastWidth) - indent);
  std::string out;
  for (std::size_t i = picture.rows; i-- > 0;) {
    out += fmt::format("{:>{}} │{}\n", i + 1 == picture.rows ? top : "", top.size(),
                       picture.row_text(i));
  }
  return out + picture.axis_text(indent);
}

std::string explain_topic(const TopicExplanation& explanation) {
  const RankedTopic topic(explanation);
  std::string out = title(explanation, topic) + slices_line(explanation);
  const bool has_relevant = topic.qrels.num_rel() > 0;
  const auto has_own_grade = [](const Measure& measure) { return measure.min_grade().has_value(); };
  if (!has_relevant && std::ranges::none_of(explanation.measures, has_own_grade)) {
    return out + fitted("No measure has a value: no document is relevant at this grade.",
                        explanation.look);
  }
  Rank last = 0;
  std::string lines;
  for (const Measure& measure : explanation.measures) {
    last = std::max(last, last_rank_of(measure));
    if (measure.definition().name == "PRES" && !measure.min_grade() && has_relevant) {
      out += pres_section(explanation, topic, measure) + '\n';
    } else {
      lines += fitted(line_of(topic, measure, measure.score(topic.judged)), explanation.look);
    }
  }
  return out + lines + missing_section(topic, last, explanation.look);
}

}  // namespace prescope
