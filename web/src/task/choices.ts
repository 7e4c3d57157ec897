// What is chosen about a histogram, and how it stands in the address.
import type { Choice, Order, Shown } from "../bins";

export interface Choices extends Choice {
  postprocess: string;
  confidence: string;
}

export const usual: Choices = {
  order: "frequency",
  top: 0,
  search: "",
  shown: "both",
  postprocess: "pop",
  confidence: "0.95",
};

// Each with what it does to the raw estimates.
export const postprocesses: [string, string][] = [
  ["pop", "the nearest shares that are not negative and sum to 100 %"],
  ["norm_sub", "what could be noise alone becomes 0, the rest is made to sum to 100 %"],
  ["base_cut", "what could be noise alone becomes 0, the rest stays"],
  ["em", "the most likely shares"],
  ["none", "the raw estimates as they are"],
];

export const confidences: [string, string][] = [
  ["0.8", "80 %"],
  ["0.9", "90 %"],
  ["0.95", "95 %"],
  ["0.99", "99 %"],
  ["0.999", "99.9 %"],
];

// "95 %".
export function levelOf(choices: Choices): string {
  return `${Number((Number(choices.confidence) * 100).toPrecision(4))} %`;
}

export function choicesFrom(view: URLSearchParams): Choices {
  const one = <T extends string>(name: string, allowed: readonly T[], otherwise: T): T => {
    const value = view.get(name);
    return allowed.find((word) => word === value) ?? otherwise;
  };
  const top = Number(view.get("top") ?? 0);
  return {
    order: one<Order>("order", ["frequency", "natural"], usual.order),
    top: Number.isInteger(top) && top > 0 ? top : 0,
    search: view.get("search") ?? "",
    shown: one<Shown>("shown", ["both", "processed", "raw"], usual.shown),
    postprocess: one(
      "postprocess",
      postprocesses.map(([key]) => key),
      usual.postprocess,
    ),
    confidence: one(
      "confidence",
      confidences.map(([key]) => key),
      usual.confidence,
    ),
  };
}

// Only what differs from the usual.
export function toView(choices: Choices): Record<string, string> {
  const view: Record<string, string> = {};
  for (const key of Object.keys(usual) as (keyof Choices)[]) {
    if (choices[key] !== usual[key]) view[key] = String(choices[key]);
  }
  return view;
}
