#pragma once

#include <set>

#include "prescope/actions.h"

namespace prescope {

/// A folder that remembers events over restarts. Each event is a folder in it, named by the event's
/// id:
///
///     event.json       the event
///     command.due      its command is to be run; the time that it may take, in seconds
///     command.begun/   made by the one process that runs the command
///     command.output   the first bytes that the command printed
///     command.ended    its exit code
///     post.due         it is to be posted; the time until that is given up, in seconds
///     post.ended       the status of the answer
///
/// The folder of an event appears complete and only once, however many processes record the event,
/// because a folder can be renamed only to a name that nobody has. It never changes back.
/// Everything is on the disk before anything is done. Any number of processes may use a journal.
/// Not thread-safe.
class Journal {
 public:
  enum class Work { kCommand, kPost };
  struct Due {
    Work work = Work::kCommand;
    std::chrono::seconds limit{};
  };

  /// Makes the folder if it is missing. Throws Error(kIo) if it cannot be used.
  explicit Journal(const std::filesystem::path& folder);

  /// Random text that no other journal has.
  [[nodiscard]] const std::string& id() const noexcept { return id_; }
  /// Returns the folder of an event.
  [[nodiscard]] std::filesystem::path place(const std::string& event) const {
    return folder_ / event;
  }
  [[nodiscard]] bool has(const std::string& event) const;
  /// Returns the ids of all events.
  [[nodiscard]] std::set<std::string> events() const;

  /// Records the event and what is to be done for it. Returns false if it is there already. Throws
  /// Error(kIo) if it cannot be written.
  bool record(const Event& event, const std::vector<Due>& due);
  /// Returns the ids of the events that still wait for this work.
  [[nodiscard]] std::vector<std::string> open(Work work);
  /// Writes how the work has ended, once.
  void end(const std::string& event, Work work, std::string_view result);
  /// Returns the result that was written; std::nullopt if the work has not ended.
  [[nodiscard]] std::optional<std::string> ended(const std::string& event, Work work) const;
  /// Returns the time that the work may take.
  [[nodiscard]] std::chrono::seconds limit(const std::string& event, Work work) const;
  /// Returns how long ago the work became due.
  [[nodiscard]] std::chrono::seconds age(const std::string& event, Work work) const;
  /// Returns how long ago the command was begun; std::nullopt if it was not.
  [[nodiscard]] std::optional<std::chrono::seconds> begun(const std::string& event) const;

 private:
  void publish_file(const std::filesystem::path& path, std::string_view bytes) const;

  std::filesystem::path folder_;
  std::string part_;  // ends the names of what this object is writing
  std::string id_;
  std::set<std::pair<std::string, Work>> settled_;  // not to be looked at again
};

}  // namespace prescope
