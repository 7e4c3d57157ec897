// Small pieces that several pages show.
import { type Child, el } from "./dom";

let made = 0;

export function section(title: string, ...children: Child[]): HTMLElement {
  const id = `section-${++made}`;
  return el(
    "section",
    { class: "card", "aria-labelledby": id },
    el("h2", { id }, title),
    ...children,
  );
}

// Words of a closed set, as a small label; the state is told by its text, not by its colour alone.
export function chip(text: string): HTMLElement {
  return el("span", { class: `chip chip-${text.replace(/[^a-z]/g, "")}` }, text);
}

export function meter(percent: number, label: string): HTMLElement {
  const bar = el("div", {});
  bar.style.width = `${Math.min(100, Math.max(0, percent))}%`;
  return el(
    "div",
    {
      class: "meter",
      role: "meter",
      "aria-label": label,
      "aria-valuemin": 0,
      "aria-valuemax": 100,
      "aria-valuenow": percent,
    },
    bar,
  );
}

export function figure(name: string, value: string, note = ""): HTMLElement {
  return el(
    "div",
    { class: "figure" },
    el("dt", {}, name),
    el("dd", {}, value, note !== "" && el("small", {}, note)),
  );
}

// A name that begins with a dash is a part of what stands before it.
export function definitions(pairs: [string, Child][]): HTMLElement {
  return el(
    "dl",
    { class: "definitions" },
    ...pairs.map(([name, value]) =>
      el(
        "div",
        {},
        el("dt", { class: name.startsWith("– ") ? "part" : null }, name.replace("– ", "")),
        el("dd", {}, value),
      ),
    ),
  );
}

export interface Column {
  title: string;
  // Numbers stand to the right.
  number?: boolean;
}

// A table that scrolls sideways by itself where it must, also with the keyboard.
export function table(caption: string, columns: Column[], rows: Child[][]): HTMLElement {
  const head = columns.map(({ title, number }) =>
    el("th", { scope: "col", class: number === true ? "number" : null }, title),
  );
  const body = rows.map((cells) =>
    el(
      "tr",
      {},
      ...cells.map((cell, i) => {
        const attributes = { class: columns[i]?.number === true ? "number" : null };
        return i === 0
          ? el("th", { scope: "row", ...attributes }, cell)
          : el("td", attributes, cell);
      }),
    ),
  );
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    el(
      "table",
      {},
      el("caption", { class: "unseen" }, caption),
      el("thead", {}, el("tr", {}, ...head)),
      el("tbody", {}, ...body),
    ),
  );
}

export function field(label: string, control: HTMLElement): HTMLElement {
  if (control.id === "") control.id = `field-${++made}`;
  return el("div", { class: "field" }, el("label", { for: control.id }, label), control);
}

export function choice(
  options: [string, string][],
  value: string,
  change: (value: string) => void,
) {
  const select = el(
    "select",
    {},
    ...options.map(([key, text]) => el("option", { value: key, selected: key === value }, text)),
  );
  select.addEventListener("change", () => change(select.value));
  return select;
}

// Options are not torn at their hyphens.
function words(text: string): HTMLElement {
  const parts = text
    .split(" ")
    .flatMap((word) => [" ", word.length < 30 ? el("span", { class: "together" }, word) : word]);
  return el("code", {}, ...parts.slice(1));
}

// A line for the terminal, with a button that copies it.
export function commandLine(text: string): HTMLElement {
  const button = el("button", { type: "button", class: "quiet" }, "Copy");
  const said = el("span", { role: "status", class: "unseen" });
  button.addEventListener("click", () => {
    void navigator.clipboard.writeText(text).then(() => {
      button.textContent = said.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
  });
  return el(
    "div",
    { class: "command" },
    el("pre", { tabindex: 0, role: "region", "aria-label": "Command" }, words(text)),
    button,
    said,
  );
}
