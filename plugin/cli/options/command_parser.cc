#include "cli/options/command_parser.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/toml_file.h"
#include "base/utc_time.h"
#include "cli/options/terminal.h"
#include "prescope/error.h"

namespace prescope::cli {

namespace {

/// The whole word as a number, in no locale.
template <class Number>
std::optional<Number> number_in(std::string_view word) {
  Number number{};
  const char* const end = word.data() + word.size();
  const auto [stopped, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return number;
}

template <class Number>
Number whole_number(std::string_view word, Number least = std::numeric_limits<Number>::min(),
                    Number most = std::numeric_limits<Number>::max()) {
  const auto number = number_in<Number>(word);
  if (number && *number >= least && *number <= most) return *number;
  throw Error(ErrorCode::kUsage,
              fmt::format("'{}' is not a whole number from {} to {}", word, least, most));
}

double real_number(std::string_view word) {
  if (const auto number = number_in<double>(word)) return *number;
  throw Error(ErrorCode::kUsage, fmt::format("'{}' is not a number, such as 0.05", word));
}

}  // namespace

OptionTarget::OptionTarget(std::string& text)
    : take_([&text](const std::string& word) { text = word; }) {}

OptionTarget::OptionTarget(std::optional<std::string>& text)
    : take_([&text](const std::string& word) { text = word; }) {}

OptionTarget::OptionTarget(std::vector<std::string>& list)
    : take_([&list](const std::string& word) { list.push_back(word); }), is_list_(true) {}

OptionTarget::OptionTarget(int& number)
    : take_([&number](const std::string& word) { number = whole_number<int>(word); }) {}

OptionTarget::OptionTarget(std::uint32_t& number, std::uint32_t least, std::uint32_t most)
    : take_([&number, least, most](const std::string& word) {
        number = whole_number(word, least, most);
      }) {}

OptionTarget::OptionTarget(std::optional<std::uint16_t>& number)
    : take_([&number](const std::string& word) { number = whole_number<std::uint16_t>(word); }) {}

OptionTarget::OptionTarget(std::uint64_t& number)
    : take_([&number](const std::string& word) { number = whole_number<std::uint64_t>(word); }) {}

OptionTarget::OptionTarget(std::optional<std::uint64_t>& number)
    : take_([&number](const std::string& word) { number = whole_number<std::uint64_t>(word); }) {}

OptionTarget::OptionTarget(double& number)
    : take_([&number](const std::string& word) { number = real_number(word); }) {}

OptionTarget::OptionTarget(std::optional<double>& number)
    : take_([&number](const std::string& word) { number = real_number(word); }) {}

OptionTarget::OptionTarget(std::optional<UtcTime>& time)
    : take_([&time](const std::string& word) { time = parse_utc_time(word); }) {}

namespace {

/// CLI11 says that an argument was not expected, but not what was meant.
std::optional<std::string> unexpected_option(const CLI::App& parser) {
  std::vector<std::string> names;
  for (const CLI::Option* option : parser.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  for (const std::string& argument : parser.remaining()) {
    if (!argument.starts_with('-')) continue;
    return unknown_name_message("option", argument.substr(0, argument.find('=')), candidates);
  }
  return std::nullopt;
}

/// The name of a command that is none, among those of `chooser`: the program, or a group.
std::optional<std::string> unknown_command(const CLI::App& chooser, std::string_view kind) {
  const std::vector<std::string> extras = chooser.remaining();
  if (extras.empty()) return std::nullopt;
  std::vector<std::string_view> names;
  for (const CLI::App* each : chooser.get_subcommands({})) names.push_back(each->get_name());
  return unknown_name_message(kind, extras.front(), names);
}

/// The command that was named, or the group where none of its commands was.
const CLI::App* chosen_command(const CLI::App& program) {
  const CLI::App* chosen = nullptr;
  for (std::vector<CLI::App*> named = program.get_subcommands(); !named.empty();
       named = chosen->get_subcommands()) {
    chosen = named.front();
  }
  return chosen;
}

/// As it is typed: "study cutoffs ".
std::string words_before_options(const CLI::App* command) {
  std::string words;
  for (; command != nullptr && command->get_parent() != nullptr; command = command->get_parent()) {
    words = command->get_name() + ' ' + words;
  }
  return words;
}

std::string with_help_hint(const std::string& message, const CLI::App* command) {
  return fmt::format("{}; see 'prescope {}--help'", message, words_before_options(command));
}

/// What CLI11 has to say, but "--json: 1 required FILE missing".
std::string words_of(const CLI::ParseError& error) {
  const std::string words = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr) return words;
  return fmt::format("{}: its value is missing", words.substr(0, words.find(':')));
}

constexpr int kAnyNumber = CLI::detail::expected_max_vector_size;

}  // namespace

CLI::Option& CommandParser::add(const std::string& names, OptionTarget target,
                                const std::string& value_name, const std::string& help) {
  // CLI11 only gathers the words: what is made of them, and which are wrong, is the targets' part.
  CLI::Option* option = app_.add_option(names, CLI::callback_t(), help);
  option->type_name(value_name)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  values_.push_back({option, std::move(target)});
  return *option;
}

void CommandParser::option(const std::string& names, OptionTarget target,
                           const std::string& value_name, const std::string& help) {
  const bool is_list = target.is_list();
  CLI::Option& added = add(names, std::move(target), value_name, help);
  if (is_list) added.expected(kAnyNumber)->allow_extra_args(false);
}

void CommandParser::required_option(const std::string& names, OptionTarget target,
                                    const std::string& value_name, const std::string& help) {
  option(names, std::move(target), value_name, help);
  values_.back().option->required();
}

void CommandParser::argument(const std::string& name, OptionTarget target,
                             const std::string& value_name, const std::string& help) {
  const bool is_list = target.is_list();
  CLI::Option& added = add(name, std::move(target), value_name, help);
  if (is_list) added.expected(kAnyNumber);
}

void CommandParser::required_argument(const std::string& name, OptionTarget target,
                                      const std::string& value_name, const std::string& help) {
  argument(name, std::move(target), value_name, help);
  values_.back().option->required();
}

void CommandParser::flag(const std::string& name, bool& given, const std::string& help) {
  app_.add_flag(name, given, help);
}

void CommandParser::footer(const std::string& text) { app_.footer(text); }

void CommandParser::footer(std::function<std::string()> text) { app_.footer(std::move(text)); }

void CommandParser::body(std::function<void()> body) {
  body_ = [body = std::move(body)] {
    body();
    return 0;
  };
}

int CommandParser::run() const {
  Problems problems;
  for (const auto& [option, target] : values_) {
    for (const std::string& word : option->results()) {
      try {
        target.take(word);
      } catch (const Error& error) {
        problems.add(option->get_name(), error.what());
      }
    }
  }
  problems.throw_if_any();
  return body_();
}

ProgramParser::ProgramParser(const Words& words)
    : app_(std::make_unique<CLI::App>(words.description, words.name)) {
  app_->set_version_flag("--version", words.version);
  app_->footer(words.footer);
  app_->allow_extras();
  // A file may be called as a command is.
  app_->require_subcommand(0, 1);
}

ProgramParser::~ProgramParser() = default;

CommandParser& ProgramParser::add_command(const std::string& name, const std::string& description) {
  CLI::App* command = app_->add_subcommand(name, description);
  command->allow_extras();
  return commands_.emplace_back(*command);
}

CommandParser& CommandGroup::add_command(const std::string& name, const std::string& description) {
  CLI::App* command = app_.add_subcommand(name, description);
  command->allow_extras();
  return commands_.emplace_back(*command);
}

void CommandGroup::footer(const std::string& text) { app_.footer(text); }

CommandGroup& ProgramParser::add_group(const std::string& name, const std::string& kind,
                                       const std::string& description) {
  CLI::App* group = app_->add_subcommand(name, description);
  group->allow_extras();
  group->require_subcommand(0, 1);
  return groups_.emplace_back(*group, kind);
}

std::optional<std::string> ProgramParser::unexpected_argument() const {
  const CLI::App* command = chosen_command(*app_);
  if (auto message = unexpected_option(*app_)) return message;
  if (auto message = unknown_command(*app_, "command")) return message;
  for (const CommandGroup& group : groups_) {
    if (!group.app().parsed()) continue;
    if (auto message = unexpected_option(group.app())) return message;
    if (auto message = unknown_command(group.app(), group.kind())) return message;
  }
  if (command == nullptr) return std::nullopt;
  if (auto message = unexpected_option(*command)) return message;
  const std::vector<std::string> extras = command->remaining();
  if (extras.empty()) return std::nullopt;
  return with_help_hint(fmt::format("unexpected argument '{}'", extras.front()), command);
}

void ProgramParser::parse(int argc, char** argv) {
  std::optional<std::string> refused;
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ParseError& error) {
    refused = with_help_hint(words_of(error), chosen_command(*app_));
  }
  if (auto unexpected = unexpected_argument()) refused = unexpected;
  if (refused) throw Error(ErrorCode::kUsage, *refused);
}

const CommandParser* ProgramParser::chosen() const {
  const CLI::App* app = chosen_command(*app_);
  for (const CommandParser& command : commands_) {
    if (&command.app() == app) return &command;
  }
  for (const CommandGroup& group : groups_) {
    for (const CommandParser& command : group.commands()) {
      if (&command.app() == app) return &command;
    }
  }
  return nullptr;
}

int ProgramParser::run(int argc, char** argv) {
  try {
    parse(argc, argv);
  } catch (const CLI::Success& asked_for) {
    std::ostringstream text;
    app_->exit(asked_for, text, text);
    print_result(text.str());
    return 0;
  }
  const CommandParser* command = chosen();
  if (command == nullptr) {
    fmt::print(stderr, "{}", app_->help());
    return 2;
  }
  return command->run();
}

}  // namespace prescope::cli
