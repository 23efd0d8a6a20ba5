#include "cli/options/command.h"

#include "base/toml_file.h"
#include "cli/options/terminal.h"

namespace prescope::cli {

namespace {

/// The program and the commands that were named, the innermost last.
std::vector<const Command*> named_commands(const Command& program) {
  std::vector<const Command*> commands{&program};
  for (auto named = program.get_subcommands(); !named.empty();
       named = commands.back()->get_subcommands()) {
    commands.push_back(dynamic_cast<const Command*>(named.front()));
  }
  return commands;
}

bool looks_like_option(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

std::string name_of_option(const std::string& word) { return word.substr(0, word.find('=')); }

/// Returns the option that the word names, perhaps with its value; null if there is none.
const CLI::Option* option_of(const Command& command, const std::string& word) {
  return looks_like_option(word) ? command.get_option_no_throw(name_of_option(word)) : nullptr;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

/// The words of a command line, sorted by what they are for a command. CLI11 does not sort them so
/// if one of them is wrong: it takes the name of an option for the value of the one before it, and
/// stops at the first error.
struct SortedWords {
  std::vector<std::pair<const CLI::Option*, std::string>> values;
  std::vector<std::string> unknown_values, arguments;
  const CLI::Option* without_value = nullptr;  ///< the first option that has none

  SortedWords(const Command& command, const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
      const std::string& word = words[i];
      const CLI::Option* option = option_of(command, word);
      if (!looks_like_option(word)) {
        arguments.push_back(word);
      } else if (option != nullptr && !takes_value(*option)) {
        continue;
      } else if (const std::size_t equals = word.find('='); equals != std::string::npos) {
        add(option, word.substr(equals + 1));
      } else if (i + 1 < words.size() && option_of(command, words[i + 1]) == nullptr) {
        if (option != nullptr || !looks_like_option(words[i + 1])) add(option, words[++i]);
      } else if (option != nullptr && without_value == nullptr) {
        without_value = option;
      }
    }
  }

 private:
  void add(const CLI::Option* option, const std::string& value) {
    if (option != nullptr) {
      values.emplace_back(option, value);
    } else {
      unknown_values.push_back(value);
    }
  }
};

/// CLI11 says that an argument was not expected, but not what was meant.
std::optional<std::string> unexpected_option(const Command& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  std::erase(names, "-h");
  for (const std::string& argument : command.remaining()) {
    if (!argument.starts_with('-')) continue;
    const std::string name = name_of_option(argument);
    // The help is meant by those who nearly wrote it, not by those who wrote anything else.
    if (!argument.starts_with("--he")) std::erase(names, "--help");
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    std::string message = unknown_name_message("option", name, candidates);
    if (!command.commands().empty()) message += "; options of a command follow its name";
    return message;
  }
  return std::nullopt;
}

std::optional<std::string> unknown_subcommand(const Command& command) {
  const std::vector<std::string> extras = command.remaining();
  std::vector<std::string_view> names;
  for (const CLI::App* each : command.get_subcommands({})) names.push_back(each->get_name());
  if (extras.empty() || names.empty()) return std::nullopt;
  for (const std::string_view meant : {"--help", "--version"}) {
    const bool is_option = command.get_option_no_throw(std::string(meant)) != nullptr;
    if (is_option && meant.substr(2) == extras.front()) names.push_back(meant);
  }
  return unknown_name_message(command.kind_of_subcommand, extras.front(), names);
}

std::string with_help_hint(const std::string& message, const Command& command) {
  return fmt::format("{}; see '{} --help'", message, command.path());
}

/// The first thing that nobody expects.
std::optional<std::string> unexpected_argument(const Command& program) {
  const std::vector<const Command*> commands = named_commands(program);
  for (const Command* each : commands) {
    if (auto message = unexpected_option(*each)) return message;
    if (auto message = unknown_subcommand(*each)) return message;
  }
  const std::vector<std::string> extras = commands.back()->remaining();
  if (extras.empty()) return std::nullopt;
  return with_help_hint(fmt::format("unexpected argument '{}'", extras.front()), *commands.back());
}

/// CLI11's message, but for "--json: 1 required FILE missing".
std::string words_of(const CLI::ParseError& error) {
  const std::string words = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr) return words;
  return fmt::format("{}: its value is missing", words.substr(0, words.find(':')));
}

}  // namespace

Command::Command(const std::string& description, const std::string& name)
    : CLI::App(description, name) {
  allow_extras();
  // After one command has been named, a file may be called as a command is.
  require_subcommand(0, 1);
}

Command& Command::add_command(const std::string& name, const std::string& description) {
  const auto command = std::make_shared<Command>(description, name);
  add_subcommand(command);
  return *command;
}

CLI::Option* Command::add_value(const std::string& names, bool is_list,
                                const std::string& value_name, const std::string& help, Read read) {
  CLI::Option* option = add_option(names, CLI::callback_t(), help);
  option->type_name(value_name)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  if (is_list) {
    option->expected(CLI::detail::expected_max_vector_size);
    option->allow_extra_args(!names.starts_with('-'));
  }
  values_.emplace_back(option, std::move(read));
  return option;
}

void Command::offer(const std::string& option, std::vector<std::string> words) {
  words_[get_option(option)] = std::move(words);
}

std::vector<std::string> Command::offered_words(const CLI::Option& option) const {
  const auto found = words_.find(&option);
  return found == words_.end() ? std::vector<std::string>() : found->second;
}

std::vector<const Command*> Command::commands() const {
  std::vector<const Command*> commands;
  for (const CLI::App* each : get_subcommands({})) {
    commands.push_back(dynamic_cast<const Command*>(each));
  }
  return commands;
}

std::string Command::path() const {
  const auto* const parent = dynamic_cast<const Command*>(get_parent());
  return parent == nullptr ? get_name() : parent->path() + ' ' + get_name();
}

void Command::parse_arguments(int argc, char** argv) {
  std::optional<std::string> refused;
  try {
    parse(argc, argv);
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ParseError& error) {
    refused = with_help_hint(words_of(error), *named_commands(*this).back());
  }
  if (auto unexpected = unexpected_argument(*this)) refused = unexpected;
  const Command& command = *named_commands(*this).back();
  // CLI11 takes the word behind such an option for its value, and may complain of something else.
  const SortedWords sorted(command, {argv + 1, argv + argc});
  if (sorted.without_value != nullptr) {
    refused = with_help_hint(
        fmt::format("{}: its value is missing", sorted.without_value->get_name()), command);
  }
  if (refused) throw Error(ErrorCode::kUsage, *refused);
}

void Command::read_values(
    const std::function<std::vector<std::string>(const CLI::Option&)>& words_of) const {
  OptionProblems problems;
  for (const auto& [option, read] : values_) {
    for (const std::string& word : words_of(*option)) {
      try {
        read(word);
      } catch (const Error& error) {
        problems.add(option->get_name(), error.what());
      }
    }
  }
  problems.throw_if_any();
}

void Command::tell_refusal(const std::string& reason, const std::vector<std::string>& words) const {
  if (!refused_) return;
  const SortedWords sorted(*this, words);
  for (const auto& [option, read] : values_) {
    for (const auto& [named, word] : sorted.values) {
      if (named != option) continue;
      try {
        read(word);
      } catch (const Error&) {  // it is the reason, or one more
      }
    }
  }
  refused_(
      {.reason = reason, .unknown_values = sorted.unknown_values, .arguments = sorted.arguments});
}

int Command::run(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    parse_arguments(argc, argv);
  } catch (const Error& error) {
    named_commands(*this).back()->tell_refusal(error.what(), words);
    throw;
  } catch (const CLI::Success& asked_for) {
    std::ostringstream text;
    exit(asked_for, text, text);
    print_result(fitted_help(text.str(), stdout_look().columns));
    return 0;
  }
  const Command& command = *named_commands(*this).back();
  if (!command.body_) {
    print_message(fitted_help(help(), terminal_width(stderr)));
    return 2;
  }
  try {
    command.read_values([](const CLI::Option& option) { return option.results(); });
  } catch (const Error& error) {
    command.tell_refusal(error.what(), words);
    throw;
  }
  return command.body_();
}

}  // namespace prescope::cli
