// The bins as a table, a page at a time: the equal of the chart for those who do not see it.
import { at, type Bins } from "../bins";
import { el, fill } from "../dom";
import { count, decimalsFor, percent } from "../format";
import { table } from "../parts";
import { levelOf } from "./answer_choices";
import type { Choices } from "./choices";

const pageRows = 25;

export function binTable(bins: Bins, rows: Int32Array, choices: Choices): HTMLElement {
  const root = el("div", { class: "bin-table" });
  const place = el("div", {});
  const told = el("span", { role: "status" });
  const pages = Math.ceil(rows.length / pageRows);
  let page = 0;
  const go = (to: number) => {
    page = Math.min(pages - 1, Math.max(0, to));
    fill(place, rowsTable(bins, rows, page * pageRows, choices));
    const [first, last] = [page * pageRows + 1, Math.min(rows.length, (page + 1) * pageRows)];
    told.textContent = `${count(first)} to ${count(last)} of ${count(rows.length)}`;
    back.disabled = page === 0;
    on.disabled = page === pages - 1;
  };
  const back = el("button", { type: "button", onclick: () => go(page - 1) }, "Previous");
  const on = el("button", { type: "button", onclick: () => go(page + 1) }, "Next");
  go(0);
  fill(
    root,
    place,
    pages > 1 &&
      el(
        "div",
        { class: "pager", role: "group", "aria-label": "Pages of the table" },
        back,
        told,
        on,
      ),
  );
  return root;
}

function rowsTable(bins: Bins, rows: Int32Array, first: number, choices: Choices): HTMLElement {
  const body = Array.from(rows.slice(first, first + pageRows), (row) => {
    const [low, high] = [at(bins.low, row), at(bins.high, row)];
    const decimals = decimalsFor(((high - low) / 2) * 100);
    return [
      bins.labels[row] ?? "",
      percent(at(bins.frequency, row), decimals),
      percent(at(bins.raw, row), decimals),
      (((high - low) / 2) * 100).toFixed(decimals),
      `${percent(low, decimals)} to ${percent(high, decimals)}`,
    ];
  });
  return table(
    `Bins of the histogram, ${count(first + 1)} and following`,
    [
      { title: "Value" },
      { title: "Share", number: true },
      { title: "Raw", number: true },
      { title: `± ${levelOf(choices)}`, number: true },
      { title: "Interval", number: true },
    ],
    body,
  );
}
