#pragma once

#include "support/scratch_file.h"

namespace prescope::conformance {

/// A folder of one test's run files.
class RunFolder : public ScratchFolder {
 public:
  /// Writes the finished file under its name at once, as the writer of a run should.
  void write(std::string_view name, std::string_view content) const {
    std::filesystem::rename(ScratchFolder::write("unfinished", content), path() / name);
  }
};

}  // namespace prescope::conformance
