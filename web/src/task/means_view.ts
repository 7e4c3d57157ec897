// The means of the keys that are chosen, as dots with intervals, in the order of the shares above them.
import { at, type Means, pick } from "../bins";
import { meansChart } from "../charts/means";
import { el, fill } from "../dom";
import { count } from "../format";
import { levelOf } from "./answer_choices";
import type { Choices } from "./choices";
import { legendEntry } from "./legend";
import { type Mean, meanRange, meanWords } from "./means";

export interface ShownMeans {
  labels: string[];
  means: Means;
  rows: Int32Array;
  // How many are in view at first.
  inView: number;
}

export function meansView(
  place: HTMLElement,
  { labels, means, rows, inView }: ShownMeans,
  choices: Choices,
  signal: AbortSignal,
): void {
  const host = el("div", {});
  const bar = el("div", { class: "chart-bar" });
  fill(place, el("h3", {}, "Means"), host, bar);
  const [value, low, high] = [means.mean, means.low, means.high].map((column) =>
    pick(column, rows),
  ) as [Float64Array, Float64Array, Float64Array];
  const nameOf = (position: number) => labels[at(rows, position)] ?? "";
  const meanOf = (position: number): Mean => ({
    mean: at(value, position),
    low: at(low, position),
    high: at(high, position),
  });
  const chart = meansChart(
    host,
    {
      label: summary(value, nameOf, meanOf),
      labels: Array.from(rows, (row) => labels[row] ?? ""),
      value,
      low,
      high,
      inView,
      name: "the chart of means",
      height: 260,
      read: (position) => ({
        title: nameOf(position),
        lines: [`mean: ${meanWords(meanOf(position))}`],
      }),
    },
    meanRange(low, high),
    signal,
  );
  const without = value.filter((mean) => Number.isNaN(mean)).length;
  fill(
    bar,
    el(
      "ul",
      { class: "legend" },
      legendEntry("mean", "mean among the devices that hold the key"),
      legendEntry("whisker", `${levelOf(choices)} interval of the mean`),
      without > 0 &&
        el("li", {}, `${count(without)} without: their share is not above 3 standard errors`),
    ),
    chart.zoomButtons(),
  );
}

function summary(
  value: Float64Array,
  nameOf: (position: number) => string,
  meanOf: (position: number) => Mean,
): string {
  let highest = -1;
  value.forEach((mean, i) => {
    if (!Number.isNaN(mean) && (highest < 0 || mean > at(value, highest))) highest = i;
  });
  const first =
    highest < 0
      ? "None is known."
      : `The highest is that of ${nameOf(highest)} with ${meanWords(meanOf(highest))}.`;
  return (
    `Means of ${count(value.length)} keys. ${first} Arrow keys read them, plus and minus zoom, 0 shows all. ` +
    "The table below has the same numbers."
  );
}
