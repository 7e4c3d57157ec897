// How many things devices hold, in words.
import type { Sizes } from "../api_types";
import { count, decimalsFor, halfWidth, percent, withError } from "../format";

// So many of a device's things are counted.
export function mostItems({ sizes }: Sizes): string {
  return count(Math.max(0, sizes.length - 1));
}

// "0", "1", …, "6 or more".
export function sizeNames({ sizes }: Sizes): string[] {
  return sizes.map((_, held) => `${count(held)}${held === sizes.length - 1 ? " or more" : ""}`);
}

// "2.31 % ± 0.12"
export function fullWords(answer: Sizes): string {
  return withError(answer.full, fullHalf(answer));
}

// Each size's share, to as many decimals as the error of `full` has: theirs is of that order.
export function sizeShares(answer: Sizes): string[] {
  const decimals = decimalsFor(fullHalf(answer) * 100);
  return answer.sizes.map((share) => percent(share, decimals));
}

function fullHalf(answer: Sizes): number {
  return halfWidth({ low: answer.full_low, high: answer.full_high });
}
