"""The charts of docs/results-adult.md as SVG, readable in light and in dark: an estimate beside the truth."""
import html
import math

STYLE = """<style>
text{font:12px system-ui,sans-serif;fill:#1f2328}
.title{font-weight:600;font-size:15px}
.paper{fill:#fff}.grid{stroke:#d8dee4}.band{fill:#1a6fd4;opacity:.2}.line{fill:none;stroke:#1a6fd4;stroke-width:1.8}
.truth{fill:none;stroke:#d1242f;stroke-width:1.8;stroke-dasharray:6 4}.cell{fill:#1a6fd4}.none{fill:none;stroke:#d8dee4}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.paper{fill:#0d1117}.grid{stroke:#2d333b}.band{fill:#6cb6ff}.line{stroke:#6cb6ff}
.truth{stroke:#ff7b72}.cell{fill:#6cb6ff}.none{stroke:#2d333b}}
</style>"""
ROW, COLUMN = 20, 36


def opened(title, width, height):
    return [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" role="img">', f"<title>{html.escape(title)}</title>", STYLE,
            f'<rect class="paper" width="{width}" height="{height}"/>',
            f'<text class="title" x="12" y="24">{html.escape(title)}</text>']


def heat_maps(table, rows, step):
    """table: {(first, row): (estimate, truth)}. Two maps with one scale, by the square root of a cell."""
    columns = sorted({first for first, _ in table})
    most = max(max(estimate["value"], truth) for estimate, truth in table.values())
    names, wide = 100, COLUMN * len(columns)
    width, height = names + 2 * wide + 44, 92 + ROW * len(rows)
    out = opened("People by age and education", width, height)
    for side, (head, value_of) in enumerate((("estimated", lambda pair: pair[0]["value"]),
                                             ("truth", lambda pair: pair[1]))):
        left = names + side * (wide + 24)
        out.append(f'<text x="{left + wide / 2}" y="48" text-anchor="middle">{head}</text>')
        for i, row in enumerate(rows):
            top = 56 + ROW * i
            if side == 0:
                out.append(f'<text x="{names - 8}" y="{top + 15}" text-anchor="end">{html.escape(row)}</text>')
            for j, first in enumerate(columns):
                value = value_of(table[first, row])
                shade = math.sqrt(max(0.0, value) / most)
                place = f'x="{left + COLUMN * j}" y="{top}" width="{COLUMN - 1}" height="{ROW - 1}"'
                out.append(f'<rect class="none" {place}/><rect class="cell" {place} '
                           f'fill-opacity="{shade:.3f}"><title>{html.escape(row)}, {first} to '
                           f"{first + step - 1}: {value:.0f}</title></rect>")
        for j, first in enumerate(columns):
            out.append(f'<text x="{left + COLUMN * j + COLUMN / 2}" y="{72 + ROW * len(rows)}" '
                       f'text-anchor="middle">{first}</text>')
    return "\n".join(out + ["</svg>", ""])


def averages(rows):
    """rows: [(low, high, estimate, truth)] of hours by age."""
    width, height, left, right, top, bottom = 760, 380, 52, 740, 64, 340
    first, last, most = rows[0][0], rows[-1][1], 80

    def x(age):
        return left + (right - left) * (age - first) / (last - first)

    def y(hours):
        return bottom - (bottom - top) * min(max(hours, 0), most) / most

    out = opened("Hours of work a week by age", width, height)
    out += ['<path class="line" d="M330 42h28"/><text x="364" y="46">estimate, 95 % intervals</text>',
            '<path class="truth" d="M540 42h28"/><text x="574" y="46">truth</text>']
    for hours in range(0, most + 1, 20):
        out += [f'<path class="grid" d="M{left} {y(hours):.1f}H{right}"/>',
                f'<text x="{left - 8}" y="{y(hours) + 4:.1f}" text-anchor="end">{hours}</text>']
    for age in range(20, int(last), 10):
        out.append(f'<text x="{x(age):.1f}" y="{bottom + 20}" text-anchor="middle">{age}</text>')
    out.append(f'<text x="{right}" y="{bottom + 36}" text-anchor="end">age</text>')
    lines = {"line": [], "truth": []}
    for low, high, estimate, truth in rows:
        middle = (low + high) / 2
        if estimate is not None:
            out.append(f'<rect class="band" x="{x(low):.1f}" width="{x(high) - x(low) - 1:.1f}" '
                       f'y="{y(estimate["high"]):.1f}" '
                       f'height="{y(estimate["low"]) - y(estimate["high"]):.1f}"/>')
            lines["line"].append(f"{x(middle):.1f} {y(estimate['value']):.1f}")
        if truth is not None:
            lines["truth"].append(f"{x(middle):.1f} {y(truth):.1f}")
    for name, points in lines.items():
        out.append(f'<path class="{name}" d="M{"L".join(points)}"/>')
    return "\n".join(out + ["</svg>", ""])
