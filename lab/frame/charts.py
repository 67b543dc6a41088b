"""Charts as small SVG written by hand: colors are the page's variables, so that dark and paper need no second
drawing. Every function returns markup; texts are escaped here."""
import math
from html import escape


def number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


def percent(share):
    """With one digit, and never minus nothing."""
    return f"{round(100 * share, 1) + 0.0:.1f} %"


def svg(width, height, title, parts, scale=True):
    size = "" if scale else f' width="{number(width)}" height="{number(height)}"'
    return (f'<svg viewBox="0 0 {number(width)} {number(height)}"{size} role="img" aria-label="{escape(title)}">'
            + "".join(parts) + "</svg>")


def rectangle(x, y, width, height, kind, tip="", more=""):
    inside = f"<title>{escape(tip)}</title>" if tip else ""
    return (f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" '
            f'class="{kind}"{more}>{inside}</rect>')


def text(x, y, words, anchor="start", kind=""):
    return f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}" class="{kind}">{escape(str(words))}</text>'


def figure(drawing, caption="", scroll=False):
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    begin = '<div class="scroll" tabindex="0">' if scroll else "<div>"
    return f"<figure>{begin}{drawing}</div>{below}</figure>"


def heat_map(title, columns, rows, values, most, names, tell):
    """values[row][column]; opacity says how much of `most`; the greatest has an edge. names: of both axes."""
    cell, high, left, top = 28, 12 if len(rows) <= 12 else 8, 40, 18
    width, height = left + cell * len(columns) + 2, top + high * len(rows) + 30
    parts = [text(left, 12, title)]
    greatest = max((value for line in values for value in line if value is not None), default=None)
    edge = ""
    for at, (row, line) in enumerate(zip(rows, values)):
        y = top + at * high
        if at % max(1, len(rows) // 5) == 0:
            parts.append(text(left - 4, y + high / 2 + 3.5, row, "end", "small"))
        for across, value in enumerate(line):
            if value is None:
                continue
            x = left + across * cell
            tip = tell(columns[across], row, value)
            if value == 0:
                parts.append(rectangle(x, y, cell - 1, high - 1, "empty", tip, ' fill-opacity="0.45"'))
            else:
                strength = min(1.0, 0.08 + 0.92 * abs(value) / most) if most else 0
                parts.append(rectangle(x, y, cell - 1, high - 1, "main" if value > 0 else "cold", tip,
                                       f' fill-opacity="{strength:.2f}"'))
            if value == greatest and value > 0 and not edge:
                edge = rectangle(x, y, cell - 1, high - 1, "edge")
    bottom = top + high * len(rows) + 11
    parts += [edge] + [text(left + (at + 0.5) * cell, bottom, column, "middle", "small") for at, column in
                       enumerate(columns)]
    parts.append(text(left, bottom + 13, names, "start", "small"))
    return figure(svg(width, height, title, parts))


def legend(least, most):
    parts = [rectangle(40 + at * 16, 4, 16, 12, "main", more=f' fill-opacity="{0.08 + 0.92 * at / 9:.2f}"')
             for at in range(10)]
    parts += [text(34, 14, least, "end"), text(206, 14, most), rectangle(242, 4, 14, 12, "edge"),
              text(262, 14, "best of a map")]
    return svg(340, 22, f"from {least} to {most}", parts, scale=False)


def bars(title, lines, unit, digits=1):
    """lines: (name, value, why) or a string, which begins a group. Bars leave from a common zero."""
    values = [line[1] for line in lines if not isinstance(line, str) and line[1] is not None]
    low, high = min([0, *values]), max([0, *values])
    span = (high - low) or 1
    zero = -low / span * 100
    out = [f'<div class="bars" role="table" aria-label="{escape(title)}">']
    for line in lines:
        if isinstance(line, str):
            out.append(f'<div class="group">{escape(line)}</div>')
            continue
        name, value, why = line
        length = abs(value or 0) / span * 100
        start = zero if (value or 0) >= 0 else zero - length
        drawing = rectangle(start, 2, length, 12, "main" if (value or 0) >= 0 else "cold")
        said = "-" if value is None else f"{value:+.{digits}f}{unit}" if low < 0 else f"{value:.{digits}f}{unit}"
        out.append(f'<div class="name">{escape(name)}{f"<div class=why>{escape(why)}</div>" if why else ""}</div>'
                   f'<svg viewBox="0 0 100 16" preserveAspectRatio="none" aria-hidden="true">'
                   f'<line x1="{number(zero)}" x2="{number(zero)}" y1="0" y2="16" class="line" '
                   f'vector-effect="non-scaling-stroke"/>{drawing}</svg>'
                   f'<div class="number">{escape(said)}</div>')
    return "".join([*out, "</div>"])


def timeline(title, lanes, cycles, cell=21):
    """lanes: (name, cells, high); a cell is (first, past the last, label, class, tip). An axis of cycles below."""
    left, bottom = 92, 4 + sum(high + 6 for _, _, high in lanes)
    y, parts = 4, []
    for cycle in range(0, cycles + 1, 5):
        x = left + cycle * cell
        parts.append(f'<line x1="{x}" x2="{x}" y1="0" y2="{bottom}" class="line"/>')
        parts.append(text(x, bottom + 12, cycle, "middle", "small"))
    for name, cells, high in lanes:
        parts.append(text(left - 6, y + high / 2 + 4, name, "end"))
        for first, after, label, kind, tip in cells:
            x, width = left + first * cell, (after - first) * cell - 1
            parts.append(rectangle(x, y, width, high, kind, tip))
            if label:
                parts.append(text(x + width / 2, y + high / 2 + 4, label, "middle", "on-main"))
        y += high + 6
    parts.append(text(left - 12, bottom + 12, "cycle", "end", "small"))
    return figure(svg(left + cycles * cell + 12, bottom + 18, title, parts, scale=False), scroll=True)


def table(heads, lines, stacked=False):
    """heads: names; those that end in # hold numbers. Cells are text, or markup where given as ('markup', ...)."""
    def cell(name, value):
        inside = value[1] if isinstance(value, tuple) else escape(str(value))
        kind = ' class="number"' if name.endswith("#") else ' class="text"' if name else ""
        told = f' data-name="{escape(name.rstrip("#"))}"' if name.rstrip("#") else ""
        return f"<td{kind}{told}>{inside}</td>"
    head = "".join(f"<th{' class=number' if name.endswith('#') else ''}>{escape(name.rstrip('#'))}</th>"
                   for name in heads)
    body = "".join("<tr>" + "".join(cell(name, value) for name, value in zip(heads, line)) + "</tr>" for line in lines)
    return (f'<div class="scroll"><table{" class=stacked" if stacked else ""}><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>")


def in_bytes(size):
    """4 KiB, 3 B, 4097 B."""
    for scale, unit in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= scale and size % scale == 0:
            return f"{size // scale} {unit}"
    return f"{size} B"


def round_values(low, high):
    """1, 2 and 5 times powers of ten from low to high; where they are many, the powers alone."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    fine = [digit * 10.0 ** power for power in powers for digit in (1, 2, 5)]
    inside = [value for value in fine if low <= value * 1.000001 and value <= high * 1.000001]
    return inside if len(inside) <= 8 else [value for value in inside if f"{value:e}"[0] == "1"]


def curves(title, lines, unit, marks=(), level=None, high=210, told=in_bytes):
    """Values by size, both axes logarithmic. lines: (name, kind, {bytes: value}), the first drawn last; kind: a class of
    the style sheet. marks: (bytes, words), a vertical line each. level: a horizontal line, e.g. at a ratio of 1. told: the
    words of a place on the horizontal axis, where that has no bytes."""
    points = [(size, value) for _, _, line in lines for size, value in line.items() if value]
    if not points:
        return figure(svg(320, 30, title, [text(0, 20, f"{title}: no value")]))
    sizes = sorted({size for size, _ in points})
    low, top = min(value for _, value in points), max(value for _, value in points)
    low, top = (min(low, level), max(top, level)) if level else (low, top)
    low, top = low / 1.06, top * 1.06
    left, above, across, first, last = 46, 20, 560, sizes[0], max(sizes[-1], 2 * sizes[0])

    def x_of(size):
        return left + across * math.log(size / first) / math.log(last / first)

    def y_of(value):
        return above + high * (1 - math.log(value / low) / math.log(top / low))
    parts = [text(left, 12, title), text(left - 6, 12, unit, "end", "small")]
    for value in round_values(low, top):
        parts += [f'<line x1="{left}" x2="{left + across}" y1="{number(y_of(value))}" y2="{number(y_of(value))}" '
                  'class="line"/>', text(left - 6, y_of(value) + 3.5, f"{value:g}", "end", "small")]
    axis = [size for size in sizes if size & (size - 1) == 0]
    axis = axis[::max(1, math.ceil(len(axis) / 9))]
    if told is not in_bytes and axis[-1:] != sizes[-1:]:
        axis.append(sizes[-1])
    for size in axis:
        parts.append(text(x_of(size), above + high + 13, told(size), "middle", "small"))
    for at, (size, words) in enumerate(sorted(marks)):
        if first <= size <= last:
            near_end = x_of(size) > left + 0.7 * across  # the words go to the other side, away from the legend
            parts += [f'<line x1="{number(x_of(size))}" x2="{number(x_of(size))}" y1="{above}" y2="{above + high}" '
                      f'class="mark"><title>{escape(words)}</title></line>',
                      text(x_of(size) + (-2 if near_end else 2), above + 9 + 10 * (at % 4), words,
                           "end" if near_end else "start", "small")]
    if level:
        parts.append(f'<line x1="{left}" x2="{left + across}" y1="{number(y_of(level))}" y2="{number(y_of(level))}" '
                     'class="edge"/>')
    for name, kind, line in reversed(lines):
        drawn = sorted((size, value) for size, value in line.items() if value)
        path = " ".join(f"{number(x_of(size))},{number(y_of(value))}" for size, value in drawn)
        parts.append(f'<polyline points="{path}" class="curve {kind}"/>')
        parts += [f'<circle cx="{number(x_of(size))}" cy="{number(y_of(value))}" r="2.2" class="dot {kind}"><title>'
                  f"{escape(f'{name}, {told(size)}: {value:.4g} {unit}')}</title></circle>" for size, value in drawn]
    for at, (name, kind, _) in enumerate(lines):
        y = above + 10 + 15 * at
        parts += [f'<line x1="{left + across + 12}" x2="{left + across + 34}" y1="{y}" y2="{y}" class="curve {kind}"/>',
                  text(left + across + 40, y + 4, name)]
    return figure(svg(left + across + 190, above + high + 20, title, parts), scroll=True)
