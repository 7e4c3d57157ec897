// What of a stream is missing, in words.
import type { PeriodRun, StreamTotal } from "../api_types";
import { count, counted } from "../format";

// "6, 9 to 11 and 20"
export function runWords(runs: PeriodRun[]): string {
  const words = runs.map(({ first, last }) =>
    first === last ? count(first) : `${count(first)} to ${count(last)}`,
  );
  const last = words.pop() ?? "";
  return words.length === 0 ? last : `${words.join(", ")} and ${last}`;
}

// Neighbours become a run.
export function runsOfPeriods(periods: number[]): PeriodRun[] {
  const runs: PeriodRun[] = [];
  for (const period of [...periods].sort((a, b) => a - b)) {
    const run = runs[runs.length - 1];
    if (run !== undefined && period === run.last + 1) run.last = period;
    else runs.push({ first: period, last: period });
  }
  return runs;
}

function periodsWords(runs: PeriodRun[]): string {
  const one = runs.length === 1 && runs[0]?.first === runs[0]?.last;
  return `${one ? "period" : "periods"} ${runWords(runs)}`;
}

// What a total is about: "periods 1 to 27", "period 27".
export function aboutWords({ periods }: Pick<StreamTotal, "periods">): string {
  return periodsWords([periods]);
}

export function lacks({ missing, strange }: Pick<StreamTotal, "missing" | "strange">): boolean {
  return missing.length > 0 || strange.length > 0;
}

// A sentence for each thing that is wrong with a total; none: it is whole.
export function lackingWords({ missing, strange }: Pick<StreamTotal, "missing" | "strange">): string[] {
  const wrong: string[] = [];
  if (missing.length > 0) {
    const what = periodsWords(missing);
    wrong.push(
      `${what.slice(0, 1).toUpperCase()}${what.slice(1)} ${what.startsWith("periods") ? "are" : "is"} not in it: too few ` +
        "devices took part. A later total has what is missing again, once a node that covers it is released.",
    );
  }
  if (strange.length > 0) {
    wrong.push(`It has ${periodsWords(strange)} as well, which could not be taken off.`);
  }
  return wrong;
}

// Which nodes were destroyed; empty if none.
export function voidWords(nodes: number[]): string {
  if (nodes.length === 0) return "";
  const one = nodes.length === 1;
  return (
    `${one ? "Node" : "Nodes"} ${runWords(runsOfPeriods(nodes))} ${one ? "was" : "were"} void: ` +
    `${one ? "it" : "each"} held too few submissions to be released and was destroyed.`
  );
}

// "1,234 submissions of periods 1 to 27"
export function submissionWords(total: Pick<StreamTotal, "submissions" | "periods">): string {
  return `${counted(total.submissions, "submission", "submissions")} of ${aboutWords(total)}`;
}
