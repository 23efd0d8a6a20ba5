#pragma once

#include "runs/family_means.h"
#include "statistics/paired_tests.h"

namespace prescope {

/// The scores of topics that have one in both of two rankings, A and B.
class PairedScores {
 public:
  void add(FamilyIndex family, double a, double b) {
    families_.push_back(family);
    a_.push_back(a);
    b_.push_back(b);
    differences_.push_back(clean_difference(b, a));
  }

  // The mean of each family, in the order in which the families come first.

  [[nodiscard]] std::vector<double> a() const { return family_means(families_, a_); }
  [[nodiscard]] std::vector<double> b() const { return family_means(families_, b_); }
  /// B less A, clean.
  [[nodiscard]] std::vector<double> differences() const {
    std::vector<double> differences = family_means(families_, differences_);
    for (double& difference : differences) difference = clean_difference(difference, 0.0);
    return differences;
  }

 private:
  std::vector<FamilyIndex> families_;  // of each topic, as the scores below
  std::vector<double> a_, b_, differences_;
};

}  // namespace prescope
