// An entry of a chart's legend: a mark of this kind, and what it stands for.
import { el } from "../dom";

export function legendEntry(
  kind: "bar" | "raw" | "mean" | "whisker" | "mark" | "band",
  text: string,
): HTMLElement {
  return el("li", {}, el("span", { class: `key key-${kind}`, "aria-hidden": "true" }), text);
}
