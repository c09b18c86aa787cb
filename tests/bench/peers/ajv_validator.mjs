/** `ajv_validator.mjs SCHEMA OUT`: the standalone validator that ajv makes of a schema, which checks own members only. */

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(`${process.cwd()}/`);
const Ajv = require("ajv");
const standalone = require("ajv/dist/standalone");
const [schema, out] = process.argv.slice(2);
const options = { code: { source: true, esm: true }, strict: false, validateFormats: false, ownProperties: true };
const ajv = new Ajv(options);
writeFileSync(out, standalone(ajv, ajv.compile(JSON.parse(readFileSync(schema, "utf8")))));
