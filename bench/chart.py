"""A chart with two logarithmic axes as SVG, readable in light and in dark."""
import html
import math

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 78, 560, 46, 360
STYLE = """<style>
text{font:13px system-ui,sans-serif;fill:#1f2328}
.title{font-weight:600;font-size:15px}
.paper{fill:#fff}.grid{stroke:#d8dee4}.frame{fill:none;stroke:#8b949e}
.line{fill:none;stroke-width:1.8}.dashed{stroke-dasharray:6 4}
.s0{stroke:#1a6fd4;color:#1a6fd4}.s1{stroke:#d1242f;color:#d1242f}
.s2{stroke:#1a7f37;color:#1a7f37}.s3{stroke:#bc6c00;color:#bc6c00}
.s4{stroke:#8250df;color:#8250df}.s5{stroke:#0b8a8f;color:#0b8a8f}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.paper{fill:#0d1117}.grid{stroke:#2d333b}.frame{stroke:#768390}
.s0{stroke:#6cb6ff;color:#6cb6ff}.s1{stroke:#ff7b72;color:#ff7b72}
.s2{stroke:#57d364;color:#57d364}.s3{stroke:#ffb657;color:#ffb657}
.s4{stroke:#c9a6ff;color:#c9a6ff}.s5{stroke:#4fd6dc;color:#4fd6dc}}
</style>"""
STYLES = 6


class Axis:
    """From a value to a place, in whole decades."""

    def __init__(self, values, start, end):
        self.low = math.floor(math.log10(min(values)))
        self.high = max(self.low + 1, math.ceil(math.log10(max(values))))
        self.start, self.end = start, end

    def at(self, value):
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def decades(self):
        return range(self.low, self.high + 1)


def power(exponent, x, y, anchor):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">10<tspan dy="-5" '
            f'font-size="10">{exponent}</tspan></text>')


def draw(title, x_label, y_label, series):
    """series: (name, [(x, y), ...], dashed), all positive and at least one point."""
    points = [point for _, line, _ in series for point in line]
    across = Axis([x for x, _ in points], LEFT, RIGHT)
    up = Axis([y for _, y in points], BOTTOM, TOP)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
           f'width="{WIDTH}" height="{HEIGHT}" role="img">', f"<title>{html.escape(title)}</title>",
           STYLE, f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>',
           f'<text class="title" x="{LEFT}" y="28">{html.escape(title)}</text>']
    for decade in up.decades():
        y = up.at(10.0 ** decade)
        out += [f'<path class="grid" d="M{LEFT} {y:.1f}H{RIGHT}"/>',
                power(decade, LEFT - 8, y + 5, "end")]
    for decade in across.decades():
        x = across.at(10.0 ** decade)
        out += [f'<path class="grid" d="M{x:.1f} {TOP}V{BOTTOM}"/>',
                power(decade, x, BOTTOM + 20, "middle")]
    out.append(f'<path class="frame" d="M{LEFT} {TOP}H{RIGHT}V{BOTTOM}H{LEFT}Z"/>')
    out.append(f'<text x="{(LEFT + RIGHT) / 2}" y="{BOTTOM + 44}" text-anchor="middle">'
               f"{html.escape(x_label)}</text>")
    out.append(f'<text transform="translate(18 {(TOP + BOTTOM) / 2}) rotate(-90)" '
               f'text-anchor="middle">{html.escape(y_label)}</text>')
    for index, (name, line, dashed) in enumerate(series):
        kind = f"line s{index % STYLES}{' dashed' if dashed else ''}"
        path = "L".join(f"{across.at(x):.1f} {up.at(y):.1f}" for x, y in line)
        out.append(f'<path class="{kind}" d="M{path}"/>')
        out += [f'<circle class="s{index % STYLES}" fill="currentColor" r="3.2" '
                f'cx="{across.at(x):.1f}" cy="{up.at(y):.1f}"/>' for x, y in line]
        y = TOP + 12 + 24 * index
        out += [f'<path class="{kind}" d="M{RIGHT + 14} {y}h30"/>',
                f'<text x="{RIGHT + 52}" y="{y + 4.5}">{html.escape(name)}</text>']
    return "\n".join(out + ["</svg>", ""])
