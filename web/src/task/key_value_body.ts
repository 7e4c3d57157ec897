// Key-value pairs: the share of devices that hold each key, and the mean of its number among them.
import type { KeyValues, TaskDetail } from "../api_types";
import { toKeyBins } from "../bins";
import { shareWays } from "./choices";
import { ItemsBody } from "./items_body";
import type { BodyWords } from "./rows_body";

const words: BodyWords = {
  title: "Keys and their means",
  what: "the answer about keys",
  rows: "keys",
  row: "key",
  chart: "Shares",
  values: "keys",
  caption: "Shares of devices that hold each key, and means",
  ways: shareWays,
};

export class KeyValueBody extends ItemsBody<KeyValues> {
  constructor(
    task: TaskDetail,
    view: URLSearchParams,
    changed: () => void,
    signal: AbortSignal,
  ) {
    super(task, view, changed, signal, words, (body) => toKeyBins(body.bins));
  }
}
