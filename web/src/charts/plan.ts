// Error against epsilon, both logarithmic: a line for each mechanism, the recommended one thicker.
import uPlot from "uplot";
import type { Plan } from "../api_types";
import { short } from "../format";
import { mechanismColour, mechanismDash, mechanismNames } from "../plan/mechanisms";
import { quietAxis } from "./axes";
import { colour } from "./colours";
import { Frame, type Reading } from "./frame";

export type ErrorKind = "half_width" | "mse";

// Beyond so many standard deviations to either side of its mean a normal number has 5 %.
const DEVIATIONS_OF_95 = 1.959963984540054;

export function errorOf(mse: number | null, kind: ErrorKind): number | null {
  return mse === null ? null : kind === "mse" ? mse : DEVIATIONS_OF_95 * Math.sqrt(mse);
}

// The half-width of a 95 % interval of a share in percent, or a mean squared error.
export function errorWords(error: number | null, kind: ErrorKind): string {
  if (error === null) return "–";
  return kind === "mse" ? short(error) : `${short(error * 100)} %`;
}

export class PlanChart {
  private readonly frame: Frame;
  private readonly plans = new Map<number, Plan>();
  private recommended: string | null = null;

  constructor(
    host: HTMLElement,
    private readonly epsilons: number[],
    private readonly chosen: number,
    private readonly kind: ErrorKind,
    signal: AbortSignal,
  ) {
    this.frame = new Frame(
      host,
      {
        label:
          "Error of each mechanism against epsilon. Arrow keys read it; the table below has the chosen epsilon.",
        height: 360,
        positions: epsilons.length,
        place: (i) => epsilons[i] ?? chosen,
        read: (i) => this.read(i),
        data: this.data(),
        options: () => this.options(),
      },
      signal,
    );
  }

  add(plan: Plan): void {
    this.plans.set(plan.epsilon, plan);
    if (plan.epsilon === this.chosen) this.recommended = plan.recommended;
    mechanismNames().forEach((name, i) => {
      const series = this.frame.plot.series[i + 1];
      if (series !== undefined) series.width = name === this.recommended ? 3.5 : 2;
    });
    this.frame.plot.setData(this.data());
  }

  private error(plan: Plan | undefined, mechanism: string): number | null {
    const candidate = plan?.candidates.find((one) => one.mechanism === mechanism);
    return candidate?.feasible === true ? errorOf(candidate.mse, this.kind) : null;
  }

  private data(): uPlot.AlignedData {
    return [
      this.epsilons,
      ...mechanismNames().map((name) =>
        this.epsilons.map((e) => this.error(this.plans.get(e), name)),
      ),
    ];
  }

  private read(position: number): Reading {
    const epsilon = this.epsilons[position] ?? this.chosen;
    const plan = this.plans.get(epsilon);
    if (plan === undefined) return { title: `epsilon ${epsilon}`, lines: ["not computed yet"] };
    const lines = mechanismNames()
      .map((name) => ({ name, error: this.error(plan, name) }))
      .filter(({ error }) => error !== null)
      .sort((a, b) => (a.error ?? 0) - (b.error ?? 0))
      .map(
        ({ name, error }) =>
          `${name} ${errorWords(error, this.kind)}${name === plan.recommended ? " (recommended)" : ""}`,
      );
    return { title: `epsilon ${epsilon}`, lines };
  }

  private options(): Omit<uPlot.Options, "width" | "height"> {
    const [first = 0.1, last = 10] = [this.epsilons[0], this.epsilons[this.epsilons.length - 1]];
    return {
      scales: {
        x: { time: false, distr: 3, range: [first * 0.93, last * 1.07] },
        y: { distr: 3, range: (_, min, max) => logRange(min, max) },
      },
      series: [{}, ...mechanismNames().map((name) => this.line(name))],
      axes: [
        logAxis([1, 2, 5], (v) => short(v, 1), { label: "epsilon", labelSize: 20, size: 28 }),
        logAxis([1], (v) => errorWords(v, this.kind), { size: 72 }),
      ],
      padding: [10, 12, 0, 0],
      hooks: { drawAxes: [(plot) => this.markChosen(plot)] },
      cursor: { drag: { x: false, y: false } },
    };
  }

  private line(name: string): uPlot.Series {
    return {
      label: name,
      stroke: () => colour(mechanismColour(name)),
      width: 2,
      dash: mechanismDash(name),
      spanGaps: true,
      points: {
        show: () => name === this.recommended,
        size: 7,
        fill: () => colour(mechanismColour(name)),
      },
    };
  }

  private markChosen(plot: uPlot): void {
    const x = Math.round(plot.valToPos(this.chosen, "x", true)) + 0.5;
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = colour("accent");
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([4, 4]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }
}

function logRange(min: number | null, max: number | null): uPlot.Range.MinMax {
  if (min === null || max === null || !(min > 0)) return [1e-5, 1e-1];
  return [min / 1.6, max * 1.6];
}

// Ticks at the powers of ten times `digits`. uPlot's own need a scale that begins at one of them.
function logAxis(digits: number[], words: (value: number) => string, axis: uPlot.Axis): uPlot.Axis {
  return quietAxis({
    ...axis,
    splits: (_plot, _axis, min, max) => logTicks(digits, min, max),
    filter: (_, splits) => splits,
    values: (_, splits) => splits.map(words),
  });
}

function logTicks(digits: number[], min: number, max: number): number[] {
  const ticks: number[] = [];
  for (let exponent = Math.floor(Math.log10(min)); exponent <= Math.log10(max); ++exponent) {
    ticks.push(...digits.map((digit) => Number(`${digit}e${exponent}`)));
  }
  return ticks.filter((tick) => tick >= min && tick <= max);
}
