#include "conformance/run_file/run_folder.h"

#include <stdlib.h>

#include <fstream>
#include <string>
#include <system_error>

namespace prescope::conformance {

namespace fs = std::filesystem;

RunFolder::RunFolder() {
  std::string name = (fs::temp_directory_path() / "prescope-run-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), name);
  }
  path_ = name;
}

RunFolder::~RunFolder() {
  std::error_code in_use;
  fs::remove_all(path_, in_use);
}

void RunFolder::write(std::string_view name, std::string_view content) const {
  const fs::path unfinished = path_ / "unfinished";
  std::ofstream(unfinished, std::ios::binary) << content;
  fs::rename(unfinished, path_ / name);
}

}  // namespace prescope::conformance
