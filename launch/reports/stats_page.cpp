// This makes the page of mpiexec --stats-file FILE.html: the content of stats_text, drawn in one
// file without scripts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "launch/reports/size_text.hpp"
#include "launch/reports/stats.hpp"

namespace baton::launch {

namespace {

constexpr std::string_view style = R"(<style>
:root { --back: #fff; --text: #1b1f24; --soft: #5b6470; --line: #d5dae0; --computing: #c9d3df;
  --moving: #2f7fc1; --waiting: #d9622b; --cell: 47, 127, 193; }
@media (prefers-color-scheme: dark) { :root { --back: #14181d; --text: #e3e7ec; --soft: #9aa4b0;
  --line: #333b45; --computing: #46525f; --moving: #5aa6e3; --waiting: #f08a55; --cell: 90, 166, 227; } }
body { font: 15px/1.5 system-ui, sans-serif; background: var(--back); color: var(--text);
  max-width: 62rem; margin: 1.5rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
code { overflow-wrap: anywhere; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
th { font-weight: 600; } b { white-space: nowrap; } .scroll { overflow-x: auto; } .soft { color: var(--soft); }
.key span { display: inline-block; width: .8em; height: .8em; margin: 0 .35em 0 1em; }
.key span:first-child { margin-left: 0; }
svg { width: 100%; height: auto; } svg text { fill: var(--text); font-size: 12px; }
.computing { fill: var(--computing); background: var(--computing); }
.moving { fill: var(--moving); background: var(--moving); }
.waiting { fill: var(--waiting); background: var(--waiting); }
.message { fill: rgb(var(--cell)); } .empty { fill: none; stroke: var(--line); stroke-width: .5; }
@media print { body { max-width: none; } }
</style>)";

class Page {
 public:
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
    text += '\n';
  }
  std::string text;
};

std::string escaped(const std::string& raw) {
  std::string text;
  for (const char letter : raw) {
    if (letter == '<')
      text += "&lt;";
    else if (letter == '&')
      text += "&amp;";
    else
      text += letter;
  }
  return text;
}

void add_head(Page& page, const JobStats& stats, const JobTimes& times) {
  page.add("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
  page.add("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
  page.add("<title>Where the time went</title>\n{}</head><body>", style);
  page.add("<h1>Where the time went</h1>\n<p><code>{}</code></p>", escaped(stats.program));
  page.add(
      "<p>{} ranks, {} from the first one's MPI_Init to the last one's MPI_Finalize. In MPI "
      "<b>{:.1f} %</b> of their time: waiting for others <b>{:.1f} %</b>, moving data and all "
      "else <b>{:.1f} %</b>.</p>",
      times.here().size(), seconds_text(stats.wall), percent(stats.mpi.seconds, stats.run),
      percent(stats.mpi.waiting, stats.run),
      percent(stats.mpi.seconds - stats.mpi.waiting, stats.run));
  for (const std::string& note : stats.notes)
    page.add("<p class=\"soft\">Note: {}.</p>", escaped(note));
}

// Draws a bar for each rank; bars are thinner where there are many.
void add_ranks(Page& page, const JobTimes& times) {
  const std::vector<int> here = times.here();
  const auto count = static_cast<double>(here.size());
  const double height = std::clamp(640 / count, 2.0, 20.0), step = height * 1.15;
  const double left = 60, width = 820, top = 4;
  const int every = static_cast<int>(std::ceil(13 / step));
  double longest = 0;
  for (const RankTimes& rank : times.ranks) longest = std::max(longest, rank.run());
  if (longest <= 0) return;
  page.add(
      "<h2>Ranks</h2>\n<p class=\"key\"><span class=\"computing\"></span>outside MPI"
      "<span class=\"moving\"></span>in MPI, moving data and all else"
      "<span class=\"waiting\"></span>in MPI, waiting</p>");
  page.add("<svg viewBox=\"0 0 900 {:.0f}\" role=\"img\" aria-label=\"Time of each rank\">",
           top + step * count + 30);
  for (std::size_t i = 0; i < here.size(); ++i) {
    const RankTimes& rank = times.ranks[static_cast<std::size_t>(here[i])];
    const CallTotals sum = rank.all();
    const double y = top + step * static_cast<double>(i), scale = width / longest;
    const double outside = scale * std::max(0.0, rank.run() - sum.seconds);
    const double moving = scale * std::max(0.0, sum.seconds - sum.waiting);
    page.add("<g><title>rank {}: {} in all, in MPI {}, of these waiting {}</title>", here[i],
             seconds_text(rank.run()), seconds_text(sum.seconds), seconds_text(sum.waiting));
    double x = left;
    for (const auto& [name, wide] :
         {std::pair{"computing", outside}, {"moving", moving}, {"waiting", scale * sum.waiting}}) {
      page.add("<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/>",
               name, x, y, std::min(wide, left + width - x), height);
      x += std::min(wide, left + width - x);
    }
    page.add("</g>");
    if (static_cast<int>(i) % every == 0)
      page.add("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", left - 8,
               y + std::max(height, 9.0) * .8, here[i]);
  }
  const double bottom = top + step * count + 16;
  page.add(
      "<text x=\"{}\" y=\"{:.1f}\">0</text><text x=\"{}\" y=\"{:.1f}\" "
      "text-anchor=\"end\">{}</text><text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">rank</text>",
      left, bottom, left + width, bottom, seconds_text(longest), left - 8, bottom);
  page.add("</svg>");
}

void add_calls(Page& page, const JobStats& stats) {
  page.add(
      "<h2>Calls</h2>\n<div class=\"scroll\"><table><tr><th>procedure</th><th>calls</th>"
      "<th>of the run</th><th>waiting</th><th>mean</th><th>longest</th><th>data</th></tr>");
  for (const JobStats::Call& call : stats.calls) {
    const auto calls = static_cast<double>(std::max<std::uint64_t>(call.all.calls, 1));
    page.add(
        "<tr><td>{}</td><td>{}</td><td>{:.2f} %</td><td>{:.2f} %</td><td>{}</td><td>{}</td>"
        "<td>{}</td></tr>",
        escaped(call.name), call.all.calls, percent(call.all.seconds, stats.run),
        percent(call.all.waiting, stats.run), seconds_text(call.all.seconds / calls),
        seconds_text(call.all.longest), bytes_text(static_cast<double>(call.all.bytes)));
  }
  page.add("</table></div>");
}

// Draws procedures by size of the data; the darker, the more time.
void add_sizes(Page& page, const JobStats& stats) {
  double most = 0;
  for (const JobStats::Call& call : stats.calls)
    for (const CallTotals& totals : call.sizes) most = std::max(most, totals.seconds);
  if (most <= 0) return;
  page.add(
      "<h2>Sizes</h2>\n<p>Of the run, in calls of a size of data; in brackets the mean of a "
      "call.</p>\n<div class=\"scroll\"><table><tr><th>procedure</th>");
  for (int size = 0; size < lockfree::timed_sizes; ++size)
    page.add("<th>{}</th>", timed_size_text(size));
  page.add("</tr>");
  for (const JobStats::Call& call : stats.calls) {
    page.add("<tr><td>{}</td>", escaped(call.name));
    for (const CallTotals& totals : call.sizes) {
      if (totals.calls == 0) {
        page.add("<td></td>");
        continue;
      }
      page.add("<td style=\"background: rgba(var(--cell), {:.2f})\">{:.2f} %<br>({})</td>",
               .6 * totals.seconds / most, percent(totals.seconds, stats.run),
               seconds_text(totals.seconds / static_cast<double>(totals.calls)));
    }
    page.add("</tr>");
  }
  page.add("</table></div>");
}

void add_matrix(Page& page, const JobStats& stats, std::size_t ranks) {
  constexpr std::size_t ranks_drawn = 256;
  if (ranks > ranks_drawn) return;
  const double cell = std::min(40.0, 640.0 / static_cast<double>(ranks)), left = 70, top = 40;
  const double side = cell * static_cast<double>(ranks);
  const int every = static_cast<int>(std::ceil(22 / cell));
  const double most = std::log1p(static_cast<double>(stats.pairs.front().bytes));
  page.add(
      "<svg viewBox=\"0 0 900 {:.0f}\" role=\"img\" aria-label=\"Bytes by sender and "
      "receiver\">",
      top + side + 8);
  page.add("<text x=\"{}\" y=\"14\">receiver</text><text x=\"0\" y=\"{:.1f}\">sender</text>", left,
           top + 12);
  page.add("<rect class=\"empty\" x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{:.1f}\"/>", left,
           top, side, side);
  for (std::size_t i = 0; i < ranks; i += static_cast<std::size_t>(every)) {
    const double at = (static_cast<double>(i) + .5) * cell;
    page.add("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>", left + at, top - 8, i);
    page.add("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", left - 8, top + at + 4,
             i);
  }
  for (const JobStats::Pair& pair : stats.pairs)
    page.add(
        "<rect class=\"message\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
        "opacity=\"{:.2f}\"><title>{} to {}: {} messages, {}</title></rect>",
        left + cell * pair.to, top + cell * pair.from, cell * .96, cell * .96,
        .1 + .9 * (most > 0 ? std::log1p(static_cast<double>(pair.bytes)) / most : 0), pair.from,
        pair.to, pair.messages, bytes_text(static_cast<double>(pair.bytes)));
  page.add("</svg>");
}

void add_pairs(Page& page, const JobStats& stats, std::size_t ranks) {
  if (stats.pairs.empty()) return;
  constexpr std::size_t rows_shown = 20;
  page.add(
      "<h2>Pairs of ranks</h2>\n<p>Messages, not collective calls; the darker, the more bytes "
      "(logarithmic).</p>");
  add_matrix(page, stats, ranks);
  page.add(
      "<div class=\"scroll\"><table><tr><th>pair</th><th>messages</th><th>data</th>"
      "<th>receiver waited for the sender</th></tr>");
  for (std::size_t i = 0; i < std::min(rows_shown, stats.pairs.size()); ++i) {
    const JobStats::Pair& pair = stats.pairs[i];
    page.add("<tr><td>{} to {}</td><td>{}</td><td>{}</td><td>{}</td></tr>", pair.from, pair.to,
             pair.messages, bytes_text(static_cast<double>(pair.bytes)),
             seconds_text(pair.waiting));
  }
  page.add("</table></div>");
  if (stats.pairs.size() > rows_shown)
    page.add("<p class=\"soft\">And {} pairs more; the JSON has all.</p>",
             stats.pairs.size() - rows_shown);
}

void add_imbalances(Page& page, const JobStats& stats) {
  if (stats.imbalances.empty()) return;
  page.add(
      "<h2>Imbalance</h2>\n<p>How long the last rank comes after the first to a collective "
      "call, and what all that came before it could have computed until then.</p>");
  page.add(
      "<div class=\"scroll\"><table><tr><th>procedure</th><th>communicator</th><th>calls</th>"
      "<th>mean</th><th>longest</th><th>of the run</th><th>most often last</th></tr>");
  for (const Imbalance& row : stats.imbalances)
    page.add(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.2f} %</td>"
        "<td>rank {} ({:.0f} %)</td></tr>",
        escaped(row.call), escaped(row.communicator), row.calls, seconds_text(row.spread_mean),
        seconds_text(row.spread_most), percent(row.lost, stats.run), row.last_rank,
        100 * row.last_share);
  page.add("</table></div>");
}

}  // namespace

std::string stats_page(const JobStats& stats, const JobTimes& times) {
  Page page;
  add_head(page, stats, times);
  add_ranks(page, times);
  if (stats.mpi.calls > 0) {
    add_imbalances(page, stats);
    add_calls(page, stats);
    add_sizes(page, stats);
    add_pairs(page, stats, times.ranks.size());
  }
  page.add(
      "<p class=\"soft\">docs/finding-time.md says how to read this. Times are those of "
      "mpiexec --stats, which costs a call some 0.1 us.</p>\n</body></html>");
  return std::move(page.text);
}

}  // namespace baton::launch
