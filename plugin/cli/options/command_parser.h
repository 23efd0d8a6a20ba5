#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nightly/evaluation_record.h"

namespace prescope::cli {

/// The variable that an option or argument sets, and which words it takes: numbers in a range with
/// both ends closed. A list takes every word given, anything else keeps the last. The variable must
/// outlive the parsing.
class OptionTarget {
 public:
  OptionTarget(std::string& text);
  OptionTarget(std::optional<std::string>& text);
  OptionTarget(std::vector<std::string>& list);
  OptionTarget(int& number);
  OptionTarget(std::uint32_t& number, std::uint32_t least = 0,
               std::uint32_t most = std::numeric_limits<std::uint32_t>::max());
  OptionTarget(std::optional<std::uint16_t>& number);
  OptionTarget(std::uint64_t& number);
  OptionTarget(std::optional<std::uint64_t>& number);
  OptionTarget(double& number);
  OptionTarget(std::optional<double>& number);
  /// As parse_utc_time reads it.
  OptionTarget(std::optional<UtcTime>& time);

  [[nodiscard]] bool is_list() const noexcept { return is_list_; }
  /// Sets the variable. Throws Error(kUsage) with what the word is not: "'x' is not a number".
  void take(const std::string& word) const { take_(word); }

 private:
  std::function<void(const std::string& word)> take_;
  bool is_list_ = false;
};

}  // namespace prescope::cli

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace prescope::cli {

/// The options and arguments of one command. CLI11 is behind it, in one file, because every file
/// that includes it takes long to compile.
class CommandParser {
 public:
  explicit CommandParser(CLI::App& app) : app_(app) {}

  /// An option with a value, called `value_name` in the help: "-m,--measures". A list's may be
  /// given several times, each time with one value.
  void option(const std::string& names, OptionTarget target, const std::string& value_name,
              const std::string& help);
  void required_option(const std::string& names, OptionTarget target, const std::string& value_name,
                       const std::string& help);
  /// Words without an option's name, in the order of these calls; a list takes all that follow.
  void argument(const std::string& name, OptionTarget target, const std::string& value_name,
                const std::string& help);
  void required_argument(const std::string& name, OptionTarget target,
                         const std::string& value_name, const std::string& help);
  /// Sets `given`, which must outlive the parsing, where the flag is there.
  void flag(const std::string& name, bool& given, const std::string& help);

  /// What ends the help: examples.
  void footer(const std::string& text);
  /// Asked for only where the help is.
  void footer(std::function<std::string()> text);

  /// What the command does once the whole command line is known to be valid.
  void body(std::function<void()> body);
  /// Likewise, for a command whose verdict is the program's exit code.
  void verdict_body(std::function<int()> body) { body_ = std::move(body); }

  /// Sets all variables and runs the body. Returns the exit code. Throws Error(kUsage) with every
  /// word that is no value of its option, a line each, and what the body throws.
  [[nodiscard]] int run() const;
  [[nodiscard]] const CLI::App& app() const noexcept { return app_; }

 private:
  struct Value {
    CLI::Option* option;
    OptionTarget target;
  };
  CLI::Option& add(const std::string& names, OptionTarget target, const std::string& value_name,
                   const std::string& help);

  CLI::App& app_;
  std::vector<Value> values_;
  std::function<int()> body_ = [] { return 0; };
};

/// A command that is chosen from a list of its own: `prescope study NAME`.
class CommandGroup {
 public:
  /// `kind` is what one of its commands is called where a name is unknown.
  CommandGroup(CLI::App& app, std::string kind) : app_(app), kind_(std::move(kind)) {}

  /// Stays where it is as long as the program's parser.
  CommandParser& add_command(const std::string& name, const std::string& description);
  /// What ends the help: examples.
  void footer(const std::string& text);

  [[nodiscard]] const CLI::App& app() const noexcept { return app_; }
  [[nodiscard]] const std::string& kind() const noexcept { return kind_; }
  [[nodiscard]] const std::deque<CommandParser>& commands() const noexcept { return commands_; }

 private:
  CLI::App& app_;
  std::string kind_;
  std::deque<CommandParser> commands_;
};

/// The whole command line: a command, or one of a group, its options and arguments.
class ProgramParser {
 public:
  struct Words {
    std::string name, description;
    std::string version;  ///< what --version prints
    std::function<std::string()> footer;
  };

  explicit ProgramParser(const Words& words);
  ~ProgramParser();
  ProgramParser(const ProgramParser&) = delete;
  ProgramParser& operator=(const ProgramParser&) = delete;

  /// Stays where it is as long as this object.
  CommandParser& add_command(const std::string& name, const std::string& description);
  /// Likewise. Without one of its commands, its help goes to stderr, as the program's does.
  CommandGroup& add_group(const std::string& name, const std::string& kind,
                          const std::string& description);

  /// Runs the command that the arguments name, or prints the help they ask for. Returns the exit
  /// code. Throws Error(kUsage) for arguments that are wrong, naming the nearest valid option or
  /// command, and what the command throws.
  int run(int argc, char** argv);

 private:
  void parse(int argc, char** argv);
  [[nodiscard]] std::optional<std::string> unexpected_argument() const;
  [[nodiscard]] const CommandParser* chosen() const;

  std::unique_ptr<CLI::App> app_;
  std::deque<CommandParser> commands_;
  std::deque<CommandGroup> groups_;
};

}  // namespace prescope::cli
