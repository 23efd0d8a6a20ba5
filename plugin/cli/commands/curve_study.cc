#include "cli/commands/study_command.h"
#include "cli/options/terminal.h"
#include "measures/pres_curve.h"

namespace prescope::cli {

namespace {

constexpr std::uint32_t kMostRelevant = 10'000, kMostRead = 1'000'000;
constexpr std::size_t kWidthOfCurve = 100;

struct CurveRequest {
  std::uint32_t num_rel = 0;  ///< 0: as many as there are ranks
  std::uint32_t cutoff = 100;
  std::vector<std::string> ranks;
  StudyOutput output;
};

/// Ascending; a rank that is there twice would be a document found twice.
std::vector<Rank> ranks_of(const std::vector<std::string>& words) {
  std::vector<Rank> ranks = positive_numbers("--ranks", "rank", words);
  std::ranges::sort(ranks);
  const auto twice = std::ranges::adjacent_find(ranks);
  if (twice != ranks.end()) {
    throw Error(ErrorCode::kUsage, fmt::format("--ranks: rank {} is there twice", *twice));
  }
  return ranks;
}

void run_curve(CurveRequest& request) {
  const std::vector<Rank> ranks = ranks_of(request.ranks);
  const auto found = static_cast<std::uint32_t>(ranks.size());
  if (found == 0 && request.num_rel == 0) {
    throw Error(ErrorCode::kUsage,
                "expected --ranks, --n or both; see 'prescope study curve --help'");
  }
  const std::uint32_t num_rel = request.num_rel == 0 ? found : request.num_rel;
  if (found > num_rel || num_rel > kMostRelevant) {
    throw Error(ErrorCode::kUsage,
                fmt::format("--ranks: {} ranks, but --n is {}; expected no more than n, and n at "
                            "most {}",
                            found, num_rel, kMostRelevant));
  }
  request.output.open();
  request.output.write(curve_report(pres_curve(num_rel, request.cutoff, ranks), PRESCOPE_VERSION,
                                    terminal_width(stdout).value_or(kWidthOfCurve)));
}

}  // namespace

void add_curve_study(Command& studies) {
  const auto [command, request] = studies.add_command(
      "curve", "PRES of given ranks between its bounds, against RR, and where n is above N_max.",
      run_curve);
  command.add("--n", request.num_rel, "N",
              "Relevant documents there are (as many as there are ranks)",
              Limits{1, kMostRelevant});
  command.add("--nmax", request.cutoff, "N", "Documents read (100)", Limits{1, kMostRead});
  command.add("--ranks", request.ranks, "R,R", "Where relevant documents were found");
  request.output.add_to(command);
  command.footer(
      "Examples:\n"
      "  prescope study curve --n 4 --nmax 100 --ranks 1,98,99,100\n"
      "  prescope study curve --n 1 --nmax 1000 --ranks 20 --html curve.html\n"
      "  prescope study curve --n 250 --nmax 100 --ranks 1,2,3,5,8,13 --svg figures");
}

}  // namespace prescope::cli
