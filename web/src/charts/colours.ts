// The style sheet's colours, for what is painted on a canvas.

export type Colour =
  "text" | "muted" | "line" | "card" | "bar" | "whisker" | "raw" | "band" | "warn" | "accent" | "mark";

export function colour(name: Colour | `series-${number}`): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export const chartFont = "12px system-ui, sans-serif";
