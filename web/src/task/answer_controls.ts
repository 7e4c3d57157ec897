// The controls above an answer of any kind, around those of its kind.
import type { TaskDetail } from "../api_types";
import { el } from "../dom";
import { choice, field } from "../parts";
import { type AnswerChoices, confidences, momentOf, type Which } from "./answer_choices";

export interface Controls {
  root: HTMLElement;
  // Where the outcome of a search or a download is told.
  told: HTMLElement;
}

export interface Asked {
  choices: AnswerChoices;
  postprocesses: [string, string][];
  // The kind's own.
  fields: HTMLElement[];
  // "the histogram", and what it consists of: "bins".
  what: string;
  rows: string;
  // Whether one of a task's periods is chosen elsewhere.
  choosesPeriod?: boolean;
}

// Changes `choices` in place and says so when the server must be asked again.
export function makeControls(
  task: TaskDetail,
  { choices, postprocesses, fields, what, rows, choosesPeriod = false }: Asked,
  changed: () => void,
  download: (format: "csv" | "json") => void,
): Controls {
  const set = (change: () => void) => {
    change();
    changed();
  };
  const postprocess = choice(
    postprocesses.map(([key]) => [key, key]),
    choices.postprocess,
    (value) => set(() => (choices.postprocess = value)),
  );
  const confidence = choice(confidences, choices.confidence, (value) =>
    set(() => (choices.confidence = value)),
  );
  const told = el("p", { class: "told", role: "status" });
  const button = (format: "csv" | "json") =>
    el("button", { type: "button", onclick: () => download(format) }, `${format.toUpperCase()}`);
  const root = el(
    "div",
    { class: "controls", role: "group", "aria-label": `What ${what} shows` },
    ...fields,
    ...(postprocesses.length === 0 ? [] : [field("Post-processing", postprocess)]),
    field("Confidence", confidence),
    ...(task.periods === null ? [] : periodFields(choices, task.periods, choosesPeriod, set)),
    el(
      "div",
      { class: "field downloads", role: "group", "aria-label": `Download all ${rows}` },
      el("span", { class: "label" }, "Download"),
      el("div", {}, button("csv"), button("json")),
    ),
  );
  return { root, told };
}

// Which of a task's periods the answer is about, and what the choice needs.
function periodFields(
  choices: AnswerChoices,
  last: number,
  oneElsewhere: boolean,
  set: (change: () => void) => void,
): HTMLElement[] {
  const number = el("input", { type: "number", min: 1, max: last, step: 1, value: choices.period });
  number.addEventListener("change", () =>
    set(() => {
      choices.period = Math.min(last, Math.max(1, Math.floor(Number(number.value)) || 1));
      number.value = String(choices.period);
    }),
  );
  const moment = (name: "since" | "until") => {
    const input = el("input", {
      type: "datetime-local",
      step: 1,
      value: choices[name].replace("Z", ""),
    });
    input.addEventListener("change", () => set(() => (choices[name] = momentOf(input.value))));
    return input;
  };
  const period = field("Period", number);
  const since = field("Since (UTC)", moment("since"));
  const until = field("Until (UTC)", moment("until"));
  const show = () => {
    period.hidden = choices.periods !== "one";
    since.hidden = until.hidden = choices.periods !== "between";
  };
  const ways: [string, string][] = [
    ["all", "All"],
    ["one", "One"],
    ["between", "Since, until"],
  ];
  const which = choice(
    ways.filter(([way]) => way !== "one" || !oneElsewhere),
    choices.periods,
    (value) =>
      set(() => {
        choices.periods = value as Which;
        show();
      }),
  );
  show();
  return [field("Periods", which), ...(oneElsewhere ? [] : [period]), since, until];
}
