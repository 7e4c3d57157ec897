// The cells of an answer about records: a chart of one attribute, a heat map of two, and a table of either.
import type { Aggregates, RecordCell } from "../api_types";
import { at } from "../bins";
import { cellsChart } from "../charts/cells";
import { HeatMap } from "../charts/heat_map";
import type { Mark } from "../charts/marks";
import { type Child, el, fill } from "../dom";
import { placeOf } from "../edges";
import { count, counted } from "../format";
import { type Column, table } from "../parts";
import { levelOf } from "./answer_choices";
import { estimateCells, estimateWords } from "./estimates";
import { legendEntry } from "./legend";
import { meanRange } from "./means";
import { fractionWords, quantilesOf } from "./number_words";
import { pagedTable, pageRows } from "./paged_table";
import { axisOf, gridOf, scaleOf, toldOf } from "./record_cells";
import type { RecordChoices, Told } from "./record_choices";
import { cellLines, toldWords } from "./record_words";

export class RecordView {
  private drawn = new AbortController();
  private unfolded = false;

  constructor(signal: AbortSignal) {
    signal.addEventListener("abort", () => this.drawn.abort());
  }

  // Of an answer with cells.
  show(place: HTMLElement, answer: Aggregates, choices: RecordChoices): void {
    this.drawn.abort();
    this.drawn = new AbortController();
    const host = el("div", {});
    const bar = el("div", { class: "chart-bar" });
    const folded = el(
      "details",
      { open: this.unfolded },
      el("summary", {}, `${counted(answer.cells.length, "cell", "cells")} as a table`),
      cellTable(answer, choices),
    );
    folded.addEventListener("toggle", () => (this.unfolded = folded.open));
    fill(place, host, bar, folded);
    if (answer.by.length === 2) this.map(host, bar, answer, choices);
    else this.chart(host, bar, answer, choices);
  }

  private chart(host: HTMLElement, bar: HTMLElement, answer: Aggregates, choices: RecordChoices): void {
    const { told } = choices;
    const { labels, edges, name } = axisOf(answer, 0);
    const column = (side: "value" | "low" | "high") =>
      Float64Array.from(answer.cells, (cell) => toldOf(cell, told)?.[side] ?? Number.NaN);
    const [value, low, high] = [column("value"), column("low"), column("high")];
    const level = levelOf(choices);
    // Quantiles are of records, as the bars are.
    const marks = edges === null || told !== "count" ? [] : marksOf(answer, edges);
    const chart = cellsChart(
      host,
      {
        label:
          `${summary(answer, told)} Arrow keys read them, plus and minus zoom, 0 shows all. ` +
          "The table below has the same numbers.",
        labels,
        edges,
        value,
        low,
        high,
        marks,
        range: told === "count" ? null : meanRange(low, high),
        inView: value.length,
        read: (cell) => ({
          title: `${name} ${labels[cell] ?? ""}`,
          lines: cellLines(answer.cells[cell] ?? null, answer.measure),
        }),
      },
      this.drawn.signal,
    );
    const kind = told === "count" ? "bar" : "mean";
    const without = value.filter((one) => Number.isNaN(one)).length;
    fill(
      bar,
      el(
        "ul",
        { class: "legend" },
        legendEntry(kind, `${lower(toldWords(told, answer.measure))} by ${name}`),
        legendEntry(told === "count" || edges === null ? "whisker" : "band", `${level} interval`),
        marks.length > 0 && legendEntry("mark", `so many of the records are below, with ${level} interval`),
        without > 0 && el("li", {}, `${count(without)} without: too few records`),
      ),
      chart.zoomButtons(),
    );
  }

  private map(host: HTMLElement, bar: HTMLElement, answer: Aggregates, choices: RecordChoices): void {
    const { told } = choices;
    const { columns, rows, cells } = gridOf(answer);
    const value = Float64Array.from(cells, (cell) => toldOf(cell, told)?.value ?? Number.NaN);
    const range = scaleOf(value, told);
    new HeatMap(
      host,
      {
        label: `${summary(answer, told)} Arrow keys read the cells. The table below has the same numbers.`,
        columns,
        rows,
        value,
        range,
        read: (column, row) => ({
          title: `${columns.name} ${columns.labels[column] ?? ""}, ${rows.name} ${rows.labels[row] ?? ""}`,
          lines: cellLines(cells[row * columns.labels.length + column] ?? null, answer.measure),
        }),
      },
      this.drawn.signal,
    );
    fill(bar, heatLegend(value, range, told, answer.measure));
  }
}

function heatLegend(
  value: Float64Array,
  [from, to]: [number, number],
  told: Told,
  measure: string | null,
): HTMLElement {
  // To as many places as tell the two ends apart.
  const words = (number: number) => String(Number(number.toPrecision(3))).replace("-", "−");
  const below = told === "count" ? value.filter((one) => one < 0).length : 0;
  const without = value.filter((one) => Number.isNaN(one)).length;
  return el(
    "ul",
    { class: "legend" },
    el(
      "li",
      {},
      `${toldWords(told, measure)}: ${words(from)}`,
      el("span", { class: "heat-key", "aria-hidden": "true" }),
      words(to),
    ),
    below > 0 && el("li", {}, `${count(below)} below 0, by noise, shown as 0`),
    without > 0 &&
      el(
        "li",
        {},
        el("span", { class: "key key-none", "aria-hidden": "true" }),
        `${count(without)} with too few records`,
      ),
  );
}

function marksOf(answer: Aggregates, edges: number[]): Mark[] {
  return quantilesOf(answer).map(({ fraction, estimate }) => ({
    place: placeOf(edges, estimate.value),
    low: placeOf(edges, estimate.low),
    high: placeOf(edges, estimate.high),
    name: fractionWords(fraction),
  }));
}

function summary({ by, cells, measure }: Aggregates, told: Told): string {
  const known = cells.filter((cell) => toldOf(cell, told) !== null);
  const values = Float64Array.from(known, (cell) => toldOf(cell, told)?.value ?? 0);
  const largest = values.reduce((most, one, i) => (one > at(values, most) ? i : most), 0);
  const cell = known[largest];
  const estimate = toldOf(cell ?? null, told);
  const most =
    cell === undefined || estimate === null
      ? "None is known."
      : `The largest is that of ${cell.values.join(", ")} with ${estimateWords(estimate)}.`;
  return `${toldWords(told, measure)} by ${by.join(" and ")}, ${counted(cells.length, "cell", "cells")}. ${most}`;
}

function cellTable(answer: Aggregates, choices: RecordChoices): HTMLElement {
  const interval = { title: `${levelOf(choices)} interval`, number: true };
  const { measure, by, cells } = answer;
  const estimates: Told[] = measure === null ? ["count"] : ["count", "avg", "sum"];
  const columns: Column[] = [
    ...by.map((title) => ({ title })),
    ...estimates.flatMap((told) => [{ title: toldWords(told, measure), number: true }, interval]),
  ];
  return pagedTable(cells.length, (first) =>
    table(
      `Cells, ${count(first + 1)} and following`,
      columns,
      cells.slice(first, first + pageRows).map((cell) => rowOf(cell, estimates)),
    ),
  );
}

function rowOf(cell: RecordCell, estimates: Told[]): Child[] {
  return [
    ...cell.values,
    ...estimates.flatMap((told) => {
      const estimate = toldOf(cell, told);
      return estimate === null
        ? ["–", "too few records"]
        : [estimateWords(estimate), estimateCells(estimate)[2]];
    }),
  ];
}

function lower(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1);
}
