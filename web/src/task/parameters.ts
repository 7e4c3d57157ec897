// What the task was made with.
import type { Attribute, Records, Stream, StringsOfTask, Task, TaskDetail } from "../api_types";
import { type Child, el } from "../dom";
import { rangeWords } from "../edges";
import { atMost, atMostShort, count, counted, duration, percent, short, time } from "../format";
import { sentence, wholeLife } from "../guarantee";
import { definitions, section } from "../parts";
import { viewWords } from "./record_words";
import { stringsWords } from "./strings_words";

function periodsOf(task: TaskDetail): string {
  if (task.periods === null) return "none";
  const now = task.present_period === null ? "" : `, now in number ${count(task.present_period)}`;
  return `${count(task.periods)}${now}`;
}

function domainOf(task: TaskDetail): [string, string][] {
  const { domain, numbers, records, stream, other } = task;
  if (records !== null) return recordsOf(records, domain);
  if (task.strings != null) return stringsOf(task.strings);
  if (numbers === null) {
    return [
      ["Values", count(domain)],
      ["Value for all others", other ?? "none"],
      ...streamOf(stream ?? null),
    ];
  }
  const { low, high, bins, equal, branching, levels, missing, dithered } = numbers;
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
    ["Bins", `${count(bins)}, ${equal ? "equally" : "not equally"} wide`],
    ["Tree", branching === 0 ? "none" : nodes],
    without,
  ];
}

function stringsOf(strings: StringsOfTask): [string, string][] {
  return [
    ["Devices hold", stringsWords(strings)],
    ["Alphabet", strings.alphabet ?? "bytes"],
    ["Capital letters", strings.spelling === "folded" ? "are small ones" : "stay"],
    ["Published", `strings of at least ${counted(strings.least_holders, "device", "devices")}`],
  ];
}

function streamOf(stream: Stream | null): [string, string][] {
  if (stream === null) return [];
  const { structure, most_nodes: most } = stream;
  return [["Batches of a submission", `at most ${count(most)}, by the structure ${structure}`]];
}

function recordsOf(records: Records, cells: number): [string, string][] {
  const alike = records.max_alike === records.max_records ? "" : `, ${count(records.max_alike)} of them alike`;
  return [
    ["Records of a device", `at most ${count(records.max_records)}${alike}`],
    ["Attributes", records.attributes.map(attributeWords).join("; ")],
    [
      "Measures",
      records.measures
        .map(({ name, low, high, levels }) => `${name}, ${rangeWords(low, high)} by ${count(levels)} levels`)
        .join("; ") || "none",
    ],
    ["Questions", records.views.map(viewWords).join("; ")],
    ["Cells", count(cells)],
  ];
}

function attributeWords({ name, low, high, bins, values }: Attribute): string {
  if (bins === undefined) return `${name}, ${counted(values ?? 0, "label", "labels")}`;
  return `${name}, ${rangeWords(low ?? 0, high ?? 0)} in ${counted(bins, "bin", "bins")}`;
}

// What the predicted error is of; a mean's is in shares of the range.
function predicted({ numbers, records }: TaskDetail): string {
  if (records !== null) return "Predicted error of a cell's records, of the devices";
  if (numbers === null) return "Predicted error of a share";
  return numbers.dithered
    ? "Predicted error of the mean, of the range"
    : "Predicted error of a range's share";
}

// At most one in each period.
export function mostSubmissions({ submissions_per_device, periods }: Task): number {
  return periods === null ? submissions_per_device : Math.min(submissions_per_device, periods);
}

export function parametersSection(task: TaskDetail): HTMLElement {
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
        : wholeLife(task.total_epsilon, task.total_delta, mostSubmissions(task)) +
          (task.total_reason === null ? "" : ` (${task.total_reason})`),
    ],
    [
      "Messages of a device",
      `${short(task.messages_per_user)}, at most ${count(task.max_messages_per_user)}`,
    ],
    [
      `${predicted(task)}, 95 % half-width`,
      `${percent(task.predicted_half_width, 3)} in a batch of the planned ${count(task.users)}, ` +
        `${percent(task.smallest_batch_half_width, 3)} in the smallest of ${count(task.needed)}`,
    ],
    ["Begins", time(task.begins)],
    ["Ends", time(task.ends)],
    ["Id", el("code", { class: "id" }, task.task)],
  ];
  const warnings = [...(task.warning === null ? [] : [task.warning]), ...task.remarks];
  return section(
    "Parameters",
    ...(warnings.length === 0
      ? []
      : [el("ul", { class: "warnings" }, ...warnings.map((line) => el("li", {}, sentence(line))))]),
    definitions(pairs),
  );
}
