// The style sheet's colours, for what is painted on a canvas.

export type Colour =
  | "text"
  | "muted"
  | "line"
  | "card"
  | "bar"
  | "whisker"
  | "raw"
  | "band"
  | "warn"
  | "accent"
  | "mark"
  | "heat-low"
  | "heat-high";

export function colour(name: Colour | `series-${number}`): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export const chartFont = "12px system-ui, sans-serif";

// Between two colours as the style sheet writes them, #1b1f27, the share from the first towards the second.
export function mixed(from: string, to: string, share: number): string {
  const channel = (text: string, i: number) => parseInt(text.slice(1 + 2 * i, 3 + 2 * i), 16);
  const channels = [0, 1, 2].map((i) =>
    Math.round(channel(from, i) * (1 - share) + channel(to, i) * share),
  );
  return `rgb(${channels.join(" ")})`;
}
