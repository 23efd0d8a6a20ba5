#pragma once

#include <map>

#include "actions/journal.h"
#include "actions/retry.h"

namespace prescope {

/// Runs the command of each event that is due, once, however often this process or others are
/// killed.
///
/// A shell of its own session runs it, which does not end with this process. It first makes the
/// folder `command.begun`, which only one process can do. Until then, any process with the journal
/// may start such a shell, again and again; after that, none does. A shell that is killed itself,
/// or with the machine, leaves a command that began and has no end: that is said, and it is not run
/// again. Not thread-safe.
class Commands {
 public:
  Commands(Journal& journal, std::string command, ActionWarning warn)
      : journal_(journal), command_(std::move(command)), warn_(std::move(warn)) {}

  /// Starts what is due, and tells of commands that failed. Never waits for a command.
  void look();

 private:
  void start(const std::string& event);
  void tell_failure(const std::string& event, const std::string& result) const;

  Journal& journal_;
  const std::string command_;
  const ActionWarning warn_;
  std::map<std::string, Retry> starts_;  // events that were due and had no end at the last look
};

}  // namespace prescope
