// The largest values over time: a chart of lines with bands, and a table of the same.
import type { StreamBin, StreamSeries, StreamTotal } from "../api_types";
import { mostLines, type Line, type OverTimeData, overTimeChart } from "../charts/over_time";
import type { HistogramChart } from "../charts/histogram";
import type { Reading } from "../charts/frame";
import { el, fill } from "../dom";
import { count, counted } from "../format";
import { table } from "../parts";
import { levelOf } from "./answer_choices";
import { estimateWords, type Interval, shareWords } from "./estimates";
import { pagedTable, pageRows } from "./paged_table";
import type { StreamChoices } from "./stream_choices";
import { aboutWords, lacks, runWords } from "./stream_words";

export class SeriesView {
  private drawn = new AbortController();
  private chart: HistogramChart | null = null;
  private unfolded = false;

  // `chosen`: the number of the period that is; `choose`: another.
  constructor(
    private readonly chosen: () => number,
    private readonly choose: (period: number) => void,
    signal: AbortSignal,
  ) {
    signal.addEventListener("abort", () => this.drawn.abort());
  }

  // Of an answer with at least one total.
  show(place: HTMLElement, { series }: StreamSeries, choices: StreamChoices): void {
    this.drawn.abort();
    this.drawn = new AbortController();
    const host = el("div", {});
    const bar = el("div", { class: "chart-bar" });
    const lines = linesOf(series, choices);
    const first = series[0]?.periods.last ?? 1;
    const folded = el(
      "details",
      { open: this.unfolded },
      el("summary", {}, `${counted(series.length, "period", "periods")} as a table`),
      seriesTable(series, lines, choices),
    );
    folded.addEventListener("toggle", () => (this.unfolded = folded.open));
    fill(place, host, bar, folded);
    const data: OverTimeData = {
      label: summary(series, lines, choices),
      first,
      lines,
      lacking: (i) => lacks(series[i] ?? whole),
      chosen: () => this.chosen() - first,
      counts: choices.unit === "count",
      read: (i) => readingOf(series[i], lines, i, choices),
    };
    this.chart = overTimeChart(host, data, (i) => this.choose(first + i), this.drawn.signal);
    fill(bar, legend(lines, series, choices), this.chart.zoomButtons());
  }

  // Another period is chosen.
  mark(): void {
    if (!this.drawn.signal.aborted) this.chart?.redraw();
  }
}

const whole = { missing: [], strange: [] };

// How a bin stands in the unit that is chosen.
export function intervalOf(bin: StreamBin, { unit, shown }: StreamChoices): Interval {
  if (unit === "count") return { value: bin.count, low: bin.count_low, high: bin.count_high };
  return { value: shown === "raw" ? bin.raw : bin.frequency, low: bin.low, high: bin.high };
}

// A line for each value, the largest of the last period that has any first.
export function linesOf(series: StreamTotal[], choices: StreamChoices): Line[] {
  const last = [...series].reverse().find(({ bins }) => bins.length > 0);
  const names = (last?.bins ?? []).slice(0, mostLines).map(({ value }) => String(value));
  const column = () => new Float64Array(series.length).fill(Number.NaN);
  const lines = names.map((name) => ({ name, value: column(), low: column(), high: column() }));
  const byName = new Map(lines.map((line) => [line.name, line]));
  for (const [i, { bins }] of series.entries()) {
    for (const bin of bins) {
      const line = byName.get(String(bin.value));
      if (line === undefined) continue;
      const { value, low, high } = intervalOf(bin, choices);
      line.value[i] = value;
      line.low[i] = low;
      line.high[i] = high;
    }
  }
  return lines;
}

export function wordsOf(interval: Interval, { unit }: StreamChoices): string {
  return unit === "count" ? estimateWords(interval) : shareWords(interval);
}

function lineWords(line: Line, i: number, choices: StreamChoices): string {
  const [value = NaN, low = NaN, high = NaN] = [line.value[i], line.low[i], line.high[i]];
  return Number.isNaN(value) ? "–" : wordsOf({ value, low, high }, choices);
}

function readingOf(
  total: StreamTotal | undefined,
  lines: Line[],
  i: number,
  choices: StreamChoices,
): Reading {
  if (total === undefined) return { title: "", lines: [] };
  const about = aboutWords(total);
  const title = `${about.slice(0, 1).toUpperCase()}${about.slice(1)}`;
  if (total.bins.length === 0) return { title, lines: ["nothing was released"] };
  return {
    title,
    lines: [
      ...lines.map((line) => `${line.name} ${lineWords(line, i, choices)}`),
      ...(total.missing.length > 0 ? [`without ${runWords(total.missing)}`] : []),
      ...(total.strange.length > 0 ? [`with ${runWords(total.strange)}`] : []),
    ],
  };
}

function seriesTable(series: StreamTotal[], lines: Line[], choices: StreamChoices): HTMLElement {
  const columns = [
    { title: choices.over === "single" ? "Period" : "Up to period", number: true },
    { title: "Submissions", number: true },
    ...lines.map(({ name }) => ({ title: name, number: true })),
    { title: "Not in it" },
    ...(series.some(({ strange }) => strange.length > 0) ? [{ title: "In it as well" }] : []),
  ];
  return pagedTable(series.length, (from) =>
    table(
      `Values over time, period ${count(series[from]?.periods.last ?? 0)} and following`,
      columns,
      series.slice(from, from + pageRows).map((total, i) => [
        count(total.periods.last),
        count(total.submissions),
        ...lines.map((line) => lineWords(line, from + i, choices)),
        runWords(total.missing),
        ...(columns.length > lines.length + 3 ? [runWords(total.strange)] : []),
      ]),
    ),
  );
}

function legend(lines: Line[], series: StreamTotal[], choices: StreamChoices): HTMLElement {
  const key = (kind: string) => el("span", { class: `key key-${kind}`, "aria-hidden": "true" });
  return el(
    "ul",
    { class: "legend" },
    ...lines.map(({ name }, i) => el("li", {}, key(`series-${i}`), name)),
    el("li", {}, key("band"), `${levelOf(choices)} interval${choices.unit === "share" ? " of the raw share" : ""}`),
    series.some(lacks) && el("li", {}, key("warn"), "something is missing"),
  );
}

function summary(series: StreamTotal[], lines: Line[], choices: StreamChoices): string {
  const last = series.length - 1;
  const largest = lines[0];
  const what = choices.unit === "count" ? "Counts" : "Shares";
  return (
    `${what} over time, of ${counted(lines.length, "value", "values")} ` +
    `${choices.over === "single" ? "in" : "up to"} each of ${counted(series.length, "period", "periods")}. ` +
    (largest === undefined
      ? ""
      : `In the end ${largest.name} has ${lineWords(largest, last, choices)}. `) +
    "Arrow keys read the periods, Enter shows one's histogram, plus and minus zoom, 0 shows all. The table below has the " +
    "same numbers."
  );
}

