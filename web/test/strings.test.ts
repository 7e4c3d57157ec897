import assert from "node:assert/strict";
import test from "node:test";
import type { FrequentStrings } from "../src/api_types";
import { domainWords } from "../src/task/domain_words";
import {
  decodingPercent,
  decodingWords,
  noneWords,
  stringsWords,
  thresholdWords,
  warningWords,
} from "../src/task/strings_words";

const task = {
  alphabet: "abcé",
  length: 12,
  step: 4,
  levels: 3,
  range: 65536,
  whole: false,
  spelling: "folded",
  least_holders: 100,
};
const body = {
  threshold: 183.4,
  least_holders: 100,
  complete: true,
  moved_by_report: 1,
  dictionary: null,
} as FrequentStrings;

test("a task says what its strings are made of", () => {
  assert.equal(stringsWords(task), "strings of up to 12 characters of an alphabet of 4, found 4 at a time");
  const whole = { ...task, alphabet: null, length: 1, step: null };
  assert.equal(stringsWords(whole), "strings of up to 1 byte, looked up whole");
  assert.equal(domainWords({ domain: 6, numbers: null, strings: task }), stringsWords(task));
});

test("a search says how far it is", () => {
  const decoding = { ahead: 0, level: 2, levels: 4, share: 0.5 };
  assert.equal(decodingWords(decoding), "Searching: level 2 of 4, 50 % done.");
  assert.equal(decodingPercent(decoding), 37.5);
  assert.equal(decodingWords({ ...decoding, ahead: 1 }), "Waiting for 1 search before this one.");
  assert.equal(decodingWords({ ...decoding, level: 1, levels: 1 }), "Searching: 50 % done.");
});

test("the threshold is no promise to those below it", () => {
  assert.match(thresholdWords(body), /^A string that about 184 devices hold is found with/);
  assert.match(thresholdWords(body), /not protected by that but by epsilon\.$/);
  assert.match(thresholdWords({ ...body, least_holders: 500 }), /fewer than 500 are estimated/);
  assert.match(thresholdWords({ ...body, dictionary: 1 }), /is found among 1 string that was looked up with/);
  assert.match(noneWords(body), /^Nothing stands out yet/);
  assert.match(noneWords({ ...body, dictionary: 1 }), /hold it, or none/);
});

test("what is missing and what one device may do is told", () => {
  assert.deepEqual(warningWords(body), []);
  assert.equal(warningWords({ ...body, complete: false, moved_by_report: 4.69 }).length, 2);
  assert.match(warningWords({ ...body, moved_by_report: 4.69 })[0] ?? "", /4\.7 devices/);
});
