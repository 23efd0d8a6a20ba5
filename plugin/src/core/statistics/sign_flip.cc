#include "core/statistics/sign_flip.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/statistics/split_mix.h"

namespace prescope {
namespace {

constexpr std::size_t kBitsOfByte = 8;

/// Sums of differences under any signs, eight at a time from tables.
class SignedSums {
 public:
  explicit SignedSums(std::span<const double> values) {
    for (std::size_t begin = 0; begin < values.size(); begin += kBitsOfByte) {
      add_table(values.subspan(begin, std::min(kBitsOfByte, values.size() - begin)));
    }
  }

  template <class Next>
  [[nodiscard]] double sum(const Next& next) const noexcept {
    double sum = 0.0;
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      word = i % kBitsOfByte == 0 ? next() : word >> kBitsOfByte;
      sum += tables_[i][word & 0xFFU];
    }
    return sum;
  }

 private:
  /// A set bit turns the sign of its value.
  void add_table(std::span<const double> values) {
    std::array<double, 256>& table = tables_.emplace_back();
    for (std::size_t signs = 0; signs < table.size(); ++signs) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        table[signs] += (signs >> i & 1U) != 0 ? -values[i] : values[i];
      }
    }
  }

  std::vector<std::array<double, 256>> tables_;
};

}  // namespace

SignFlip sign_flip(std::span<const double> differences, const SignFlipOptions& options) {
  std::vector<double> values;
  double observed = 0.0, magnitude = 0.0;
  for (const double difference : differences) {
    if (difference == 0.0) continue;
    values.push_back(difference);
    observed += difference;
    magnitude += std::abs(difference);
  }
  // What equals the observed sum must not fall behind it by rounding.
  constexpr double kRounding = 1e-12;
  const double least = std::abs(observed) - kRounding * magnitude;
  const SignedSums sums(values);
  SignFlip test{.non_zero = static_cast<std::uint32_t>(values.size())};
  test.exact = test.non_zero <= options.all_up_to;
  test.flips = test.exact ? std::uint64_t{1} << test.non_zero : options.flips;
  test.as_far = 0;
  SplitMix random(options.seed);
  for (std::uint64_t flip = 0; flip < test.flips; ++flip) {
    const double sum = test.exact ? sums.sum([flip] { return flip; })
                                  : sums.sum([&random] { return random.next(); });
    if (std::abs(sum) >= least) ++test.as_far;
  }
  const auto as_far = static_cast<double>(test.as_far), flips = static_cast<double>(test.flips);
  test.p_value = test.exact ? as_far / flips : (as_far + 1.0) / (flips + 1.0);
  return test;
}

}  // namespace prescope
