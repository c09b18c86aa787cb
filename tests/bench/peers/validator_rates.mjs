/**
 * `validator_rates.mjs ROUNDS`, with {ours, theirs: paths of modules, name: our export, values} on stdin: what each
 * validator says of every value, and how many values a second each judges, a pair a round.
 */

import { readFileSync } from "node:fs";

const { ours, theirs, name, values } = JSON.parse(readFileSync(0, "utf8"));
const fault = (await import(ours))[name];
const fits = (await import(theirs)).default;
const validators = [(value) => fault(value) === undefined, (value) => fits(value)];
const REPEATS = 40;

function rate(judge) {
  const began = process.hrtime.bigint();
  for (let at = 0; at < REPEATS; at += 1) for (const value of values) judge(value);
  return (REPEATS * values.length * 1e9) / Number(process.hrtime.bigint() - began);
}

const verdicts = validators.map((judge) => values.map(judge));
const rounds = Array.from({ length: Number(process.argv[2]) }, () => validators.map(rate));
process.stdout.write(JSON.stringify({ verdicts, rounds }));
