#include "weighting.h"

#include "prescope/error.h"

namespace prescope::xapian {
namespace {

// Xapian takes a negative one to mean its own default.
constexpr double kOwnDefault = -1.0;
constexpr double kBm25PlusDelta = 1.0;
constexpr double kPl2PlusDelta = 0.8;

void require_valid(const WeightOptions& options) {
  const auto require = [](bool holds, const char* message) {
    if (!holds) throw Error(ErrorCode::kUsage, message);
  };
  require(options.k1 >= 0.0 && options.k2 >= 0.0 && options.k3 >= 0.0,
          "BM25's k1, k2 and k3 must be >= 0");
  require(options.b >= 0.0 && options.b <= 1.0, "BM25's b must be in [0, 1]");
  require(options.min_normlen >= 0.0, "BM25's min_normlen must be >= 0");
  require(options.delta.value_or(1.0) > 0.0, "delta must be > 0");
  require(options.c > 0.0, "c must be > 0");
  require(are_normalizations(options.normalizations),
          "tf-idf's normalizations must be one letter each of nbslL, ntpfs and n");
  require(options.smoothing1.value_or(0.0) >= 0.0 && options.smoothing2.value_or(0.0) >= 0.0,
          "smoothing1 and smoothing2 must be >= 0");
  require(options.log >= 0.0, "log must be >= 0");
}

}  // namespace

bool are_normalizations(std::string_view letters) noexcept {
  const auto is_one_of = [](char letter, std::string_view known) {
    return known.find(letter) != std::string_view::npos;
  };
  return letters.size() == 3 && is_one_of(letters[0], "nbslL") && is_one_of(letters[1], "ntpfs") &&
         letters[2] == 'n';
}

std::unique_ptr<Xapian::Weight> make_weight(const WeightOptions& o) {
  require_valid(o);
  using Scheme = WeightOptions::Scheme;
  switch (o.scheme) {
    case Scheme::kBm25:
      return std::make_unique<Xapian::BM25Weight>(o.k1, o.k2, o.k3, o.b, o.min_normlen);
    case Scheme::kBm25Plus:
      return std::make_unique<Xapian::BM25PlusWeight>(o.k1, o.k2, o.k3, o.b, o.min_normlen,
                                                      o.delta.value_or(kBm25PlusDelta));
    case Scheme::kPl2:
      return std::make_unique<Xapian::PL2Weight>(o.c);
    case Scheme::kPl2Plus:
      return std::make_unique<Xapian::PL2PlusWeight>(o.c, o.delta.value_or(kPl2PlusDelta));
    case Scheme::kLm:
      return std::make_unique<Xapian::LMWeight>(o.log, o.smoothing,
                                                o.smoothing1.value_or(kOwnDefault),
                                                o.smoothing2.value_or(kOwnDefault));
    case Scheme::kTfIdf:
      return std::make_unique<Xapian::TfIdfWeight>(o.normalizations);
    case Scheme::kDph:
      return std::make_unique<Xapian::DPHWeight>();
    case Scheme::kDlh:
      return std::make_unique<Xapian::DLHWeight>();
    case Scheme::kBb2:
      return std::make_unique<Xapian::BB2Weight>(o.c);
    case Scheme::kInl2:
      return std::make_unique<Xapian::InL2Weight>(o.c);
    case Scheme::kIfb2:
      return std::make_unique<Xapian::IfB2Weight>(o.c);
    case Scheme::kIneb2:
      return std::make_unique<Xapian::IneB2Weight>(o.c);
    case Scheme::kCoord:
      return std::make_unique<Xapian::CoordWeight>();
    case Scheme::kBool:
      return std::make_unique<Xapian::BoolWeight>();
  }
  throw Error(ErrorCode::kUsage, "a weighting scheme that there is not");
}

}  // namespace prescope::xapian
