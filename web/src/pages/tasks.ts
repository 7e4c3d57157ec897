// All tasks, and how far each is.
import { get, isAbort } from "../api";
import type { Task } from "../api_types";
import type { Context } from "../context";
import { el, fill } from "../dom";
import { atMostShort, count, counted, fromNow, time } from "../format";
import { wholeLife } from "../guarantee";
import { loadInto } from "../load";
import { chip, commandLine, figure, meter } from "../parts";
import { progressWords, waitingWords } from "../progress";
import { whileVisible } from "../refresh";
import { taskAddress } from "../route";
import { domainWords } from "../task/domain_words";
import { mostSubmissions } from "../task/parameters";

export function tasksPage(page: HTMLElement, context: Context): void {
  document.title = "Tasks · Tombola";
  const list = el("div", { class: "tasks" });
  const asOf = el("p", { class: "as-of" });
  let shown = "";
  const ask = async () => {
    const { tasks } = await get<{ tasks: Task[] }>("/v1/tasks", {}, context.signal);
    // What has not changed is left as it is, so that nobody is interrupted in reading.
    if (shown !== JSON.stringify(tasks)) show(list, tasks);
    shown = JSON.stringify(tasks);
    const now = new Date().toTimeString().slice(0, 8);
    asOf.textContent = `${counted(tasks.length, "task", "tasks")}, as of ${now}`;
  };
  fill(page, el("div", { class: "head" }, el("h1", {}, "Tasks"), asOf), list);
  void loadInto(list, context, ask, "tasks");
  whileVisible(10, context.signal, () =>
    ask().catch((error: unknown) => {
      if (!isAbort(error)) asOf.textContent = `not refreshed: ${String((error as Error).message)}`;
    }),
  );
}

// Keeps the focus on the link that had it.
function show(list: HTMLElement, tasks: Task[]): void {
  const focused = document.activeElement?.getAttribute("href") ?? null;
  if (tasks.length === 0) fill(list, empty());
  else fill(list, ...tasks.map(card));
  if (focused !== null)
    list.querySelector<HTMLElement>(`a[href="${CSS.escape(focused)}"]`)?.focus();
}

function card(task: Task): HTMLElement {
  const held = { ...task, planned: task.users };
  const name = task.name === "" ? task.task.slice(0, 12) : task.name;
  return el(
    "article",
    { class: "card task" },
    el(
      "div",
      { class: "task-head" },
      el("h2", {}, el("a", { href: taskAddress(task.task) }, name)),
      chip(task.state),
    ),
    el(
      "p",
      { class: "hint" },
      `${domainWords(task)} · ${task.mechanism} · epsilon ${atMostShort(task.epsilon)}, ` +
        `delta ${atMostShort(task.delta)}`,
      el("br", {}),
      wholeLife(task.total_epsilon, task.total_delta, mostSubmissions(task)),
      el("br", {}),
      el("code", { title: task.task }, `${task.task.slice(0, 12)}…`),
    ),
    el(
      "dl",
      { class: "figures" },
      figure("Reports", count(task.reports)),
      figure(
        "Batches",
        count(task.counted_batches),
        task.quarantined_batches > 0 ? `${count(task.quarantined_batches)} quarantined` : "",
      ),
      figure("Rejected", count(task.rejected)),
    ),
    el(
      "div",
      { class: "progress", title: waitingWords(held, task.periods !== null) },
      meter(
        task.state === "open" ? task.held_percent : 0,
        `Held for the next batch of ${name}, in percent`,
      ),
      el("span", {}, progressWords(held)),
      el("small", {}, `needs ${count(task.needed)}, planned ${count(task.users)}`),
    ),
    el(
      "p",
      { class: "hint", title: time(task.ends) },
      task.state === "open"
        ? `Ends ${fromNow(task.ends, Date.now())}`
        : `Ended or closed; its end was ${time(task.ends)}`,
    ),
  );
}

function empty(): HTMLElement {
  return el(
    "div",
    { class: "card empty" },
    el("h2", {}, "No task yet"),
    el(
      "p",
      {},
      "A task says what is collected and with which guarantee. An administrator makes one with",
    ),
    commandLine(
      "tombola task create --config tombola.json --name colours --values colours.txt " +
        "--epsilon 1 --delta 1e-6 --users 5000",
    ),
    el(
      "p",
      {},
      "Which mechanism gives the least error for a target? ",
      el("a", { href: "#/plan" }, "Ask the planner"),
      ".",
    ),
  );
}
