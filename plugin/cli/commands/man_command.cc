#include "cli/commands/commands.h"
#include "cli/options/output_file.h"

namespace prescope::cli {

namespace {

struct ManRequest {
  const Command* program = nullptr;
  std::filesystem::path folder;
};

/// The text in roff, so that it is printed as it stands, also at the beginning of a line.
std::string escaped(std::string_view text) {
  static const std::map<char, std::string_view> kEscapes = {
      {'\\', "\\e"}, {'-', "\\-"}, {'\'', "\\(aq"}, {'`', "\\(ga"}, {'~', "\\(ti"}, {'^', "\\(ha"}};
  std::string out;
  for (const char c : text) {
    if (c == '.' && (out.empty() || out.back() == '\n')) out += "\\&";
    const auto escape = kEscapes.find(c);
    escape == kEscapes.end() ? out += c : out += escape->second;
  }
  return out;
}

std::string bold(std::string_view text) { return fmt::format("\\fB{}\\fR", escaped(text)); }
std::string italic(std::string_view text) { return fmt::format("\\fI{}\\fR", escaped(text)); }

/// "prescope-study-cutoffs"
std::string page_name(const Command& command) {
  std::string name = command.path();
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string synopsis(const Command& command) {
  std::string out = bold(command.path());
  if (!command.commands().empty()) out += ' ' + italic("COMMAND");
  out += " [" + italic("OPTIONS") + ']';
  for (const CLI::Option* option : command.get_options()) {
    if (option->nonpositional()) continue;
    const std::string name =
        italic(option->get_name(true)) + (option->get_expected_max() > 1 ? "..." : "");
    out += option->get_required() ? ' ' + name : " [" + name + ']';
  }
  return out;
}

/// What stands before the description: "-m, --measures LIST", or the name of an argument.
std::string heading(const CLI::Option& option) {
  if (!option.nonpositional()) return italic(option.get_name(true));
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back(bold("-" + name));
  for (const std::string& name : option.get_lnames()) names.push_back(bold("--" + name));
  const bool takes_value = option.get_items_expected_max() > 0;
  return fmt::format("{}{}", fmt::join(names, ", "),
                     takes_value ? ' ' + italic(option.get_type_name()) : "");
}

/// The entries of a section; nothing, and no title, if there are none.
std::string section(std::string_view title, const std::string& entries) {
  return entries.empty() ? "" : fmt::format(".SH {}\n{}", title, entries);
}

/// Options whose description stands in the footer are left out.
std::string entries(const Command& command, bool (*is_wanted)(const CLI::Option&)) {
  std::string out;
  for (const CLI::Option* option : command.get_options()) {
    if (!is_wanted(*option) || option->get_description().empty()) continue;
    out += fmt::format(".TP\n{}\n{}\n", heading(*option), escaped(option->get_description()));
  }
  return out;
}

std::string entries_of_commands(const Command& command) {
  std::string out;
  for (const Command* each : command.commands()) {
    out +=
        fmt::format(".TP\n{}(1)\n{}\n", bold(page_name(*each)), escaped(each->get_description()));
  }
  return out;
}

/// Lines that stay as they are, two spaces less indented.
std::string verbatim(const std::vector<std::string>& lines) {
  std::string out = ".EX\n";
  for (const std::string& line : lines) {
    out += escaped(line.starts_with("  ") ? line.substr(2) : line) + '\n';
  }
  return out + ".EE\n";
}

struct Footer {
  std::string description, exit_status, examples;
};

void add_paragraph(const std::string& paragraph, Footer& footer) {
  std::vector<std::string> lines = CLI::detail::split(paragraph, '\n');
  if (lines.front().starts_with("Example")) {
    lines.erase(lines.begin());
    footer.examples += verbatim(lines);
  } else if (lines.front().starts_with("Exit code")) {
    footer.exit_status += escaped(paragraph) + '\n';
  } else if (paragraph.find("\n  ") != std::string::npos || paragraph.starts_with("  ")) {
    footer.description += ".PP\n" + verbatim(lines);
  } else if (!lines.front().starts_with("Engines found")) {  // where the page was made
    footer.description += ".PP\n" + escaped(paragraph) + '\n';
  }
}

/// The paragraphs below the options of --help, sorted into sections of a page.
Footer footer_of(const Command& command) {
  Footer footer;
  std::string text = command.get_footer() + "\n\n";
  for (std::size_t end = 0; (end = text.find("\n\n")) != std::string::npos;) {
    if (end > 0) add_paragraph(text.substr(0, end), footer);
    text.erase(0, text.find_first_not_of('\n', end));
  }
  return footer;
}

std::string man_page(const Command& command) {
  const std::string name = page_name(command);
  const Footer footer = footer_of(command);
  const auto is_option = [](const CLI::Option& option) { return option.nonpositional(); };
  const auto is_argument = [](const CLI::Option& option) { return !option.nonpositional(); };
  std::string in_one_line = command.get_description();
  if (in_one_line.ends_with('.')) in_one_line.pop_back();
  std::string out = fmt::format(".TH {} 1 \"\" \"prescope {}\" \"User Commands\"\n", escaped(name),
                                PRESCOPE_VERSION);
  out += section("NAME", fmt::format("{} \\- {}\n", escaped(name), escaped(in_one_line)));
  out += section("SYNOPSIS", synopsis(command) + '\n');
  out += section("DESCRIPTION", escaped(command.get_description()) + '\n' + footer.description);
  out += section("COMMANDS", entries_of_commands(command));
  out += section("ARGUMENTS", entries(command, is_argument));
  out += section("OPTIONS", entries(command, is_option));
  out += section("EXIT STATUS", footer.exit_status);
  out += section("EXAMPLES", footer.examples);
  const auto* const parent = dynamic_cast<const Command*>(command.get_parent());
  if (parent != nullptr) out += section("SEE ALSO", bold(page_name(*parent)) + "(1)\n");
  return out;
}

void write_pages(const Command& command, const std::filesystem::path& folder) {
  OutputFile file(folder / (page_name(command) + ".1"));
  file.finish(man_page(command));
  for (const Command* each : command.commands()) write_pages(*each, folder);
}

void write_all_pages(const ManRequest& request) {
  std::error_code failed;
  std::filesystem::create_directories(request.folder, failed);
  if (failed) {
    throw io_error("{}: the folder cannot be made: {}", request.folder.string(), failed.message());
  }
  write_pages(*request.program, request.folder);
}

}  // namespace

void add_man_command(Command& program) {
  const auto [command, request] = program.add_command(
      "man", "Write the manual page of each command to a folder.", write_all_pages);
  request.program = &program;
  command.add("FOLDER", request.folder, "DIR", "Made if it is missing")->required();
  command.footer(
      "The Debian package and 'cmake --install' install the pages.\n\n"
      "Example:\n"
      "  prescope man ~/.local/share/man/man1");
}

}  // namespace prescope::cli
