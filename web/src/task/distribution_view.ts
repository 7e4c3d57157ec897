// The bins of numbers as a chart, with quantiles and the range that is chosen marked in it, and as a table.
import type { Distribution } from "../api_types";
import { toBins } from "../bins";
import { distributionChart } from "../charts/distribution";
import type { HistogramChart } from "../charts/histogram";
import type { Mark } from "../charts/marks";
import { el, fill } from "../dom";
import { binWords, isEven, placeOf, rangeWords } from "../edges";
import { counted } from "../format";
import { type AnswerChoices, levelOf } from "./answer_choices";
import { binReading } from "./bin_reading";
import { binTable } from "./bin_table";
import { estimateWords } from "./estimates";
import { legendEntry } from "./legend";
import type { Range } from "./number_choices";
import { edgesOf, fractionWords, quantilesOf } from "./number_words";

export class DistributionView {
  private chart: HistogramChart | null = null;
  private drawn = new AbortController();
  private unfolded = false;

  // `range`: the one that is chosen at the time, if any.
  constructor(
    private readonly range: () => Range | null,
    signal: AbortSignal,
  ) {
    signal.addEventListener("abort", () => this.drawn.abort());
  }

  // Of an answer with bins.
  show(place: HTMLElement, answer: Distribution, choices: AnswerChoices): void {
    this.drawn.abort();
    this.drawn = new AbortController();
    const edges = edgesOf(answer.bins);
    const bins = { ...toBins(answer.bins), labels: binWords(edges) };
    const rows = Int32Array.from(bins.labels, (_, row) => row);
    const host = el("div", {});
    const bar = el("div", { class: "chart-bar" });
    const folded = el(
      "details",
      { open: this.unfolded },
      el("summary", {}, `${counted(rows.length, "bin", "bins")} as a table`),
      binTable(bins, rows, choices, "Bins of the distribution"),
    );
    folded.addEventListener("toggle", () => (this.unfolded = folded.open));
    fill(place, host, bar, folded);
    this.chart = distributionChart(
      host,
      {
        label: summary(answer, edges),
        edges,
        value: bins.frequency,
        low: bins.low,
        high: bins.high,
        dots: null,
        touching: true,
        inView: rows.length,
        marks: marks(answer, edges),
        range: () => placesOf(this.range(), edges),
        read: (bin) => binReading(bins, bin, "both"),
      },
      this.drawn.signal,
    );
    fill(bar, legend(edges, choices), this.chart.zoomButtons());
  }

  // Another range has been chosen.
  mark(): void {
    if (!this.drawn.signal.aborted) this.chart?.redraw();
  }

  // There is nothing to show.
  clear(place: HTMLElement): void {
    this.drawn.abort();
    this.chart = null;
    fill(place);
  }
}

function marks(answer: Distribution, edges: number[]): Mark[] {
  return quantilesOf(answer).map(({ fraction, estimate }) => ({
    place: placeOf(edges, estimate.value),
    low: placeOf(edges, estimate.low),
    high: placeOf(edges, estimate.high),
    name: fractionWords(fraction),
  }));
}

function placesOf(range: Range | null, edges: number[]): [number, number] | null {
  return range === null ? null : [placeOf(edges, range.low), placeOf(edges, range.high)];
}

function legend(edges: number[], choices: AnswerChoices): HTMLElement {
  const level = levelOf(choices);
  return el(
    "ul",
    { class: "legend" },
    legendEntry("bar", `share of devices in a bin (${choices.postprocess})`),
    legendEntry("whisker", `${level} interval of the raw estimate`),
    legendEntry("mark", `so many of the devices are below, with ${level} interval`),
    !isEven(edges) && el("li", {}, "bins are drawn equally wide, though they are not"),
  );
}

function summary(answer: Distribution, edges: number[]): string {
  const { bins } = answer;
  const quantiles = quantilesOf(answer)
    .slice(0, 5)
    .map(
      ({ fraction, estimate }) => `${fractionWords(fraction)} are below ${estimateWords(estimate)}`,
    );
  return (
    `Distribution over ${counted(bins.length, "bin", "bins")} from ` +
    `${rangeWords(edges[0] ?? 0, edges[edges.length - 1] ?? 0)}. ` +
    (quantiles.length === 0 ? "" : `Of the devices ${quantiles.join(", ")}. `) +
    "Arrow keys read the bins, plus and minus zoom, 0 shows all. The tables below have the same numbers."
  );
}
