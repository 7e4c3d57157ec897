// A long table, a page at a time.
import { el, fill } from "../dom";
import { count } from "../format";

export const pageRows = 25;

// `pageFrom`: the table of at most `pageRows` rows from this one on, the first being 0.
export function pagedTable(rows: number, pageFrom: (first: number) => HTMLElement): HTMLElement {
  const root = el("div", { class: "bin-table" });
  const place = el("div", {});
  const told = el("span", { role: "status" });
  const pages = Math.ceil(rows / pageRows);
  let page = 0;
  const go = (to: number) => {
    page = Math.min(pages - 1, Math.max(0, to));
    fill(place, pageFrom(page * pageRows));
    const [first, last] = [page * pageRows + 1, Math.min(rows, (page + 1) * pageRows)];
    told.textContent = `${count(first)} to ${count(last)} of ${count(rows)}`;
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
