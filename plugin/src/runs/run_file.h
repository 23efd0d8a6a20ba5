#pragma once

#include <fstream>

#include "prescope/engine.h"
#include "prescope/run.h"

namespace prescope {

/// Writes a TREC run whose order survives every reader: scores are printed as the engine's floats,
/// lowered to the next smaller float if a hit would tie with the one before it, because trec_eval
/// breaks ties by docno and ignores the rank column. Printed scores are finite: an infinity becomes
/// the largest float of its sign, a NaN is as high as the hit before it allows. The file appears
/// under its name only when `finish` has written all of it.
class RunWriter {
 public:
  /// `tag` is the last column. Throws Error(kIo), and Error(kBadInput) if it contains white space.
  RunWriter(std::filesystem::path path, std::string tag);
  ~RunWriter();
  RunWriter(const RunWriter&) = delete;
  RunWriter& operator=(const RunWriter&) = delete;

  /// Adds all hits of a topic, rank 1 first. Throws Error(kBadInput), writing nothing of the topic,
  /// if a docno or the topic contains white space, which the format cannot carry.
  void add(const TopicId& topic, std::span<const Hit> hits);
  /// Throws Error(kIo), leaving nothing under the final name.
  void finish();

 private:
  std::filesystem::path path_;
  std::filesystem::path partial_;
  std::string tag_;
  std::ofstream out_;
};

}  // namespace prescope
