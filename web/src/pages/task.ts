// One task: its answer, what it guarantees, its batches and its parameters.
import { get, isAbort, taskPath } from "../api";
import type { Status, TaskDetail } from "../api_types";
import type { Context } from "../context";
import { el, fill } from "../dom";
import { loadInto } from "../load";
import { chip, commandLine, section } from "../parts";
import { whileVisible } from "../refresh";
import { answerSection } from "../task/answer_section";
import { batchesSection } from "../task/batches";
import { domainWords } from "../task/domain_words";
import { parametersSection } from "../task/parameters";

export function taskPage(
  page: HTMLElement,
  id: string,
  view: URLSearchParams,
  context: Context,
): void {
  document.title = "Task · Tombola";
  const place = el("div", {});
  fill(page, el("div", { class: "head" }, el("h1", {}, "Task")), place);
  void loadInto(
    place,
    context,
    async () => {
      const task = await get<TaskDetail>(taskPath(id), {}, context.signal);
      show(page, task, view, context);
    },
    "the task",
  );
}

function show(page: HTMLElement, task: TaskDetail, view: URLSearchParams, context: Context): void {
  document.title = `${task.name} · Tombola`;
  const batches = el("div", {});
  const told = el("p", { class: "told", role: "status" });
  const answer = answerSection(task, view, context);
  fill(
    page,
    el(
      "div",
      { class: "head" },
      el("h1", {}, task.name === "" ? "Task" : task.name),
      chip(task.state),
      el("p", { class: "as-of" }, `${domainWords(task)} · ${task.mechanism}`),
    ),
    told,
    answer?.root ?? unknownKind(task),
    batches,
    parametersSection(task),
    el(
      "details",
      { class: "card" },
      el("summary", {}, "The same on the command line"),
      commandLine(`tombola query --config tombola.json --task ${task.task}`),
    ),
  );
  void answer?.load(task.counted_batches);
  let seen = task.counted_batches;
  const ask = async () => {
    const status = await get<Status>(
      `${taskPath(task.task)}/status`,
      { limit: 100 },
      context.signal,
    );
    batchesSection(batches, status, context.signal);
    told.textContent = "";
    answer?.setHeld(status);
    if (status.counted_batches !== seen) {
      seen = status.counted_batches;
      await answer?.load(seen);
    }
  };
  void loadInto(batches, context, ask, "batches");
  whileVisible(10, context.signal, () =>
    ask().catch((error: unknown) => {
      if (!isAbort(error)) told.textContent = `not refreshed: ${(error as Error).message}`;
    }),
  );
}

function unknownKind(task: TaskDetail): HTMLElement {
  return section(
    "Answer",
    el("p", { class: "empty" }, `This page shows no answers of tasks of the kind ${task.kind}.`),
  );
}
