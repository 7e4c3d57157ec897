// Batches from the oldest to the newest, each as high as its reports; those not counted stand out.
import type { Batch } from "../api_types";
import { count, shortTime, time } from "../format";
import { binAxis, quietAxis } from "./axes";
import { Frame } from "./frame";
import { paintBins } from "./paint";

// `batches`: newest first, as the collector lists them.
export function drawBatches(host: HTMLElement, batches: Batch[], signal: AbortSignal): void {
  const ordered = [...batches].reverse();
  const reports = Float64Array.from(ordered, (batch) => batch.reports);
  const labels = ordered.map((batch) =>
    batch.time === null ? "–" : shortTime(batch.time),
  );
  const painted = {
    value: reports,
    low: reports,
    high: reports,
    dots: null,
    warned: (i: number) => ordered[i]?.state !== "counted",
  };
  new Frame(
    host,
    {
      label: "Reports of each batch, oldest first",
      height: 200,
      positions: ordered.length,
      place: (i) => i,
      read: (i) => readBatch(ordered[i]),
      data: [Float64Array.from(ordered, (_, i) => i), reports],
      options: () => ({
        scales: {
          x: { time: false, range: () => [-0.5, Math.max(ordered.length, 8) - 0.5] },
          y: { range: (_, _min, max) => [0, Math.max(1, max * 1.1)] },
        },
        series: [{}, { paths: () => null, points: { show: false } }],
        axes: [binAxis(labels), quietAxis({ size: 58, values: (_, splits) => splits.map(count) })],
        padding: [10, 12, 0, 0],
        hooks: { draw: [(plot) => paintBins(plot, painted)] },
        cursor: { drag: { x: false, y: false } },
      }),
    },
    signal,
  );
}

function readBatch(batch: Batch | undefined) {
  if (batch === undefined) return { title: "", lines: [] };
  return {
    title: batch.time === null ? `Batch ${batch.batch.slice(0, 8)}` : time(batch.time),
    lines: [`${count(batch.reports)} reports`, batch.state, `${count(batch.rejected)} rejected`],
  };
}
