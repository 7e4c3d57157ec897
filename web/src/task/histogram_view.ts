// Charts, summary and table of the rows that are chosen.
import type { TaskDetail } from "../api_types";
import { at, type Bins, chooseRows, pick, shownColumn } from "../bins";
import { HistogramChart } from "../charts/histogram";
import { el, fill } from "../dom";
import { count, withError } from "../format";
import { levelOf } from "./answer_choices";
import { binReading } from "./bin_reading";
import { binTable } from "./bin_table";
import type { Choices, Ways } from "./choices";
import { isLarge, serverSearches } from "./histogram_answer";
import { legendEntry } from "./legend";
import { meansView } from "./means_view";

// Of more bins than can be bars, the largest are in view at first.
const mostBars = 200;
const largestBars = 50;

// How a kind calls what is shown.
export interface ViewWords {
  // "Histogram", of so many "values".
  chart: string;
  values: string;
  // The table's: "Bins of the histogram".
  caption: string;
  ways: Ways;
}

export class HistogramView {
  private drawn = new AbortController();

  constructor(
    private readonly task: TaskDetail,
    private readonly words: ViewWords,
    signal: AbortSignal,
  ) {
    signal.addEventListener("abort", () => this.drawn.abort());
  }

  // Ends when something else is shown.
  get signal(): AbortSignal {
    return this.drawn.signal;
  }

  show(place: HTMLElement, bins: Bins, choices: Choices): void {
    this.drawn.abort();
    this.drawn = new AbortController();
    const local = serverSearches(this.task, choices) ? { ...choices, search: "" } : choices;
    const rows = chooseRows(bins, local);
    if (rows.length === 0) {
      fill(
        place,
        el(
          "p",
          { class: "empty", role: "status" },
          `No value's name has "${choices.search}" in it.`,
        ),
      );
      return;
    }
    const host = el("div", {});
    const bar = el("div", { class: "chart-bar" });
    const further = el("div", {});
    const inView =
      choices.order === "frequency" && rows.length > mostBars ? largestBars : rows.length;
    fill(
      place,
      this.part(choices, rows.length),
      host,
      bar,
      further,
      binTable(bins, rows, choices, this.words.caption),
    );
    const chart = new HistogramChart(
      host,
      {
        label: this.summary(bins, rows, choices),
        labels: Array.from(rows, (row) => bins.labels[row] ?? ""),
        value: pick(shownColumn(bins, choices.shown), rows),
        low: pick(bins.low, rows),
        high: pick(bins.high, rows),
        inView,
        dots: choices.shown === "both" ? pick(bins.raw, rows) : null,
        read: (position) => binReading(bins, at(rows, position), choices.shown),
      },
      this.drawn.signal,
    );
    fill(bar, this.legend(choices), chart.zoomButtons());
    if (bins.means !== null)
      meansView(further, { labels: bins.labels, means: bins.means, rows, inView }, choices, this.signal);
  }

  // Which part of the domain is shown, where it is not the whole.
  private part(choices: Choices, rows: number): HTMLElement | null {
    const { values } = this.words;
    if (isLarge(this.task) && !serverSearches(this.task, choices)) {
      return el(
        "p",
        { class: "hint" },
        `The task has ${count(this.task.domain)} ${values}, of which the ${count(rows)} largest are here. The CSV ` +
          "has all, and a search finds any of them by its whole name.",
      );
    }
    if (rows === this.task.domain) return null;
    return el(
      "p",
      { class: "hint", role: "status" },
      `${count(rows)} of ${count(this.task.domain)} ${values}.`,
    );
  }

  private legend(choices: Choices): HTMLElement {
    const processing = this.words.ways.find(([key]) => key === choices.postprocess)?.[1] ?? "";
    return el(
      "ul",
      { class: "legend" },
      legendEntry(
        "bar",
        choices.shown === "raw" ? "raw estimate" : `share (${choices.postprocess}: ${processing})`,
      ),
      choices.shown === "both" && legendEntry("raw", "raw estimate"),
      legendEntry("whisker", `${levelOf(choices)} interval of the raw estimate`),
    );
  }

  private summary(bins: Bins, rows: Int32Array, choices: Choices): string {
    const size = shownColumn(bins, choices.shown);
    let largest = at(rows, 0);
    for (const row of rows) if (at(size, row) > at(size, largest)) largest = row;
    const half = (at(bins.high, largest) - at(bins.low, largest)) / 2;
    return (
      `${this.words.chart} of ${count(rows.length)} ${this.words.values}. The largest is ` +
      `${bins.labels[largest] ?? ""} with ${withError(at(size, largest), half)}. Arrow keys read the bins, ` +
      "plus and minus zoom, 0 shows all. The table below has the same numbers."
    );
  }
}
