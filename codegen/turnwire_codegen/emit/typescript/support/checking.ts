/**
 * What generated validators share: faults, own members in the order of code points, equality, multiples and formats.
 * Values are what JSON.parse gives, or parseJson, which gives bigints for whole numbers that no double holds.
 * Only own members count, whatever an object inherits.
 */

/** Where a value first breaks its schema (a JSON pointer, empty at the value itself), and which rule it breaks. */
export type Fault = { readonly pointer: string; readonly rule: string };

/** The first fault of a value; undefined when it is valid. */
export type Validator = (value: unknown) => Fault | undefined;

type Members = { readonly [name: string]: unknown };

export function fault(pointer: string, rule: string): Fault {
  return { pointer, rule };
}

/** The same fault seen from above `steps`, which are written as a pointer. */
export function under(steps: string, inner: Fault): Fault {
  return { pointer: steps + inner.pointer, rule: inner.rule };
}

/** A member's name as one step of a JSON pointer. */
export function step(name: string): string {
  return `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

export function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

export function isInteger(value: unknown): value is number | bigint {
  return Number.isInteger(value) || typeof value === "bigint";
}

/** What a table says of a value: a validator, its kinds, its only values, its alternatives, its items or its members. */
export type Check =
  | Validator
  | Kind
  | readonly Kind[]
  | { readonly only: readonly unknown[] }
  | { readonly text: readonly string[] }
  | { readonly any: readonly Check[] }
  | { readonly list: Check }
  | { readonly dict: Check };

type Kind = "array" | "boolean" | "integer" | "null" | "number" | "object" | "string";

/** The members of an object in the order in which faults are looked for. */
export type Table = readonly (readonly [name: string, check: Check])[];

/** The arms of a tagged choice by their tags. */
export type Arms = { readonly [tag: string]: Validator };

/** An object with these members, some of them required. */
export function record(value: unknown, needed: readonly string[], table: Table): Fault | undefined {
  return isObject(value) ? (required(value, needed) ?? members(value, table)) : fault("", "type");
}

/** Members that an object must have. */
export function required(value: unknown, needed: readonly string[]): Fault | undefined {
  return isObject(value) && needed.some((name) => !Object.hasOwn(value, name)) ? fault("", "required") : undefined;
}

/** Those members of an object that are there. */
export function members(value: unknown, table: Table): Fault | undefined {
  if (!isObject(value)) return undefined;
  for (const [name, check] of table) {
    if (!Object.hasOwn(value, name)) continue;
    const inner = inspect(value[name], check);
    if (inner !== undefined) return under(step(name), inner);
  }
  return undefined;
}

/** An array of such items. */
export function list(value: unknown, check: Check): Fault | undefined {
  if (!isArray(value)) return fault("", "type");
  for (let at = 0; at < value.length; at += 1) {
    const inner = inspect(value[at], check);
    if (inner !== undefined) return under(`/${at}`, inner);
  }
  return undefined;
}

/** An object whose names are data, with such values. */
export function map(value: unknown, check: Check): Fault | undefined {
  if (!isObject(value)) return fault("", "type");
  for (const name of names(value)) {
    const inner = inspect(value[name], check);
    if (inner !== undefined) return under(step(name), inner);
  }
  return undefined;
}

/** An object with no other members; the first other one is told. */
export function closed(value: unknown, declared: readonly string[]): Fault | undefined {
  if (!isObject(value)) return undefined;
  let first: string | undefined;
  for (const name of Object.keys(value)) {
    if (!declared.includes(name) && (first === undefined || byCodePoint(name, first) < 0)) first = name;
  }
  return first === undefined ? undefined : fault(step(first), "members");
}

/** An object that follows the arm of its tag, or `others` when no arm has it. */
export function tagged(value: unknown, tag: string, arms: Arms, others?: Validator): Fault | undefined {
  if (!isObject(value) || !Object.hasOwn(value, tag)) return fault("", "tag");
  const found = value[tag];
  if (typeof found !== "string") return fault(step(tag), "tag");
  const arm = Object.hasOwn(arms, found) ? arms[found] : others;
  return arm === undefined ? fault(step(tag), "tag") : arm(value);
}

/** The first fault of a value by what a table says. */
export function inspect(value: unknown, check: Check): Fault | undefined {
  if (typeof check === "function") return check(value);
  if (typeof check === "string") return isKind(check, value) ? undefined : fault("", "type");
  if ("only" in check) return isOneOf(value, check.only) ? undefined : fault("", "const");
  if ("text" in check) {
    if (typeof value !== "string") return fault("", "type");
    return check.text.includes(value) ? undefined : fault("", "const");
  }
  if ("any" in check) return check.any.some((one) => is(value, one)) ? undefined : fault("", "choice");
  if ("list" in check) return list(value, check.list);
  if ("dict" in check) return map(value, check.dict);
  return check.some((kind) => isKind(kind, value)) ? undefined : fault("", "type");
}

/** Whether a value is what a table says. */
export function is(value: unknown, check: Check): boolean {
  return inspect(value, check) === undefined;
}

/** The names of an object's members by code point; JavaScript itself would put numbers first, and compares halves. */
export function names(value: Members): string[] {
  return Object.keys(value).sort(byCodePoint);
}

/** Whether a condition holds for so many items. */
export function counts(items: readonly unknown[], holds: (item: unknown) => boolean, least: number, most?: number): boolean {
  const found = items.filter(holds).length;
  return least <= found && (most === undefined || found <= most);
}

/** The length of a text in code points. */
export function codePoints(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** Whether a value equals one of these. */
export function isOneOf(value: unknown, allowed: readonly unknown[]): boolean {
  return allowed.some((other) => same(value, other));
}

/** Whether no two items are equal. */
export function areUnique(items: readonly unknown[]): boolean {
  const texts = items.filter((item) => typeof item === "string");
  const others = items.filter((item) => typeof item !== "string");
  if (new Set(texts).size < texts.length) return false;
  return !others.some((item, at) => others.slice(0, at).some((other) => same(item, other)));
}

/** Whether a number is a multiple: whole numbers exactly, all else by the quotient. */
export function isMultiple(value: number | bigint, of: number | bigint): boolean {
  if (typeof value === "number" && typeof of === "number") {
    if (Number.isInteger(value) && Number.isInteger(of)) return value % of === 0;
  } else if (isInteger(value) && isInteger(of)) {
    return BigInt(value) % BigInt(of) === 0n;
  }
  const number = Number(value);
  const quotient = number / Number(of);
  // Beyond the largest double there are whole numbers only; before it the rest of a division is exact.
  return Number.isFinite(quotient) ? Number.isInteger(quotient) : !Number.isFinite(number) || number % Number(of) === 0;
}

export function isDate(text: string): boolean {
  const match = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/u.exec(text);
  if (match === null) return false;
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

export function isTime(text: string): boolean {
  const expression = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))$/u;
  const match = expression.exec(text);
  if (match === null) return false;
  const part = (at: number): number => Number(match[at] ?? 0);
  if (part(1) > 23 || part(2) > 59 || part(3) > 60 || part(5) > 23 || part(6) > 59) return false;
  // A leap second is the last of a day, in universal time.
  const away = (part(5) * 60 + part(6)) * (match[4] === "-" ? -1 : 1);
  return part(3) < 60 || (part(1) * 60 + part(2) - away + 2880) % 1440 === 1439;
}

export function isDateTime(text: string): boolean {
  return /^[Tt]$/u.test(text.slice(10, 11)) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

export function isIpv4(text: string): boolean {
  return /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!$)|$)){4}$/u.test(text);
}

export function isUuid(text: string): boolean {
  return /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/u.test(text);
}

function isKind(kind: Kind, value: unknown): boolean {
  switch (kind) {
    case "array":
      return isArray(value);
    case "integer":
      return isInteger(value);
    case "null":
      return value === null;
    case "number":
      return isNumber(value);
    case "object":
      return isObject(value);
    default:
      return typeof value === kind;
  }
}

function same(left: unknown, right: unknown): boolean {
  if (isArray(left) && isArray(right)) {
    return left.length === right.length && left.every((item, at) => same(item, right[at]));
  }
  if (isObject(left) && isObject(right)) {
    const keys = Object.keys(left);
    return (
      keys.length === Object.keys(right).length &&
      keys.every((key) => Object.hasOwn(right, key) && same(left[key], right[key]))
    );
  }
  // A number and a bigint of the same value are equal by this comparison only.
  if (typeof left === "bigint" || typeof right === "bigint") return isNumber(left) && isNumber(right) && left == right;
  return left === right;
}

function byCodePoint(left: string, right: string): number {
  const a = [...left];
  const b = [...right];
  for (let at = 0; at < a.length && at < b.length; at += 1) {
    const difference = (a[at]?.codePointAt(0) ?? 0) - (b[at]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
