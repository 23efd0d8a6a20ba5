#include "cli/options/output_file.h"

#include <fmt/format.h>
#include <cerrno>
#include <cstring>

#include "prescope/error.h"

namespace prescope::cli {

namespace {

namespace fs = std::filesystem;

fs::path partial_of(const fs::path& path) {
  std::error_code missing;
  const fs::file_status status = fs::status(path, missing);
  if (fs::is_directory(status)) {
    throw Error(ErrorCode::kIo,
                fmt::format("{}: is a folder; expected a file's name", path.string()));
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) return path;
  return path.string() + ".partial";
}

Error cannot_write(const fs::path& path) {
  return {ErrorCode::kIo,
          fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno))};
}

}  // namespace

OutputFile::OutputFile(fs::path path) : path_(std::move(path)), partial_(partial_of(path_)) {
  if (partial_ != path_ && !std::ofstream(partial_)) throw cannot_write(path_);
}

OutputFile::~OutputFile() {
  std::error_code already_gone;
  if (partial_ != path_) fs::remove(partial_, already_gone);
}

void OutputFile::write(std::string_view content) {
  append(content);
  finish();
}

void OutputFile::append(std::string_view piece) {
  if (!out_.is_open()) out_.open(partial_, std::ios::binary);
  out_.write(piece.data(), static_cast<std::streamsize>(piece.size()));
  if (!out_) throw cannot_write(path_);
}

void OutputFile::finish() {
  append({});
  out_.close();
  if (!out_) throw cannot_write(path_);
  if (partial_ != path_) fs::rename(partial_, path_);
}

std::optional<OutputFile> output_file(const std::string& path) {
  if (path.empty() || path == kStandardOutput) return std::nullopt;
  return std::optional<OutputFile>(std::in_place, path);
}

}  // namespace prescope::cli
