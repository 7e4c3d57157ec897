// What the page of a task shows of its answer, by the task's kind.
import type { Query } from "../api";
import type { Answer, TaskDetail } from "../api_types";
import type { Context } from "../context";
import type { AnswerChoices } from "./answer_choices";
import { HistogramBody } from "./histogram_body";
import { KeyValueBody } from "./key_value_body";
import { NumberBody } from "./number_body";
import { RecordsBody } from "./records_body";
import { SetBody } from "./set_body";
import { StreamBody } from "./stream_body";
import { StringsBody } from "./strings_body";

// A kind's own part of the section that answer_section.ts makes.
export interface KindBody {
  // The section's title, and the answer in a sentence, such as "the histogram" with its "bins".
  readonly title: string;
  readonly what: string;
  readonly rows: string;
  // What is chosen, the kind's own choices among it, and the ways of post-processing, each with what it
  // does.
  readonly choices: AnswerChoices;
  readonly postprocesses: [string, string][];
  readonly fields: HTMLElement[];
  // Whether the server is asked again when one of the kind's own choices changes.
  readonly asksAgain: boolean;
  // Whether one period is chosen among the kind's own choices; else among those of every kind.
  readonly choosesPeriod?: boolean;
  // What has to be chosen before there is anything to ask; empty: nothing.
  readonly missing?: () => string;

  // What stands in the address.
  toView(): Record<string, string>;
  // What is asked beside what every kind is.
  query(): Query;
  // What is asked for a download; nothing: all there is.
  fileQuery?(): Query;
  // Takes an answer of the kind.
  take(answer: Answer): void;
  // Shows what was taken last, as it is chosen now; and the numbers that sum it up.
  show(place: HTMLElement): void;
  figures(): HTMLElement[];
}

// `changed`: one of the kind's own choices has.
type Make = (
  task: TaskDetail,
  view: URLSearchParams,
  changed: () => void,
  context: Context,
) => KindBody;

export const kinds: Record<string, Make> = {
  histogram: (task, view, changed, { signal }) => new HistogramBody(task, view, changed, signal),
  set: (task, view, changed, { signal }) => new SetBody(task, view, changed, signal),
  key_value: (task, view, changed, { signal }) => new KeyValueBody(task, view, changed, signal),
  number: (task, view, changed, context) => new NumberBody(task, view, changed, context),
  records: (task, view, changed, { signal }) => new RecordsBody(task, view, changed, signal),
  stream: (task, view, changed, context) => new StreamBody(task, view, changed, context),
  strings: (task, view, changed, { signal }) => new StringsBody(task, view, changed, signal),
};
