// The controls above a histogram.
import type { Order, Shown } from "../bins";
import { el } from "../dom";
import { choice, field } from "../parts";
import { type Choices, confidences, postprocesses } from "./choices";

export interface Controls {
  root: HTMLElement;
  // Where the outcome of a search or a download is told.
  told: HTMLElement;
}

// Changes `choices` in place and says whether the server must be asked again. `wholeNames`: a search
// finds nothing else.
export function makeControls(
  choices: Choices,
  wholeNames: boolean,
  changed: (askAgain: boolean) => void,
  download: (format: "csv" | "json") => void,
): Controls {
  const set = (change: () => void, askAgain: boolean) => {
    change();
    changed(askAgain);
  };
  const order = choice(
    [
      ["frequency", "Largest first"],
      ["natural", "Natural order"],
    ],
    choices.order,
    (value) => set(() => (choices.order = value as Order), false),
  );
  const top = el("input", {
    type: "number",
    min: 1,
    step: 1,
    placeholder: "all",
    value: choices.top > 0 ? choices.top : "",
  });
  top.addEventListener("input", () =>
    set(() => (choices.top = Math.max(0, Math.floor(Number(top.value)) || 0)), false),
  );
  const search = el("input", {
    type: "search",
    placeholder: wholeNames ? "a whole name" : "part of a name",
    value: choices.search,
  });
  search.addEventListener("input", () => set(() => (choices.search = search.value), false));
  const shown = choice(
    [
      ["both", "Processed and raw"],
      ["processed", "Processed"],
      ["raw", "Raw"],
    ],
    choices.shown,
    (value) => set(() => (choices.shown = value as Shown), false),
  );
  const postprocess = choice(
    postprocesses.map(([key]) => [key, key]),
    choices.postprocess,
    (value) => set(() => (choices.postprocess = value), true),
  );
  const confidence = choice(confidences, choices.confidence, (value) =>
    set(() => (choices.confidence = value), true),
  );
  const told = el("p", { class: "told", role: "status" });
  const button = (format: "csv" | "json") =>
    el("button", { type: "button", onclick: () => download(format) }, `${format.toUpperCase()}`);
  const root = el(
    "div",
    { class: "controls", role: "group", "aria-label": "What the histogram shows" },
    field("Order", order),
    field("Top", top),
    field("Search", search),
    field("Show", shown),
    field("Post-processing", postprocess),
    field("Confidence", confidence),
    el(
      "div",
      { class: "field downloads", role: "group", "aria-label": "Download all bins" },
      el("span", { class: "label" }, "Download"),
      el("div", {}, button("csv"), button("json")),
    ),
  );
  return { root, told };
}
