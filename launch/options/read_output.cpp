// These read options of output, reports and the job's end.
#include <cstdlib>

#include "base/settings.hpp"
#include "launch/options/option_reader.hpp"
#include "launch/options/value_text.hpp"
#include "lockfree/job.hpp"

namespace baton::launch {

namespace {

constexpr const char* rank_prefix = "[%r] ";

// Reads NAME[:nojobid][:nocopy]; Baton's folders have no job id.
void take_folder(Reader& reader, const std::string& text) {
  const std::vector<std::string> parts = parts_of(text, ":,");
  OutputForm& output = reader.options.output;
  output.folder = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (lower_case(parts[i]) == "nocopy")
      output.copied = false;
    else if (lower_case(parts[i]) != "nojobid")
      reader.fail(" " + text + ": after the folder only nocopy and nojobid are known");
  if (output.folder.empty()) reader.fail(": the folder's name is empty");
}

void take_pattern(Reader& reader, std::string& pattern) {
  pattern = reader.take_some("a file, with %r for the rank");
}

}  // namespace

void read_prefix(Reader& reader) {
  reader.options.output.prefix = rank_prefix;
}
void read_prefix_pattern(Reader& reader) {
  reader.options.output.prefix = reader.take_some("a text, with %r for the rank");
}
void read_timestamp(Reader& reader) {
  reader.options.output.timestamp = true;
}
void read_merged(Reader& reader) {
  reader.options.output.merged = true;
}

// Reads Open MPI's --output: words with commas or colons between them.
void read_output_words(Reader& reader) {
  const std::string text = reader.take("tag, timestamp, merge, or dir=FOLDER");
  OutputForm& output = reader.options.output;
  for (const std::string& part : parts_of(text, ",:")) {
    const std::string word = lower_case(part);
    if (word.starts_with("tag") || word == "rank")
      output.prefix = rank_prefix;
    else if (word == "timestamp")
      output.timestamp = true;
    else if (word.starts_with("merge"))
      output.merged = true;
    else if (word == "nocopy")
      output.copied = false;
    else if (word.starts_with("dir="))
      take_folder(reader, part.substr(4));
    else if (word.starts_with("file="))
      output.output_file = output.error_file = part.substr(5) + ".%r";
    else
      return reader.fail(" " + text +
                         ": it takes tag, timestamp, merge, dir=FOLDER, file=NAME and nocopy, "
                         "separated by commas");
  }
}

void read_output_folder(Reader& reader) {
  const std::string text = reader.take_some("a folder");
  if (reader.error.empty()) take_folder(reader, text);
}
void read_output_pattern(Reader& reader) {
  take_pattern(reader, reader.options.output.output_file);
}
void read_error_pattern(Reader& reader) {
  take_pattern(reader, reader.options.output.error_file);
}
void read_exit_codes(Reader& reader) {
  reader.options.all_exit_codes = true;
}

// The file is never the next word, since that is the program.
void read_report_binding(Reader& reader) {
  reader.options.report_binding = true;
  if (!reader.attached) return;
  reader.options.binding_file = reader.take("a file");
  if (!reader.options.binding_file.ends_with(".svg"))
    reader.fail("=" + reader.options.binding_file + ": the drawing is SVG; name it FILE.svg");
}

void read_display(Reader& reader) {
  const std::string text = reader.take("map or bind");
  for (const std::string& part : parts_of(text, ",:")) {
    const std::string word = lower_case(part.substr(0, part.find('=')));
    bool known = false;
    for (const char* one : {"map", "bind", "allocation", "alloc", "map-devel", "topo", "cpus",
                            "parsable", "parseable"})
      known = known || word == one;
    if (!known)
      return reader.fail(" " + text +
                         ": it takes map, bind, allocation and topo, separated by commas");
  }
  reader.options.report_binding = true;
}

void read_display_map(Reader& reader) {
  reader.options.report_binding = true;
}
void read_memory_report(Reader& reader) {
  reader.options.memory_report = true;
}
void read_dry_run(Reader& reader) {
  reader.options.dry_run = true;
}

namespace {

// Returns whether =json was given. The form is never the next word, since that is the program.
bool reads_json(Reader& reader) {
  if (!reader.attached) return false;
  const std::string form = reader.take("text or json");
  if (form != "json" && form != "text") reader.fail("=" + form + ": it takes text or json");
  return form == "json";
}

}  // namespace

void read_explain(Reader& reader) {
  reader.options.explain = true;
  reader.options.explain_json = reads_json(reader);
}
void read_stats(Reader& reader) {
  reader.options.stats = true;
  reader.options.stats_json = reads_json(reader);
}
void read_stats_file(Reader& reader) {
  std::string& name = reader.options.stats_file = reader.take_some("a file");
  if (!name.ends_with(".html") && !name.ends_with(".json"))
    reader.fail(" " + name + ": name it FILE.html for a page, FILE.json for data");
}
void read_trace(Reader& reader) {
  const std::string& name = reader.options.trace_file = reader.take_some("a file");
  if (name.starts_with("-")) reader.fail(" " + name + ": it takes a file: --trace FILE");
}
void read_trace_bytes(Reader& reader) {
  const std::string text = reader.take("a size");
  constexpr std::int64_t least = 1 << 20, most = std::int64_t{1} << 40;
  std::int64_t bytes = 0;
  if (!parse_number(text.c_str(), &bytes) || bytes < least || bytes > most)
    return reader.fail(" " + text + ": it takes a size from 1M to 1024G, such as 500M");
  reader.options.trace_bytes = static_cast<std::uint64_t>(bytes);
}

void read_explain_file(Reader& reader) {
  reader.options.explain_file = reader.take_some("a file");
}
void read_profile_name(Reader& reader) {
  reader.options.profile = reader.take_some("a file, none or a family of processors");
}
void read_check(Reader& reader) {
  reader.options.check = true;
}

namespace {

double read_seconds(Reader& reader, const std::string& text) {
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  if (text.empty() || *end || !(seconds > 0))
    reader.fail(" " + text + ": it takes seconds, more than 0");
  return std::min(seconds, 1e8);
}

}  // namespace

void read_timeout(Reader& reader) {
  reader.options.timeout_seconds = read_seconds(reader, reader.take("seconds"));
}

void read_hang_after(Reader& reader) {
  std::string text = reader.take("seconds");
  constexpr std::string_view end = ":end";
  reader.options.hang_ends = text.ends_with(end);
  if (reader.options.hang_ends) text.resize(text.size() - end.size());
  reader.options.hang_after_seconds = read_seconds(reader, text);
}

void read_continue(Reader& reader) {
  reader.options.continues = true;
  reader.options.dies_together = false;
}

void read_fault_tolerance(Reader& reader) {
  const std::string mode = lower_case(reader.take("ulfm, mpi or no"));
  const bool on = mode == "ulfm" || mode == "mpi" || mode == "true" || mode == "yes" || mode == "1";
  if (!on && mode != "no" && mode != "none" && mode != "false" && mode != "0")
    return reader.fail(" " + mode + ": it takes ulfm, mpi or no");
  reader.options.continues = on;
  reader.options.dies_together = !on;
}

void read_help(Reader& reader) {
  reader.options.help = HelpForm::text;
  if (!reader.attached) return;
  static constexpr std::pair<const char*, HelpForm> forms[] = {
      {"text", HelpForm::text},         {"man", HelpForm::man},
      {"markdown", HelpForm::markdown}, {"variables", HelpForm::variables},
      {"bash", HelpForm::bash},         {"zsh", HelpForm::zsh},
      {"fish", HelpForm::fish}};
  const std::string form = reader.take("a form");
  for (const auto& [name, value] : forms)
    if (form == name) {
      reader.options.help = value;
      return;
    }
  reader.fail("=" + form +
              ": it takes text, man, markdown, variables (of other MPIs), bash, zsh or fish");
}

void read_version(Reader& reader) {
  reader.options.version = true;
}

std::string output_conflict(const OutputForm& output) {
  const bool files = !output.output_file.empty() || !output.error_file.empty();
  if (files && !output.folder.empty())
    return "--output-filename and -outfile-pattern (-errfile-pattern) both name files; leave out "
           "one of them";
  if (files && (!output.prefix.empty() || output.timestamp))
    return "-outfile-pattern and -errfile-pattern write what ranks write, without rank or time; "
           "leave out -l "
           "(--tag-output, --timestamp-output), or use --output-filename";
  if (output.merged && !output.error_file.empty() && output.error_file != output.output_file)
    return "--merge-stderr-to-stdout leaves nothing for -errfile-pattern; leave out one of them";
  return {};
}

}  // namespace baton::launch
