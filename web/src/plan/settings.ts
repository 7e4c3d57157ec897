// What is planned for, and how it stands in the address.

export interface Settings {
  users: number;
  domain: number;
  epsilon: number;
  delta: number;
}

export type Setting = keyof Settings;

export interface Bounds {
  name: string;
  // Of the slider, which is logarithmic.
  from: number;
  to: number;
  whole: boolean;
  usual: number;
}

export const bounds: Record<Setting, Bounds> = {
  users: { name: "Devices in a batch (n)", from: 100, to: 1e8, whole: true, usual: 100_000 },
  domain: { name: "Values (d)", from: 2, to: 1 << 24, whole: true, usual: 100 },
  epsilon: { name: "Epsilon", from: 0.05, to: 10, whole: false, usual: 1 },
  delta: { name: "Delta", from: 1e-12, to: 1e-3, whole: false, usual: 1e-6 },
};

export function settingsFrom(view: URLSearchParams): Settings {
  const one = (name: Setting) => {
    const value = Number(view.get(name) ?? Number.NaN);
    return value > 0 ? value : bounds[name].usual;
  };
  return {
    users: one("users"),
    domain: one("domain"),
    epsilon: one("epsilon"),
    delta: one("delta"),
  };
}

// As people write it, and as an input and the command line take it: 1e-6 rather than 0.000001.
export function written(value: number): string {
  return value < 1e-3 ? value.toExponential() : String(value);
}

export function toView(settings: Settings): Record<string, string> {
  return {
    users: written(settings.users),
    domain: written(settings.domain),
    epsilon: written(settings.epsilon),
    delta: written(settings.delta),
  };
}

// Two significant digits, so that a slider stops at numbers that people would type.
export function fromSlider(share: number, { from, to, whole }: Bounds): number {
  const value = Number((from * (to / from) ** share).toPrecision(2));
  return whole ? Math.round(value) : value;
}

export function toSlider(value: number, { from, to }: Bounds): number {
  return Math.min(1, Math.max(0, Math.log(value / from) / Math.log(to / from)));
}

const grid = [0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10];

// Where the curves are computed, in ascending order: the grid and the chosen epsilon.
export function epsilons(chosen: number): number[] {
  return [...new Set([...grid, chosen])].sort((a, b) => a - b);
}

// In which order to ask: the chosen one, then ever finer over the rest, so that a rough curve is there
// early.
export function askingOrder(all: number[], chosen: number): number[] {
  const order = [chosen];
  for (let step = 1 << Math.floor(Math.log2(Math.max(1, all.length))); step >= 1; step >>= 1) {
    for (let i = 0; i < all.length; i += step) order.push(all[i] ?? chosen);
  }
  return [...new Set([...order, ...all])];
}
