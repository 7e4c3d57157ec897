// The batches of a task over time.
import type { Status } from "../api_types";
import { drawBatches } from "../charts/batches";
import { el, fill } from "../dom";
import { count, counted, time } from "../format";
import { chip, figure, meter, section, table } from "../parts";
import { progressWords } from "../progress";
import { causeWords } from "./causes";

const shown = new WeakMap<HTMLElement, string>();

// Leaves the place as it is when nothing has changed, so that nobody is interrupted in reading.
export function batchesSection(place: HTMLElement, status: Status, signal: AbortSignal): void {
  const text = JSON.stringify(status);
  if (shown.get(place) === text) return;
  shown.set(place, text);
  const host = el("div", {});
  fill(
    place,
    section(
      "Batches",
      el(
        "dl",
        { class: "figures" },
        figure("Counted", count(status.counted_batches)),
        figure("Quarantined", count(status.quarantined_batches)),
        figure("Expired", count(status.expired_batches)),
        figure("Reports", count(status.reports)),
        figure("Rejected", count(status.rejected), causeWords(status.rejected_by_cause)),
        figure(
          "Never released",
          count(status.expired),
          status.expired > 0 ? "destroyed below the guarantee" : "",
        ),
      ),
      el(
        "div",
        { class: "progress" },
        meter(status.held_percent, "Held for the next batch, in percent"),
        el("span", {}, progressWords(status)),
        el("small", {}, `needs ${count(status.needed)}, planned ${count(status.planned)}`),
      ),
      status.batches.length > 1 && host,
      status.batches.length > 1 && legend(),
      status.batches.length > 0 && batchTable(status),
    ),
  );
  if (status.batches.length > 1) drawBatches(host, status.batches, signal);
}

function legend(): HTMLElement {
  return el(
    "ul",
    { class: "legend" },
    el("li", {}, el("span", { class: "key key-bar", "aria-hidden": "true" }), "counted"),
    el(
      "li",
      {},
      el("span", { class: "key key-warn", "aria-hidden": "true" }),
      "quarantined or expired: in no answer",
    ),
  );
}

function batchTable(status: Status): HTMLElement {
  const all = status.counted_batches + status.quarantined_batches + status.expired_batches;
  const periods = status.batches.some((batch) => batch.period !== null);
  const rows = status.batches.map((batch) => [
    ...(periods ? [batch.period === null ? "" : count(batch.period)] : []),
    batch.time === null ? "not known" : time(batch.time),
    chip(batch.state),
    count(batch.reports),
    causeWords(batch.rejected_by_cause) || "0",
    count(batch.duplicates),
    count(batch.fakes),
    el("code", { title: batch.batch }, batch.batch.slice(0, 12)),
  ]);
  return el(
    "details",
    { open: status.batches.length <= 10 },
    el(
      "summary",
      {},
      all > rows.length
        ? `The newest ${count(rows.length)} of ${count(all)} batches`
        : counted(rows.length, "batch", "batches"),
    ),
    table(
      "Batches, newest first",
      [
        ...(periods ? [{ title: "Period", number: true }] : []),
        { title: "Finished" },
        { title: "State" },
        { title: "Reports", number: true },
        { title: "Rejected", number: true },
        { title: "Duplicates", number: true },
        { title: "Fakes", number: true },
        { title: "Batch" },
      ],
      rows,
    ),
  );
}
