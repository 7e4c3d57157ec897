// The controls above a histogram, or other rows of values, that are its own.
import type { Order, Shown } from "../bins";
import { el } from "../dom";
import { choice, field } from "../parts";
import type { Choices } from "./choices";

// Fields that change `choices` in place. `wholeNames`: a search finds nothing else.
export function histogramFields(
  choices: Choices,
  wholeNames: boolean,
  changed: () => void,
): HTMLElement[] {
  const set = (change: () => void) => {
    change();
    changed();
  };
  const order = choice(
    [
      ["frequency", "Largest first"],
      ["natural", "Natural order"],
    ],
    choices.order,
    (value) => set(() => (choices.order = value as Order)),
  );
  const top = el("input", {
    type: "number",
    min: 1,
    step: 1,
    placeholder: "all",
    value: choices.top > 0 ? choices.top : "",
  });
  top.addEventListener("input", () =>
    set(() => (choices.top = Math.max(0, Math.floor(Number(top.value)) || 0))),
  );
  const search = el("input", {
    type: "search",
    placeholder: wholeNames ? "a whole name" : "part of a name",
    value: choices.search,
  });
  search.addEventListener("input", () => set(() => (choices.search = search.value)));
  const shown = choice(
    [
      ["both", "Processed and raw"],
      ["processed", "Processed"],
      ["raw", "Raw"],
    ],
    choices.shown,
    (value) => set(() => (choices.shown = value as Shown)),
  );
  return [
    field("Order", order),
    field("Top", top),
    field("Search", search),
    field("Show", shown),
  ];
}
