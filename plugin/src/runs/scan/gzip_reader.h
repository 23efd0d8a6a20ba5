#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runs/scan/run_input.h"

namespace prescope {

/// Decompresses on a thread of its own, a few blocks ahead of its reader. What is not gzip comes as
/// it is.
class GzipReader : public ByteReader {
 public:
  /// Takes the open file; `path` is for messages. Throws Error(kIo).
  GzipReader(int file, std::string path);
  ~GzipReader() override;

  /// Throws Error(kIo) also where the data is damaged or ends early, behind all bytes before that.
  std::size_t read(char* into, std::size_t size) override;

 private:
  void decompress(int file);
  /// False where nobody reads any more.
  bool hand_over(std::vector<char> block);

  const std::string path_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<char>> blocks_;
  std::exception_ptr failure_;
  bool ended_ = false, abandoned_ = false;
  std::vector<char> current_;
  std::size_t taken_ = 0;  // of the current block
  std::jthread thread_;    // last: it uses all of the above
};

}  // namespace prescope
