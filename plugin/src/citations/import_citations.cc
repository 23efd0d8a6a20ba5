#include "citations/import_citations.h"

#include <fstream>
#include <mutex>
#include <set>

#include "base/errors.h"
#include "base/threads.h"
#include "citations/store/store_bytes.h"

namespace prescope {

namespace fs = std::filesystem;

namespace {

/// Bytes of files after which the store gets a new state.
constexpr std::uint64_t kCommitBytes = std::uint64_t{2} << 30U;

/// Returns size and hash of a file's content. Throws Error(kIo).
ImportedFile identity_of(const std::string& path) {
  constexpr std::size_t kBlock = 16 * kChecksumPiece;
  std::ifstream in(path, std::ios::binary);
  ImportedFile file{.name = fs::path(path).filename().string()};
  std::string block(kBlock, '\0');
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    const auto size = static_cast<std::size_t>(in.gcount());
    file.size += size;
    file.hash = checksum_of({block.data(), size}, file.hash);
  }
  if (!in.eof()) throw io_error("{}: cannot be read; expected a readable file", path);
  return file;
}

/// Imports the files of one job, some at the same time.
class Job {
 public:
  Job(const fs::path& store, const std::vector<std::string>& files, const ImportOptions& options)
      : options_(options), writer_(store, options.store) {
    for (const ImportedFile& file : writer_.files()) known_.emplace(file.size, file.hash);
    for (const std::string& file : files) import_.files.push_back({.path = file});
  }

  [[nodiscard]] CitationImport run() {
    if (options_.on_progress) options_.on_progress(0, import_.files.size());
    for (std::size_t begin = 0; begin < import_.files.size();) begin = import_round(begin);
    return std::move(import_);
  }

 private:
  /// Imports the files from `begin` on that make one commit. Returns the first file behind them.
  std::size_t import_round(std::size_t begin) {
    std::size_t end = begin;
    for (std::uint64_t bytes = 0; end < import_.files.size() && bytes < kCommitBytes; ++end) {
      std::error_code unknown_size;
      const std::uint64_t size = fs::file_size(import_.files[end].path, unknown_size);
      bytes += unknown_size ? 0 : size;
    }
    committed_.clear();
    in_parallel(end - begin, options_.threads, [&](std::size_t i) { import_file(begin + i); });
    if (has_new_) writer_.commit(committed_);
    has_new_ = false;
    return end;
  }

  void import_file(std::size_t i) {
    FileImport& file = import_.files[i];
    try {
      const ImportedFile identity = identity_of(file.path);
      if (is_known(identity)) {
        file.state = FileImport::State::kKnown;
      } else {
        read(file);
        const std::lock_guard lock(mutex_);
        committed_.push_back(identity);
        has_new_ = true;
      }
    } catch (const Error& error) {
      file.state = FileImport::State::kRefused;
      file.refusal = error.what();
    }
    tell();
  }

  /// Reads a file. What was read before an error is kept.
  void read(FileImport& file) {
    CitationStoreWriter::Batch batch(writer_);
    DocumentAdder adder(batch);
    const auto keep = [&] {
      batch.hand_over();
      file.added = adder.counts();
      const std::lock_guard lock(mutex_);
      has_new_ = has_new_ || adder.counts().documents > 0;
    };
    try {
      file.facts = read_citations(
          file.path, [&](CitingDocument& document) { adder.add(document); }, options_.read);
    } catch (const Error& error) {
      keep();
      throw;
    }
    keep();
  }

  /// Returns whether the store or an earlier file of this job has the same content.
  bool is_known(const ImportedFile& file) {
    const std::lock_guard lock(mutex_);
    return !known_.emplace(file.size, file.hash).second;
  }

  void tell() {
    const std::lock_guard lock(mutex_);
    if (options_.on_progress) options_.on_progress(++done_, import_.files.size());
  }

  const ImportOptions& options_;
  CitationStoreWriter writer_;
  CitationImport import_;
  std::mutex mutex_;                                         // of the rest
  std::set<std::pair<std::uint64_t, std::uint64_t>> known_;  // size and hash
  std::vector<ImportedFile> committed_;
  bool has_new_ = false;
  std::size_t done_ = 0;
};

}  // namespace

std::uint64_t CitationImport::count(FileImport::State state) const {
  return static_cast<std::uint64_t>(std::ranges::count(files, state, &FileImport::state));
}

std::vector<std::string> files_in(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code failed;
    const fs::file_status status = fs::status(path, failed);
    if (!fs::exists(status)) throw io_error("{}: no such file or folder", path);
    if (!fs::is_directory(status)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) found.push_back(entry.path().string());
    }
    std::ranges::sort(found);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

CitationImport import_citations(const fs::path& store, const std::vector<std::string>& files,
                                const ImportOptions& options) {
  return Job(store, files, options).run();
}

}  // namespace prescope
