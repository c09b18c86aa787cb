/**
 * What generated validators share: faults, own members in the order of code points, equality, multiples and formats.
 * Values are what JSON.parse gives. Only own members count, whatever an object inherits.
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

export function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}

/** The names of an object's members by code point; JavaScript itself would put numbers first, and compares halves. */
export function names(value: Members): string[] {
  return Object.keys(value).sort(byCodePoint);
}

/** The first name that is not declared. */
export function undeclared(value: Members, declared: readonly string[]): string | undefined {
  let first: string | undefined;
  for (const name of Object.keys(value)) {
    if (!declared.includes(name) && (first === undefined || byCodePoint(name, first) < 0)) first = name;
  }
  return first;
}

/** How many items a condition holds for. */
export function count(items: readonly unknown[], holds: (item: unknown) => boolean): number {
  return items.reduce((sum: number, item) => (holds(item) ? sum + 1 : sum), 0);
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
export function isMultiple(value: number, of: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(of)) return value % of === 0;
  const quotient = value / of;
  return !Number.isFinite(quotient) || Number.isInteger(quotient);
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
