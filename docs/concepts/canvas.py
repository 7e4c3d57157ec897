"""Drawing for the pictures of docs/concepts.md: SVG text, readable in light and in dark."""
import html

STYLE = """<style>
text{font:14px system-ui,sans-serif;fill:#1f2328}
.title{font-weight:600;font-size:16px}.strong{font-weight:600}
.small{font-size:12.5px}.soft{fill:#57606a}
.paper{fill:#fff}.grid{stroke:#d8dee4}.frame{fill:none;stroke:#8b949e}
.box{fill:#f3f6fa;stroke:#8b949e}.arrow{fill:none;stroke:#57606a;stroke-width:1.6}
.head{fill:#57606a}.line{fill:none;stroke-width:2.2}.dashed{stroke-dasharray:6 4}
.b0{fill:#1a6fd4}.b1{fill:#d1242f}.b2{fill:#1a7f37}
.l0{stroke:#1a6fd4}.l1{stroke:#d1242f}.l2{stroke:#1a7f37}
.good{fill:#1a7f37;fill-opacity:.13}.bad{fill:#d1242f;fill-opacity:.11}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.soft{fill:#9da7b3}.paper{fill:#0d1117}.grid{stroke:#2d333b}.frame{stroke:#768390}
.box{fill:#161b22;stroke:#768390}.arrow{stroke:#9da7b3}.head{fill:#9da7b3}
.b0{fill:#6cb6ff}.b1{fill:#ff7b72}.b2{fill:#57d364}
.l0{stroke:#6cb6ff}.l1{stroke:#ff7b72}.l2{stroke:#57d364}
.good{fill:#57d364;fill-opacity:.16}.bad{fill:#ff7b72;fill-opacity:.15}}
</style>"""


class Canvas:
    """Places are in pixels from the top left; kinds are classes of the style above."""

    def __init__(self, width, height, title):
        self.out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
                    f'width="{width}" height="{height}" role="img">',
                    f"<title>{html.escape(title)}</title>", STYLE,
                    f'<rect class="paper" width="{width}" height="{height}"/>']
        self.text(24, 30, title, "title")

    def text(self, x, y, words, kind="", anchor="start"):
        self.out.append(f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">'
                        f"{html.escape(words)}</text>")

    def lines(self, x, y, several, kind="", anchor="start", step=18):
        for index, words in enumerate(several):
            self.text(x, y + step * index, words, kind, anchor)

    def rect(self, x, y, width, height, kind, radius=0):
        self.out.append(f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
                        f'height="{height:.1f}" rx="{radius}"/>')

    def path(self, data, kind):
        self.out.append(f'<path class="{kind}" d="{data}"/>')

    def arrow(self, x, y, to):
        self.path(f"M{x:.1f} {y:.1f}H{to - 7:.1f}", "arrow")
        self.path(f"M{to:.1f} {y:.1f}l-9 -4.5v9z", "head")

    def dot(self, x, y, kind):
        self.out.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="3.4"/>')

    def svg(self):
        return "\n".join([*self.out, "</svg>", ""])


class Plot:
    """Linear axes on a canvas."""

    def __init__(self, canvas, box, across, up):
        self.canvas, self.box, self.across, self.up = canvas, box, across, up

    def x(self, value):
        left, _, right, _ = self.box
        return left + (value - self.across[0]) / (self.across[1] - self.across[0]) * (right - left)

    def y(self, value):
        _, top, _, bottom = self.box
        return bottom - (value - self.up[0]) / (self.up[1] - self.up[0]) * (bottom - top)

    def axes(self, across, up, x_label, y_label):
        """`across` and `up`: [(value, label)] for the grid."""
        left, top, right, bottom = self.box
        for value, label in up:
            self.canvas.path(f"M{left} {self.y(value):.1f}H{right}", "grid")
            self.canvas.text(left - 8, self.y(value) + 5, label, "", "end")
        for value, label in across:
            self.canvas.path(f"M{self.x(value):.1f} {top}V{bottom}", "grid")
            self.canvas.text(self.x(value), bottom + 20, label, "", "middle")
        self.canvas.path(f"M{left} {top}H{right}V{bottom}H{left}Z", "frame")
        self.canvas.text((left + right) / 2, bottom + 44, x_label, "soft", "middle")
        self.canvas.text(left, top - 10, y_label, "soft")

    def curve(self, points, kind, dashed=False):
        data = "L".join(f"{self.x(x):.1f} {self.y(y):.1f}" for x, y in points)
        self.canvas.path("M" + data, f"line l{kind}" + (" dashed" if dashed else ""))
