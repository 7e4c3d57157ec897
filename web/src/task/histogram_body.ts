// The bins of a histogram.
import type { Histogram, TaskDetail } from "../api_types";
import { toBins } from "../bins";
import { postprocesses } from "./choices";
import { type BodyWords, RowsBody } from "./rows_body";

const words: BodyWords = {
  title: "Histogram",
  what: "the histogram",
  rows: "bins",
  row: "bin",
  chart: "Histogram",
  values: "values",
  caption: "Bins of the histogram",
  ways: postprocesses,
};

export class HistogramBody extends RowsBody<Histogram> {
  constructor(
    task: TaskDetail,
    view: URLSearchParams,
    changed: () => void,
    signal: AbortSignal,
  ) {
    super(task, view, changed, signal, words, (body) => toBins(body.bins));
  }
}
