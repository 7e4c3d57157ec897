// What the task was made with.
import type { TaskDetail } from "../api_types";
import { type Child, el } from "../dom";
import { rangeWords } from "../edges";
import { atMost, atMostShort, count, duration, percent, short, time } from "../format";
import { definitions, section } from "../parts";

function periodsOf(task: TaskDetail): string {
  if (task.periods === null) return "none";
  const now = task.present_period === null ? "" : `, now in number ${count(task.present_period)}`;
  return `${count(task.periods)}${now}`;
}

function domainOf({ domain, numbers, other }: TaskDetail): [string, string][] {
  if (numbers === null) {
    return [
      ["Values", count(domain)],
      ["Value for all others", other ?? "none"],
    ];
  }
  const { low, high, bins, edges, branching, levels, missing, dithered } = numbers;
  const without: [string, string] = [
    "A device without a number",
    missing ? "says so" : "sends nothing",
  ];
  if (dithered) {
    return [["Mean of numbers", `${rangeWords(low, high)}, by ${count(bins)} levels`], without];
  }
  const nodes = `${count(levels)} levels, ${count(branching)} nodes under one`;
  return [
    ["Numbers", rangeWords(low, high)],
    ["Bins", `${count(bins)}, ${edges ? "not equally" : "equally"} wide`],
    ["Tree", branching === 0 ? "none" : nodes],
    without,
  ];
}

// What the predicted error is of; a mean's is in shares of the range.
function predicted({ numbers }: TaskDetail): string {
  if (numbers === null) return "Predicted error of a share";
  return numbers.dithered
    ? "Predicted error of the mean, of the range"
    : "Predicted error of a range's share";
}

export function parametersSection(task: TaskDetail): HTMLElement {
  const error = Math.sqrt(task.predicted_mse);
  const pairs: [string, Child][] = [
    ["Mechanism", task.mechanism],
    ...Object.entries(task.parameters)
      .filter(([name, value]) => value !== null && name !== "local_epsilon")
      .map(
        ([name, value]) =>
          [
            name.replace(/_/g, " "),
            typeof value !== "number"
              ? String(value)
              : name.endsWith("epsilon")
                ? atMostShort(value, 6)
                : short(value, 6),
          ] as [string, Child],
      ),
    ["Target", `epsilon ${atMostShort(task.epsilon)}, delta ${atMostShort(task.delta)}`],
    ["Local epsilon", task.local_epsilon === null ? "none" : atMost(task.local_epsilon)],
    ...domainOf(task),
    ["Planned reports of a batch", count(task.users)],
    ["Smallest batch", count(task.min_batch)],
    ["Share taken as the observer's own", percent(task.dishonest, 0)],
    ["Interval", task.interval_seconds === 0 ? "none" : duration(task.interval_seconds)],
    ["Periods", periodsOf(task)],
    ["Submissions of a device", count(task.submissions_per_device)],
    [
      "All of them together",
      task.total_epsilon === null
        ? "nothing is guaranteed"
        : `epsilon ${atMostShort(task.total_epsilon)}, delta ${atMostShort(task.total_delta)}` +
          (task.total_reason === null ? "" : ` (${task.total_reason})`),
    ],
    [
      "Messages of a device",
      `${short(task.messages_per_user)}, at most ${count(task.max_messages_per_user)}`,
    ],
    [predicted(task), percent(error, 3)],
    ["Begins", time(task.begins)],
    ["Ends", time(task.ends)],
    ["Id", el("code", { class: "id" }, task.task)],
  ];
  return section("Parameters", definitions(pairs));
}
