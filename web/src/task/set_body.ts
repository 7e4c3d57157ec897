// Sets: the share of devices that hold each thing, the things that most hold first.
import type { ItemSet, TaskDetail } from "../api_types";
import { toBins } from "../bins";
import { shareWays } from "./choices";
import { ItemsBody } from "./items_body";
import type { BodyWords } from "./rows_body";

const words: BodyWords = {
  title: "What devices hold",
  what: "the set",
  rows: "values",
  row: "value",
  chart: "Shares",
  values: "values",
  caption: "Shares of devices that hold each value",
  ways: shareWays,
};

export class SetBody extends ItemsBody<ItemSet> {
  constructor(
    task: TaskDetail,
    view: URLSearchParams,
    changed: () => void,
    signal: AbortSignal,
  ) {
    super(task, view, changed, signal, words, (body) => toBins(body.bins));
  }
}
