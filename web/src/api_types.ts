// What the collector's HTTP interface answers; /openapi.json describes the same.

export interface ByCause {
  unopened: number;
  malformed: number;
  out_of_range: number;
}

// `kind`: what a device holds; that of the task's answers.
export interface Task {
  task: string;
  name: string;
  kind: string;
  state: string;
  domain: number;
  levels: { low: number; high: number; count: number } | null;
  numbers: Numbers | null;
  records: Records | null;
  stream?: Stream | null;
  strings?: StringsOfTask | null;
  mechanism: string;
  parameters: Record<string, number | string | null>;
  epsilon: number;
  delta: number;
  local_epsilon: number | null;
  messages_per_user: number;
  max_messages_per_user: number;
  users: number;
  min_batch: number;
  needed: number;
  dishonest: number;
  interval_seconds: number;
  merge_periods: boolean;
  periods: number | null;
  present_period: number | null;
  retry_window_seconds: number;
  key_list_age_seconds: number;
  submissions_per_device: number;
  total_epsilon: number | null;
  total_delta: number;
  total_reason: string | null;
  warning: string | null;
  remarks: string[];
  archived: boolean;
  supersedes: string | null;
  superseded_by: string | null;
  begins: string;
  ends: string;
  predicted_mse: number;
  smallest_batch_mse: number;
  predicted_half_width: number;
  smallest_batch_half_width: number;
  reports: number;
  messages: number;
  fakes: number;
  rejected: number;
  counted_batches: number;
  quarantined_batches: number;
  expired_batches: number;
  held_percent: number;
  expired: number;
}

// Of numbers: the range from `low` to `high` in `bins`, or in as many steps if numbers are `dithered`. `edges`:
// of all bins, where these are not `equal`ly wide; in a list of tasks they may be left out. `levels` of a tree are counted, the bins among them;
// `branching` nodes of one are under one of the next, 0 where only the bins are counted. `missing`: a device may
// have no number.
export interface Numbers {
  low: number;
  high: number;
  bins: number;
  equal: boolean;
  edges: number[] | null;
  branching: number;
  levels: number;
  missing: boolean;
  dithered: boolean;
}

// Of records: up to `max_records` of a device. A number has `low`, `high` and `bins`, any other attribute so many
// `values` and their `labels`, which a list of tasks may leave out. What can be asked together stands in one of the `views`.
export interface Records {
  max_records: number;
  max_alike: number;
  attributes: Attribute[];
  measures: { name: string; low: number; high: number; levels: number }[];
  views: RecordView[];
}

export interface Attribute {
  name: string;
  low?: number;
  high?: number;
  bins?: number;
  values?: number;
  labels?: string[] | null;
}

export interface RecordView {
  attributes: string[];
  measure: string | null;
  sizes: number[];
  branching: number;
  levels: number;
  cells: number;
}

// Of a stream: a batch ends with each of its periods, and a submission is in up to `most_nodes` of them.
export interface Stream {
  periods: number;
  // What a device has in a period: the name of a kind.
  of: string;
  structure: string;
  most_nodes: number;
}

// Of strings: at most `length` characters of an `alphabet`, null of bytes. They are found `step` at a time, or, where
// they are sent `whole`, looked up alone. No string of fewer than `least_holders` is published.
export interface StringsOfTask {
  alphabet: string | null;
  length: number;
  step: number | null;
  levels: number;
  range: number;
  whole: boolean;
  spelling: string;
  least_holders: number;
}

export interface TaskDetail extends Task {
  labels: string[];
  other: string | null;
}

// `value` is a number where the task's values have no names.
export interface Bin {
  value: string | number;
  frequency: number;
  raw: number;
  stderr: number;
  low: number;
  high: number;
}

// Every epsilon, with its delta, is for all submissions of a device; null says that nothing holds.
// batch_epsilon and batch_delta are for one submission.
export interface Guarantee {
  epsilon: number | null;
  delta: number;
  local_epsilon: number | null;
  users: number;
  method: string;
  batches: number;
  submissions_per_device: number;
  batch_epsilon: number | null;
  batch_delta: number;
  dishonest: number;
  epsilon_foreign_10: number | null;
  delta_foreign_10: number;
  epsilon_foreign_50: number | null;
  delta_foreign_50: number;
  reason: string | null;
  warning: string | null;
  total_epsilon: number | null;
  total_delta: number;
  total_submissions: number;
  accounted_users?: number;
}

export interface Quality {
  duplicates: number;
  shift_per_dishonest: number;
  dishonest: number;
  shift_at_dishonest_share: number;
  warnings: { kind: string; text: string }[];
}

// Of a task with periods: what the answer is about. `missing_runs`: those without a counted batch.
export interface Periods {
  first: number;
  last: number;
  begins: string;
  ends: string;
  counted: number;
  missing: number;
  missing_runs: PeriodRun[];
}

// Both ends are in it.
export interface PeriodRun {
  first: number;
  last: number;
}

// What every answer says; its kind adds the body.
export interface Answer {
  task: string;
  kind: string;
  periods: Periods | null;
  reports: number;
  messages: number;
  fakes: number;
  rejected: number;
  rejected_by_cause: ByCause;
  guarantee: Guarantee;
  quality: Quality;
}

// `max_error`: with the confidence asked for, no `raw` of the whole domain is further from the truth.
export interface Histogram extends Answer {
  max_error: number;
  ranking?: Ranking;
  bins: Bin[];
}

// Where the largest were asked for. All of it is true at once with the confidence asked for: `sure` of the
// bins are among the `top` largest values of the domain, of which `possible` may be, and `held` are above 0.
export interface Ranking {
  top: number;
  sure: number;
  possible: number;
  held: number;
  places: { best: number; worst: number; low: number; high: number }[];
}

// How many things devices hold. `sizes[k]`: the share that holds k, the last one that of those that hold
// as many or more, which is `full`; single ones may lie below 0. `hint`: a sentence if frequencies suffer.
export interface Sizes {
  sizes: number[];
  full: number;
  full_stderr: number;
  full_low: number;
  full_high: number;
  hint: string | null;
}

// Shares of devices that hold each thing: they do not sum to one.
export interface ItemSet extends Histogram, Sizes {}

// `mean`: of a key's number among those that hold it; null, and the others with it, where too few do.
export interface KeyBin extends Bin {
  mean: number | null;
  mean_stderr: number | null;
  mean_low: number | null;
  mean_high: number | null;
}

export interface KeyValues extends ItemSet {
  bins: KeyBin[];
}

// With its interval, which need not have the value in its middle; both are the same where it is known.
export interface Estimate {
  value: number;
  stderr: number;
  low: number;
  high: number;
}

export interface NumberBin extends Bin {
  low_edge: number;
  high_edge: number;
}

// Of the devices with a number, or with one in the range `where`, which has its low end and not its high one.
// `mean` and `sum` are null where they are too few; so are `frequency` and quantiles where too few devices have
// a number, and then there are no `bins`. `spread`: by so much the mean may be off at most because
// numbers are taken to lie in the middle of their bin. `partial`: so many devices are in the bins in which the
// range ends. `quantiles` go by the share of devices below. `counted`: what the numbers come from.
export interface Distribution extends Answer {
  where: { low: number; high: number } | null;
  count: Estimate;
  frequency: Estimate | null;
  mean: Estimate | null;
  sum: Estimate | null;
  spread: number;
  partial: number;
  quantiles: Record<string, Estimate | null>;
  bins: NumberBin[];
  counted: string;
}

// Whether two attributes are independent: `statistic` is chi-square with so many degrees of freedom if they
// are, and as large or larger with the probability `p_value`.
export interface Independence {
  statistic: number;
  degrees_of_freedom: number;
  p_value: number;
}

// A value of each attribute that was asked by; `sum` and `avg` are null without a measure, an average also of
// too few records.
export interface RecordCell {
  values: string[];
  low_edges: (number | null)[];
  high_edges: (number | null)[];
  count: Estimate;
  sum: Estimate | null;
  avg: Estimate | null;
}

// Of the records that meet the conditions. `partial`: so many are in cells that these cut. `records`: all there
// are. `quantiles`: of the one attribute that was asked by. `independence`: of two, where it was asked for and
// records are enough. `counted`: the view that answers.
export interface Aggregates extends Answer {
  measure: string | null;
  count: Estimate;
  sum: Estimate | null;
  avg: Estimate | null;
  partial: number;
  records: Estimate;
  quantiles: Record<string, Estimate | null>;
  by: string[];
  cells: RecordCell[];
  independence: Independence | null;
  counted: string;
}

// `count`: how often the value has occurred, unbiased.
export interface StreamBin extends Bin {
  count: number;
  count_stderr: number;
  count_low: number;
  count_high: number;
}

// Over `periods`. `missing`: those of them that no released node brings in; `strange`: earlier ones that could not be
// taken off. No `bins` where there are no submissions.
export interface StreamTotal {
  periods: PeriodRun;
  submissions: number;
  missing: PeriodRun[];
  strange: PeriodRun[];
  bins: StreamBin[];
  // Of a stream of numbers, in place of `bins`.
  number?: Pick<Distribution, "mean" | "quantiles">;
}

// Of strings that stand out. `threshold`: so many devices must hold one for it to be found with a probability of
// 90 %. `dictionary`: how many were looked up; null: all that there may be. `complete`: no prefix was left out.
// `moved_by_report`: by so many devices one lying report may move an estimate.
export interface FrequentStrings extends Answer {
  threshold: number;
  least_holders: number;
  false_strings: number;
  tests: number;
  complete: boolean;
  moved_by_report: number;
  dictionary: number | null;
  levels: { candidates: number; needed: number; found: number }[];
  bins: Bin[];
}

// How far a search for strings is: `ahead` of it are so many others, and of the tests of `level` a `share` is done.
export interface Decoding {
  ahead: number;
  level: number;
  levels: number;
  share: number;
}

// What an answer about a stream says of itself. `counted`: what the nodes are; `void_nodes`: those destroyed because
// they held too few submissions.
interface StreamAnswer extends Answer {
  counted: string;
  void_nodes: number[];
}

// Of one range of periods.
export interface StreamTotals extends StreamAnswer, Omit<StreamTotal, "periods"> {}

// A total for every period of the range, from its first one on, or each period by itself. All have the same values.
export interface StreamSeries extends StreamAnswer {
  series: StreamTotal[];
}

export interface Batch {
  batch: string;
  period: number | null;
  time: string | null;
  state: string;
  reports: number;
  messages: number;
  fakes: number;
  rejected: number;
  rejected_by_cause: ByCause;
  duplicates: number;
  users: number;
}

// `batches`: newest first, at most as many as were asked for.
export interface Status {
  task: string;
  name: string;
  state: string;
  held_percent: number;
  needed: number;
  planned: number;
  counted_batches: number;
  quarantined_batches: number;
  expired_batches: number;
  reports: number;
  messages: number;
  fakes: number;
  rejected: number;
  rejected_by_cause: ByCause;
  expired: number;
  batches: Batch[];
}

// What is null is not known of a mechanism that is not feasible, or has none.
export interface Candidate {
  mechanism: string;
  feasible: boolean;
  reason: string;
  central?: boolean;
  parameters: Record<string, number | string | null>;
  mse: number | null;
  messages_per_user: number | null;
  max_messages_per_user: number | null;
  bytes_per_user: number | null;
  local_epsilon: number | null;
  min_batch: number | null;
  mean_mse?: number | null;
}

export interface Plan {
  epsilon: number;
  recommended: string | null;
  sent: number | null;
  candidates: Candidate[];
  warnings: string[];
}

export interface Plans {
  kind: string;
  users: number;
  domain: number;
  delta: number;
  plans: Plan[];
}
