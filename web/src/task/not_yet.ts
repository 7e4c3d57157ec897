// Instead of an answer, while no batch has been counted.
import type { Status, TaskDetail } from "../api_types";
import { el } from "../dom";
import { meter } from "../parts";
import { progressWords, waitingWords } from "../progress";

export function notYet(task: TaskDetail, status: Status | null, message: string): HTMLElement {
  const held = status ?? { ...task, planned: task.users };
  return el(
    "div",
    { class: "not-yet" },
    el("p", { class: "big" }, "No batch has been counted yet."),
    message !== "" && el("p", { class: "hint" }, `The collector says: ${message}`),
    meter(held.held_percent, "Held for the first batch, in percent"),
    el("p", {}, `${progressWords(held)}.`),
    el("p", { class: "hint" }, waitingWords(held, task.periods !== null)),
  );
}
