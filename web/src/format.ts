// Numbers, times and chances as people read them. English, and UTC as on the command line.

// Written by hand: making a formatter of Intl takes longer than drawing a chart.
export function count(value: number): string {
  return grouping(value, 0);
}

// Thousands apart, as 42,178.5.
function grouping(value: number, decimals: number): string {
  const [whole = "", part] = value.toFixed(decimals).split(".");
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return part === undefined ? groups : `${groups}.${part}`;
}

// To so many decimals, thousands apart and with a minus, but zero has none: "−1,234.5".
export function decimal(value: number, decimals: number): string {
  return grouping(value, decimals)
    .replace("-", "−")
    .replace(/^−(0(\.0*)?)$/, "$1");
}

// "1 batch", "3 batches"
export function counted(value: number, one: string, many: string): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

// Decimals that show `digits` significant ones of a number of this size, at most 9.
export function decimalsFor(size: number, digits = 2): number {
  const magnitude = Math.abs(size);
  if (!(magnitude > 0)) return digits;
  return Math.min(9, Math.max(0, digits - 1 - Math.floor(Math.log10(magnitude))));
}

// A share as percent, to as many decimals.
export function percent(share: number, decimals: number): string {
  const text = (share * 100).toFixed(decimals).replace("-", "−");
  return `${/^−0(\.0*)?$/.test(text) ? text.slice(1) : text} %`;
}

// A share and half the width of its interval: "31.59 % ± 0.28", the error to two significant digits.
export function withError(share: number, halfWidth: number): string {
  const decimals = decimalsFor(halfWidth * 100);
  return `${percent(share, decimals)} ± ${(halfWidth * 100).toFixed(decimals)}`;
}

// Half the width of a bin's interval, which is centred on the unbiased estimate.
export function halfWidth(bin: { low: number; high: number }): number {
  return (bin.high - bin.low) / 2;
}

// The nearest decimal of so many significant digits, 1 to 15, whose double is never below the value
// (roundedUp) or never above it (roundedDown); of a finite number above 0. As common/base/decimal.h.
export function roundedUp(value: number, digits: number): string {
  const nearest = value.toExponential(digits - 1);
  return Number(nearest) < value ? stepped(nearest, digits, 1) : nearest;
}

export function roundedDown(value: number, digits: number): string {
  const nearest = value.toExponential(digits - 1);
  return Number(nearest) > value ? stepped(nearest, digits, -1) : nearest;
}

// The next decimal of as many digits, or the one before.
function stepped(decimal: string, digits: number, step: 1 | -1): string {
  const [mantissa = "", power = ""] = decimal.split("e");
  let whole = Number(mantissa.replace(".", "")) + step;
  let exponent = Number(power);
  if (whole === 10 ** digits) {
    whole /= 10;
    exponent += 1;
  } else if (whole < 10 ** (digits - 1)) {
    whole = 10 ** digits - 1;
    exponent -= 1;
  }
  const text = String(whole);
  return `${text.slice(0, 1)}${digits > 1 ? "." : ""}${text.slice(1)}e${exponent}`;
}

// Three significant digits, or a whole number, and never smaller than the value: for what is
// promised.
export function atMost(value: number, digits = 3): string {
  if (!(value > 0)) return "0";
  if (!Number.isFinite(value)) return "infinite";
  const whole = value < 1e6 ? Math.floor(Math.log10(value)) + 1 : 0;
  const up = Number(roundedUp(value, Math.max(digits, whole)));
  if (up < 1e-4) return short(up, digits);
  return up >= 1e6 ? up.toExponential(digits - 1) : grouping(up, decimalsFor(up, digits));
}

// The same without zeros at the end, as "1e-6" and "0.21": for probabilities.
export function atMostShort(value: number, digits = 3): string {
  return value > 0 && Number.isFinite(value) ? short(Number(roundedUp(value, digits)), digits) : "0";
}

// Significant digits, with an exponent where there would be many zeros.
export function short(value: number, digits = 3): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 9.99e-5 || size >= 1e7) {
    return value
      .toExponential(digits - 1)
      .replace(/\.?0+e/, "e")
      .replace("e+", "e");
  }
  return String(Number(value.toPrecision(digits)));
}

const illions: [number, string][] = [
  [1e3, "thousand"],
  [1e6, "million"],
  [1e9, "billion"],
  [1e12, "trillion"],
];

// A small probability, never told smaller than it is: "one in a million", "one in 2.5 million".
export function chance(probability: number): string {
  const one = oneIn(probability, 3);
  for (const [size, name] of [...illions].reverse()) {
    if (one < size) continue;
    const many = Number((one / size).toPrecision(3));
    if (many >= 1000) break;
    return many === 1 ? `one in a ${name}` : `one in ${many} ${name}`;
  }
  return one < 1000 ? `one in ${one}` : `one in ${oneIn(probability, 2).toExponential(1)}`;
}

// The nearest number of so many digits of which one in so many is at least the probability.
function oneIn(probability: number, digits: number): number {
  const nearest = (1 / probability).toExponential(digits - 1);
  const one = Number(nearest);
  return 1 / one < probability ? Number(stepped(nearest, digits, -1)) : one;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

export function time(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const day = `${at.getUTCDate()} ${months[at.getUTCMonth()] ?? ""} ${at.getUTCFullYear()}`;
  return `${day}, ${at.toISOString().slice(11, 16)} UTC`;
}

// "17 Nov 13:26", for axes
export function shortTime(iso: string): string {
  return time(iso).replace(/ \d{4},| UTC/g, "");
}

// "in 89 days", "in 3 hours", "3 minutes ago"
export function fromNow(iso: string, now: number): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  if (Number.isNaN(seconds)) return "";
  const units: [number, string, string][] = [
    [86400, "day", "days"],
    [3600, "hour", "hours"],
    [60, "minute", "minutes"],
  ];
  for (const [length, one, many] of units) {
    const amount = Math.round(Math.abs(seconds) / length - 0.02);
    if (amount >= 1) {
      const words = counted(amount, one, many);
      return seconds > 0 ? `in ${words}` : `${words} ago`;
    }
  }
  return seconds > 0 ? "within a minute" : "just now";
}

export function duration(seconds: number): string {
  if (seconds % 86400 === 0) return counted(seconds / 86400, "day", "days");
  if (seconds % 3600 === 0) return counted(seconds / 3600, "hour", "hours");
  if (seconds % 60 === 0) return counted(seconds / 60, "minute", "minutes");
  return counted(seconds, "second", "seconds");
}

export function bytes(value: number): string {
  if (value < 1000) return `${Math.round(value)} B`;
  if (value < 1e6) return `${short(value / 1000)} kB`;
  return `${short(value / 1e6)} MB`;
}
