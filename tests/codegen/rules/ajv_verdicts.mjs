/**
 * Reads [{schema, values}] and answers with the verdicts of ajv: a list of booleans for each schema, or why there is
 * none. Inherited members are not looked at; formats are other people's business here.
 */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(`${process.cwd()}/`);
const OPTIONS = { strict: false, validateFormats: false, ownProperties: true, logger: false };
const DIALECTS = [
  ["2019-09", require("ajv/dist/2019").default],
  ["draft-07", require("ajv").default],
  ["draft-06", require("ajv").default],
];
const NEWEST = require("ajv/dist/2020").default;

function ajvFor(schema) {
  const named = typeof schema === "object" ? String(schema.$schema ?? "") : "";
  const Ajv = DIALECTS.find(([name]) => named.includes(name))?.[1] ?? NEWEST;
  return new Ajv(OPTIONS);
}

const answers = JSON.parse(readFileSync(0, "utf8")).map(({ schema, values }) => {
  try {
    const fits = ajvFor(schema).compile(schema);
    return values.map((value) => fits(value));
  } catch (error) {
    return String(error);
  }
});
process.stdout.write(JSON.stringify(answers));
