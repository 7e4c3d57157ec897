// How far the next release is, in words. The collector is told in steps of 5 %, at most once a minute,
// so that arrival times stay with the shuffler.
import { count, counted } from "./format";

export interface Held {
  state: string;
  held_percent: number;
  needed: number;
  planned: number;
}

export function progressWords(held: Held): string {
  if (held.state === "not_begun") return "has not begun";
  if (held.state !== "open") return "takes no more reports";
  if (held.held_percent <= 0) return `next batch: none or few of ${count(held.planned)} held`;
  const ready = held.planned > 0 && (held.held_percent / 100) * held.planned >= held.needed;
  return (
    `next batch: about ${count(held.held_percent)} % of ${count(held.planned)} held` +
    (ready ? ", enough for its guarantee" : "")
  );
}

// `periods`: whether the task has them.
export function waitingWords(held: Held, periods: boolean): string {
  const when = periods
    ? "its period is over"
    : `${counted(held.planned, "report is", "reports are")} held`;
  return (
    `A batch leaves when ${when}, and never with fewer ` +
    `than ${count(held.needed)}: below that the guarantee would not hold.`
  );
}
