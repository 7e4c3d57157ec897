// Why messages were rejected, in words.
import type { ByCause } from "../api_types";
import { count } from "../format";

export const causes: [keyof ByCause, string][] = [
  ["unopened", "unopened"],
  ["malformed", "malformed"],
  ["out_of_range", "out of range"],
];

// "812 malformed, 3 unopened", or nothing.
export function causeWords(rejected: ByCause): string {
  return causes
    .filter(([cause]) => rejected[cause] > 0)
    .map(([cause, word]) => `${count(rejected[cause])} ${word}`)
    .join(", ");
}
