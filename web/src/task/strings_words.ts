// What the page says of strings that nobody listed.
import type { Decoding, FrequentStrings, StringsOfTask } from "../api_types";
import { count, counted, decimal } from "../format";

// "up to 12 of 39 characters, found 3 at a time": what a task asks for.
export function stringsWords({ alphabet, length, step }: StringsOfTask): string {
  const of =
    alphabet === null
      ? counted(length, "byte", "bytes")
      : `${counted(length, "character", "characters")} of an alphabet of ${count([...alphabet].length)}`;
  return `strings of up to ${of}${step === null ? ", looked up whole" : `, found ${count(step)} at a time`}`;
}

// How far a search is.
export function decodingWords({ ahead, level, levels, share }: Decoding): string {
  if (ahead > 0) return `Waiting for ${counted(ahead, "search", "searches")} before this one.`;
  const at = levels === 1 ? "" : ` level ${count(level)} of ${count(levels)},`;
  return `Searching:${at} ${decimal(100 * share, 0)} % done.`;
}

// Over all levels, in percent.
export function decodingPercent({ level, levels, share }: Decoding): number {
  return (100 * (Math.max(1, level) - 1 + share)) / Math.max(1, levels);
}

// How many devices must hold a string, and what there is no promise of.
export function thresholdWords(body: FrequentStrings): string {
  const least =
    body.least_holders > body.threshold
      ? ` None that fewer than ${count(body.least_holders)} are estimated to hold is shown.`
      : "";
  const among =
    body.dictionary === null
      ? ""
      : ` among ${counted(body.dictionary, "string that was", "strings that were")} looked up`;
  return (
    `A string that about ${count(Math.ceil(body.threshold))} devices hold is found${among} with a probability ` +
    `of 90 %; one that fewer hold is found less often, and is not protected by that but by epsilon.${least}`
  );
}

export function noneWords(body: FrequentStrings): string {
  return body.dictionary === null
    ? "Nothing stands out yet: no string is held by enough devices to be told from chance."
    : `Not told from chance: too few devices hold ${body.dictionary === 1 ? "it" : "any of them"}, or none.`;
}

export function warningWords(body: FrequentStrings): string[] {
  return [
    ...(body.complete
      ? []
      : ["Some prefixes were left out to save time, so that strings may be missing."]),
    ...(body.moved_by_report > 1
      ? [
          `One dishonest device may move an estimate by ${decimal(body.moved_by_report, 1)} devices.`,
        ]
      : []),
  ];
}
