/**
 * Values through the bindings of TypeScript: `node roundtrip.mjs FOLDER`, where generated modules stand compiled, beside
 * `checks.json`, which has the name of the validator of each type.
 *
 * A line {"type": NAME, "value": JSON} in; a line out, {"value": JSON} in canonical form, or {"pointer": …, "rule": …}.
 * A line that is no JSON has the rule "syntax".
 * At run time there are no types: what is valid goes through the reader and the writer, and keeps what nobody declared.
 * With `rate ROUNDS` there is one line out: how many values a second come and go as text, by us and by JSON itself.
 */

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, mode, rounds] = process.argv.slice(2);
const { parseJson, stringifyJson } = await import(pathToFileURL(`${folder}/json.js`));
const validators = await import(pathToFileURL(`${folder}/validators.js`));
const checks = JSON.parse(readFileSync(`${folder}/checks.json`, "utf8"));
const lines = readFileSync(0, "utf8").split("\n").slice(0, -1);

function answer(line) {
  let given;
  try {
    given = parseJson(line);
  } catch {
    return { pointer: "", rule: "syntax" };
  }
  const { type, value } = given;
  if (!Object.hasOwn(checks, type)) return { pointer: "", rule: "no definition of this name" };
  const fault = validators[checks[type]](value);
  return fault === undefined ? { value: parseJson(stringifyJson(value)) } : fault;
}

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return stringifyJson(value);
  // Sorted as RFC 8785 has it: by UTF-16 units.
  const members = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(",")}}`;
}

function rates() {
  const given = lines.map((line) => {
    const { type, value } = parseJson(line);
    return [validators[checks[type]], stringifyJson(value)];
  });
  const ways = {
    ours: () => {
      for (const [check, text] of given) {
        const value = parseJson(text);
        if (check(value) !== undefined) throw new Error(`refused: ${text}`);
        stringifyJson(value);
      }
    },
    untyped: () => {
      for (const [, text] of given) JSON.stringify(JSON.parse(text));
    },
  };
  const told = {};
  const seconds = Array.from({ length: Number(rounds) }, () => Object.values(ways).map(timed));
  Object.keys(ways).forEach((name, at) => {
    // The fastest tenth was compiled and left alone.
    const sorted = seconds.map((row) => row[at]).sort((one, other) => one - other);
    told[name] = Math.round(given.length / sorted[Math.floor(sorted.length / 10)]);
  });
  return told;
}

function timed(way) {
  const began = process.hrtime.bigint();
  way();
  return Number(process.hrtime.bigint() - began) / 1e9;
}

if (mode === "rate") process.stdout.write(`${JSON.stringify(rates())}\n`);
else process.stdout.write(lines.map((line) => `${canonical(answer(line))}\n`).join(""));
