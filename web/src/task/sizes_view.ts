// How many things devices hold: the hint above the shares where it concerns them, and a chart and a table
// below them.
import type { Sizes } from "../api_types";
import { HistogramChart } from "../charts/histogram";
import { el } from "../dom";
import { count } from "../format";
import { table } from "../parts";
import { levelOf } from "./answer_choices";
import type { Choices } from "./choices";
import { pagedTable, pageRows } from "./paged_table";
import { fullWords, mostItems, sizeNames, sizeShares } from "./sizes";

export function sizesView(
  place: HTMLElement,
  answer: Sizes,
  choices: Choices,
  signal: AbortSignal,
): void {
  if (answer.hint !== null) {
    place.prepend(el("ul", { class: "warnings" }, el("li", {}, answer.hint)));
  }
  const [names, shares] = [sizeNames(answer), sizeShares(answer)];
  const host = el("div", {});
  const bar = el("div", { class: "chart-bar" });
  place.append(
    el("h3", {}, "How many a device holds"),
    el(
      "p",
      { class: "hint" },
      `${fullWords(answer)} of the devices (${levelOf(choices)} confidence) hold ${mostItems(answer)} or more; one ` +
        `that holds more says a random choice of ${mostItems(answer)}. Shares here are raw estimates, of which ` +
        "single ones may lie below 0.",
    ),
    host,
    bar,
    pagedTable(names.length, (first) =>
      table(
        `How many a device holds, ${count(first + 1)} and following`,
        [{ title: "Held" }, { title: "Share of devices", number: true }],
        names
          .slice(first, first + pageRows)
          .map((name, i) => [name, shares[first + i] ?? ""]),
      ),
    ),
  );
  const value = Float64Array.from(answer.sizes);
  const chart = new HistogramChart(
    host,
    {
      label:
        `How many a device holds, from 0 to ${mostItems(answer)} or more. Arrow keys read the shares, plus and ` +
        "minus zoom, 0 shows all. The table below has the same numbers.",
      labels: names,
      value,
      low: value,
      high: value,
      inView: value.length,
      dots: null,
      read: (held) => ({ title: `holds ${names[held] ?? ""}`, lines: [shares[held] ?? ""] }),
      name: "the chart of sizes",
      height: 200,
    },
    signal,
  );
  bar.append(chart.zoomButtons());
}
