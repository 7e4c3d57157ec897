// What a task asks for, in a few words: "12 values", "numbers from 0 to 100 in 1,024 bins".
import type { Task } from "../api_types";
import { rangeWords } from "../edges";
import { counted } from "../format";
import { stringsWords } from "./strings_words";

export function domainWords({
  domain,
  numbers,
  records = null,
  strings = null,
}: Pick<Task, "domain" | "numbers"> & Partial<Pick<Task, "records" | "strings">>): string {
  if (strings !== null) return stringsWords(strings);
  if (records !== null) return `up to ${counted(records.max_records, "record", "records")}`;
  if (numbers === null) return counted(domain, "value", "values");
  const { low, high, bins, dithered } = numbers;
  const range = `numbers from ${rangeWords(low, high)}`;
  return dithered ? `mean of ${range}` : `${range} in ${counted(bins, "bin", "bins")}`;
}
