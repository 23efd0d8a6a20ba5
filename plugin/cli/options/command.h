#pragma once

#include <CLI/CLI.hpp>
#include <concepts>
#include <limits>
#include <type_traits>

#include "base/errors.h"
#include "base/text_file.h"
#include "base/utc_time.h"
#include "judgements/judgement_line.h"
#include "prescope/docno.h"

namespace prescope::cli {

/// The least and the largest number that an option takes.
struct Limits {
  std::uint64_t least = 0, most = std::numeric_limits<std::uint64_t>::max();
};

/// Reads one word of the command line. Numbers ignore the locale. A list grows by the word. Throws
/// Error(kUsage) with what the word is not: "'x' is not a number, such as 0.05".
template <class Value>
void read_word(const std::string& word, Value& value, const std::optional<Limits>& limits = {}) {
  if constexpr (std::same_as<Value, std::string> || std::same_as<Value, std::filesystem::path>) {
    value = word;
  } else if constexpr (std::same_as<Value, std::vector<std::string>>) {
    value.push_back(word);
  } else if constexpr (std::same_as<Value, UtcTime>) {
    value = parse_utc_time(word);
  } else if constexpr (std::same_as<Value, DocnoPolicy>) {
    value = parse_docno_policy(word);
  } else if constexpr (std::same_as<Value, CitationCategories>) {
    const auto [letter, grade] = split_category(word);
    set_category(value, letter, grade);
  } else {
    const std::optional<Value> number = whole_number<Value>(word);
    if constexpr (std::floating_point<Value>) {
      if (!number) {
        throw usage_error("'{}' is not a number, such as 0.05", word);
      }
    } else {
      using Range = std::numeric_limits<Value>;
      const auto largest = static_cast<std::uint64_t>(Range::max());
      const auto least = limits ? static_cast<Value>(limits->least) : Range::min();
      const auto most = limits ? static_cast<Value>(std::min(limits->most, largest)) : Range::max();
      if (!number || *number < least || *number > most) {
        throw usage_error("'{}' is not a whole number {}", word, range_words(least, most));
      }
    }
    value = *number;
  }
}
template <class Value>
void read_word(const std::string& word, std::optional<Value>& value,
               const std::optional<Limits>& limits = {}) {
  read_word(word, value.emplace(), limits);
}

/// A word that an option takes, and what it stands for.
template <class Value>
struct Choice {
  std::string_view word;
  Value value;
};

/// Throws Error(kUsage) that names the nearest of the words.
template <class Value>
void read_choice(const std::string& word, Value& value, const std::vector<Choice<Value>>& choices) {
  std::vector<std::string_view> words;
  for (const Choice<Value>& choice : choices) {
    if (choice.word == word) return static_cast<void>(value = choice.value);
    words.push_back(choice.word);
  }
  throw Error(ErrorCode::kUsage, unknown_name_message("value", word, words));
}

/// A command, a group of commands, or the whole program, which are the same to CLI11. CLI11 gathers
/// the words of the options; their values are read here, so that all wrong ones are reported at
/// once.
class Command : public CLI::App {
 public:
  Command(const std::string& description, const std::string& name);

  /// Adds a group of commands. It lives as long as this command.
  Command& add_command(const std::string& name, const std::string& description);
  /// Adds a command that calls `work` once the command line is known to be valid. Its options are
  /// read into a new Request, which lives as long as the command. The exit code is what `work`
  /// returns, or 0.
  template <class Result, class Request>
  std::pair<Command&, std::remove_const_t<Request>&> add_command(const std::string& name,
                                                                 const std::string& description,
                                                                 Result (*work)(Request&)) {
    Command& command = add_command(name, description);
    const auto request = std::make_shared<std::remove_const_t<Request>>();
    command.body_ = [request, work]() -> int {
      if constexpr (std::is_void_v<Result>) {
        work(*request);
        return 0;
      } else {
        return work(*request);
      }
    };
    return {command, *request};
  }

  /// Adds an option, "-m,--measures", or an argument, "QRELS", whose value the help calls
  /// `value_name`. `value` must outlive the parsing. An option that is a list may be repeated, each
  /// time with one value; an argument that is a list takes all words that follow.
  template <class Value>
  CLI::Option* add(const std::string& names, Value& value, const std::string& value_name,
                   const std::string& help, const std::optional<Limits>& limits = {}) {
    constexpr bool kIsList =
        std::same_as<Value, std::vector<std::string>> || std::same_as<Value, CitationCategories>;
    return add_value(names, kIsList, value_name, help,
                     [&value, limits](const std::string& word) { read_word(word, value, limits); });
  }

  /// Adds an option that takes one of a few words.
  template <class Value>
  CLI::Option* add_choice(const std::string& names, Value& value,
                          const std::type_identity_t<std::vector<Choice<Value>>>& choices,
                          const std::string& value_name, const std::string& help) {
    CLI::Option* option = add_value(
        names, false, value_name, help,
        [&value, choices](const std::string& word) { read_choice(word, value, choices); });
    for (const Choice<Value>& choice : choices) words_[option].emplace_back(choice.word);
    return option;
  }

  /// Names the words that an option of this command takes, for completion. Throws
  /// CLI::OptionNotFound. `add_choice` does it too.
  void offer(const std::string& option, std::vector<std::string> words);
  /// Returns the words that an option of this command takes; empty unless they are a fixed set.
  [[nodiscard]] std::vector<std::string> offered_words(const CLI::Option& option) const;
  /// Returns the commands of a group, in the order of the help; empty for a single command.
  [[nodiscard]] std::vector<const Command*> commands() const;
  /// Returns the words that call the command: "prescope study cutoffs".
  [[nodiscard]] std::string path() const;

  /// Reads the values of all options, from the words that `words_of` has for each. Throws
  /// Error(kUsage) with all that are wrong.
  void read_values(
      const std::function<std::vector<std::string>(const CLI::Option&)>& words_of) const;

  /// Why the arguments were refused, and what they say all the same.
  struct Refusal {
    std::string reason;
    /// Words that follow options that nobody knows, as "g.json" in "--jsn g.json".
    std::vector<std::string> unknown_values;
    /// Words that are no option and no option's value.
    std::vector<std::string> arguments;
  };
  /// Calls `refused` before `run` throws because of wrong arguments of this command. By then, the
  /// values that can be read have been read, whatever is wrong beside them.
  void on_refusal(std::function<void(const Refusal& refusal)> refused) {
    refused_ = std::move(refused);
  }

  /// The word for a subcommand in "unknown command 'x'".
  std::string kind_of_subcommand = "command";

  /// For the whole program: runs the command that the arguments name, or prints the help that they
  /// ask for. Returns the exit code. Throws Error(kUsage) for wrong arguments, naming the nearest
  /// valid option or command, and what the body throws.
  int run(int argc, char** argv);

 private:
  using Read = std::function<void(const std::string& word)>;

  CLI::Option* add_value(const std::string& names, bool is_list, const std::string& value_name,
                         const std::string& help, Read read);
  void parse_arguments(int argc, char** argv);
  void tell_refusal(const std::string& reason, const std::vector<std::string>& words) const;

  std::vector<std::pair<CLI::Option*, Read>> values_;
  std::map<const CLI::Option*, std::vector<std::string>> words_;
  std::function<int()> body_;  // none of a group
  std::function<void(const Refusal& refusal)> refused_;
};

}  // namespace prescope::cli
