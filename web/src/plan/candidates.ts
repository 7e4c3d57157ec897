// The mechanisms at the chosen epsilon, the best first, and why others cannot be had.
import type { Candidate, Plan } from "../api_types";
import { type ErrorKind, errorOf, errorWords } from "../charts/plan";
import { type Child, el } from "../dom";
import { atMost, bytes, count, short } from "../format";
import { table } from "../parts";
import { swatch } from "./mechanisms";

export function candidatesTable(plan: Plan, kind: ErrorKind): HTMLElement {
  const rank = (one: Candidate) => (one.feasible && one.mse !== null ? one.mse : Infinity);
  const ordered = [...plan.candidates].sort((a, b) => rank(a) - rank(b) || 0);
  return table(
    `Mechanisms at epsilon ${plan.epsilon}`,
    [
      { title: "Mechanism" },
      { title: kind === "mse" ? "Mean squared error" : "Error of a share", number: true },
      { title: "Messages", number: true },
      { title: "Bytes", number: true },
      { title: "Local epsilon", number: true },
      { title: "Smallest batch", number: true },
      { title: "Feasible" },
    ],
    ordered.map((one) => row(one, plan, kind)),
  );
}

function row(one: Candidate, plan: Plan, kind: ErrorKind): Child[] {
  const name = el(
    "span",
    { class: "mechanism" },
    swatch(one.mechanism),
    one.mechanism,
    one.mechanism === plan.recommended &&
      el("span", { class: "chip chip-recommended" }, "recommended"),
  );
  const known = (value: number | null, words: (value: number) => string) =>
    value === null ? "–" : words(value);
  return [
    name,
    one.feasible ? errorWords(errorOf(one.mse, kind), kind) : "–",
    known(one.messages_per_user, (value) => short(value)),
    known(one.bytes_per_user, bytes),
    one.feasible && one.central !== true
      ? one.local_epsilon === null
        ? "none"
        : atMost(one.local_epsilon)
      : "–",
    known(one.min_batch, count),
    el(
      "span",
      { class: "why" },
      one.feasible ? (one.reason === "" ? "yes" : one.reason) : `no: ${one.reason}`,
    ),
  ];
}
