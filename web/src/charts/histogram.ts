// The histogram: bars with whiskers, or an area with a band where bins are too many; zoom by drag, by
// keys and by the buttons of `zoomButtons`.
import type uPlot from "uplot";
import { at } from "../bins";
import { el } from "../dom";
import { count } from "../format";
import { binAxis, quietAxis } from "./axes";
import { Frame, type Reading } from "./frame";
import { type Painted, paintBins } from "./paint";
import { moved, spanOf, type Span, whole, within, zoomed } from "./zoom";

export interface HistogramData extends Painted {
  labels: string[];
  read(bin: number): Reading;
  label: string;
  // How many bins are in view at first.
  inView: number;
  // In pixels; usually 340.
  height?: number;
  // For those who hear which one a button zooms; usually "the chart".
  name?: string;
  // Usually bars of shares.
  look?: Look;
}

// How numbers become a chart.
export interface Look {
  paint(plot: uPlot, bins: Painted): void;
  // The y scale, of the least and the largest number in view.
  range(min: number, max: number): uPlot.Range.MinMax;
  // The y axis' numbers.
  words(splits: number[]): string[];
  // The x axis where it does not name the bins.
  axis?: uPlot.Axis;
  // The room above and on the right, in pixels; usually 10 and 12.
  above?: number;
  beside?: number;
}

// Bars of shares.
export const bars: Look = {
  paint: paintBins,
  range: rangeY,
  words: percents,
};

export class HistogramChart {
  private readonly frame: Frame;
  private readonly viewed = el("span", { class: "viewed" });
  private readonly look: Look;

  constructor(
    host: HTMLElement,
    private readonly data: HistogramData,
    signal: AbortSignal,
  ) {
    this.look = data.look ?? bars;
    this.frame = new Frame(
      host,
      {
        label: data.label,
        height: data.height ?? 340,
        positions: data.value.length,
        read: data.read,
        place: (bin) => bin,
        options: () => this.options(),
        data: [data.value.map((_, i) => i), data.value, data.low, data.high],
        key: (event, bin) => this.onKey(event, bin),
        reveal: (bin) => this.reveal(bin),
      },
      signal,
    );
    if (data.inView < data.value.length) this.show({ min: -0.5, max: data.inView - 0.5 });
  }

  // For those who neither drag nor have a keyboard.
  zoomButtons(): HTMLElement {
    const button = (text: string, name: string, change: (span: Span) => Span) =>
      el(
        "button",
        {
          type: "button",
          class: "quiet",
          "aria-label": name,
          title: name,
          onclick: () => this.show(change(this.span())),
        },
        text,
      );
    const middle = (span: Span) => (span.min + span.max) / 2;
    return el(
      "div",
      { class: "zoom", role: "group", "aria-label": `Zoom of ${this.data.name ?? "the chart"}` },
      this.viewed,
      button("←", "Move left", (span) => moved(span, -0.5)),
      button("→", "Move right", (span) => moved(span, 0.5)),
      button("+", "Zoom in", (span) => zoomed(span, middle(span), 0.5)),
      button("−", "Zoom out", (span) => zoomed(span, middle(span), 2)),
      button("All", "Show all", () => whole(this.data.value.length)),
    );
  }

  // Anew what `paint` takes from elsewhere.
  redraw(): void {
    this.frame.plot.redraw(false);
  }

  private span(plot = this.frame.plot): Span {
    return spanOf(plot, this.data.value.length);
  }

  private show(span: Span): void {
    this.frame.plot.setScale("x", within(span, this.data.value.length));
  }

  // The first histogram of the page leaves a mark, so that its time can be measured.
  private paint(plot: uPlot): void {
    this.look.paint(plot, this.data);
    if (performance.getEntriesByName("first-chart").length === 0) performance.mark("first-chart");
  }

  private tellView(plot: uPlot): void {
    const bins = this.data.value.length;
    const { min, max } = this.span(plot);
    const [first, last] = [Math.max(0, Math.ceil(min)), Math.min(bins - 1, Math.floor(max))];
    const all = first === 0 && last === bins - 1;
    this.viewed.textContent = all
      ? ""
      : `${count(first + 1)} to ${count(last + 1)} of ${count(bins)} in view`;
  }

  private onKey(event: KeyboardEvent, bin: number): boolean {
    if (event.key === "+" || event.key === "=") this.show(zoomed(this.span(), bin, 0.5));
    else if (event.key === "-") this.show(zoomed(this.span(), bin, 2));
    else if (event.key === "0" || event.key === "Escape") this.show(whole(this.data.value.length));
    else return false;
    return true;
  }

  private reveal(bin: number): void {
    const span = this.span();
    if (bin < span.min) this.show({ min: bin - 0.5, max: bin - 0.5 + span.max - span.min });
    if (bin > span.max) this.show({ min: bin + 0.5 - (span.max - span.min), max: bin + 0.5 });
  }

  private options(): Omit<uPlot.Options, "width" | "height"> {
    const bins = this.data.value.length;
    return {
      scales: {
        x: { time: false, range: (_, min, max) => rangeX(min, max, bins) },
        y: { range: (_, min, max) => this.look.range(min, max) },
      },
      series: [
        {},
        ...["value", "low", "high"].map((label) => ({
          label,
          paths: () => null,
          points: { show: false },
        })),
      ],
      axes: [
        this.look.axis ?? binAxis(this.data.labels),
        quietAxis({ size: 58, values: (_, splits) => this.look.words(splits) }),
      ],
      padding: [this.look.above ?? 10, this.look.beside ?? 12, 0, 0],
      hooks: { draw: [(plot) => this.paint(plot)], setScale: [(plot) => this.tellView(plot)] },
      cursor: { drag: { x: true, y: false, dist: 8 } },
    };
  }
}

// uPlot asks for [0, bins - 1] when it shows everything.
function rangeX(min: number, max: number, bins: number): uPlot.Range.MinMax {
  const span = min === 0 && max === bins - 1 ? whole(bins) : within({ min, max }, bins);
  return [span.min, span.max];
}

// From 0, or below where something is.
export function rangeY(min: number, max: number): uPlot.Range.MinMax {
  const low = Math.min(0, min);
  const high = Math.max(0, max);
  const room = (high - low) * 0.05 || 0.01;
  return [low < 0 ? low - room : 0, high + room];
}

// As many as the number has, 6 at most.
function decimalsToShow(value: number): number {
  let decimals = 0;
  while (
    decimals < 6 &&
    Math.abs(value * 10 ** decimals - Math.round(value * 10 ** decimals)) > 1e-6
  )
    ++decimals;
  return decimals;
}

function percents(splits: number[]): string[] {
  return plainNumbers(splits.map((split) => split * 100)).map((text) => `${text} %`);
}

// As many decimals as their step needs.
export function plainNumbers(splits: number[]): string[] {
  const step = splits.length > 1 ? Math.abs(at(splits, 1) - at(splits, 0)) : at(splits, 0);
  const decimals = decimalsToShow(step);
  return splits.map((split) => split.toFixed(decimals).replace("-", "−"));
}
