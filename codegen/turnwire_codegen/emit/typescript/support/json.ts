/**
 * JSON without loss of digits: a whole number that no double holds exactly is a bigint, every other one a number.
 */

/**
 * What JSON.parse gives, but for whole numbers beyond 2^53: those are bigints.
 *
 * @throws SyntaxError the text is not JSON, or holds what no other language reads: a number of more than 4,300
 *   characters, one beyond every double, half of a surrogate pair.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // What was decoded from UTF-8 has no halves but those that are escaped.
  if (ESCAPED.test(text) && hasHalf(value)) throw new SyntaxError("half of a surrogate pair");
  return LONG.test(text) ? exactly(text) : value;
}

/** What JSON.stringify gives, with bigints as whole numbers; it throws as that does, but for them. */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return marked(value);
  }
}

// Half of a surrogate pair, and the escape of what may be one.
const HALF = /\p{Surrogate}/u;
const ESCAPED = /\\u[dD][89a-fA-F]/;
// So many digits can be too many, and so can an exponent; within a text they mostly stand behind something else.
const LONG = /(?:^|[\s:,[-])(?:[0-9]{16}|[0-9.]+[eE]\+?[0-9])/;
// Reading a whole number takes more than its share of time when it is long; this is as far as Python goes too.
const LONGEST = 4300;
const NUMBER = /-?[0-9.eE+-]+/y;
const WHOLE = /^-?[0-9]+$/;
const LENGTHS: { readonly [first: string]: readonly [value: boolean | null, length: number] } = {
  t: [true, 4],
  f: [false, 5],
  n: [null, 4],
};

/** An array or an object that is being read; `name` is that of the member whose value comes next. */
type Open = { readonly made: unknown[] | { [name: string]: unknown }; name: string | undefined };

/** Whether a text or a name somewhere in a value has half of a surrogate pair. */
function hasHalf(value: unknown): boolean {
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === "string" && HALF.test(next)) return true;
    if (typeof next !== "object" || next === null) continue;
    for (const [name, member] of Object.entries(next)) pending.push(name, member);
  }
  return false;
}

/** Reads a text that is known to be JSON, so that what stands between values need not be looked at. */
function exactly(text: string): unknown {
  const outermost: unknown[] = [];
  const open: Open[] = [{ made: outermost, name: undefined }];
  for (let at = 0; at < text.length; ) {
    const char = text.charAt(at);
    const into = open[open.length - 1] ?? { made: outermost, name: undefined };
    if (char === "{" || char === "[") {
      const made = char === "{" ? {} : [];
      put(into, made);
      open.push({ made, name: undefined });
      at += 1;
    } else if (char === "}" || char === "]") {
      open.pop();
      at += 1;
    } else if (char === '"') {
      const end = endOfString(text, at);
      const read = stringAt(text, at, end);
      if (Array.isArray(into.made) || into.name !== undefined) put(into, read);
      else into.name = read;
      at = end;
    } else if (char === "-" || (char >= "0" && char <= "9")) {
      NUMBER.lastIndex = at;
      const digits = NUMBER.exec(text)?.[0] ?? char;
      put(into, numberOf(digits));
      at += digits.length;
    } else {
      const [value, length] = LENGTHS[char] ?? [undefined, 1];
      if (value !== undefined) put(into, value);
      at += length;
    }
  }
  return outermost[0];
}

function put(into: Open, value: unknown): void {
  if (Array.isArray(into.made)) {
    into.made.push(value);
    return;
  }
  // Assigned by this name, a value would become the prototype.
  if (into.name === "__proto__") {
    Object.defineProperty(into.made, into.name, { value, configurable: true, enumerable: true, writable: true });
  } else {
    into.made[into.name ?? ""] = value;
  }
  into.name = undefined;
}

function numberOf(digits: string): number | bigint {
  if (digits.length > LONGEST) throw new SyntaxError(`a number of ${digits.length} characters`);
  const number = Number(digits);
  if (!Number.isFinite(number) && !WHOLE.test(digits)) throw new SyntaxError(`no double holds ${digits}`);
  return Number.isSafeInteger(number) || !WHOLE.test(digits) ? number : BigInt(digits);
}

/** The index behind the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  for (;;) {
    let before = end;
    while (text[before - 1] === "\\") before -= 1;
    if ((end - before) % 2 === 0) return end + 1;
    end = text.indexOf('"', end + 1);
  }
}

function stringAt(text: string, start: number, end: number): string {
  const inside = text.slice(start + 1, end - 1);
  return inside.includes("\\") ? (JSON.parse(text.slice(start, end)) as string) : inside;
}

/** Writes bigints as marked strings and takes the marks away; a mark that other strings have too is made longer. */
function marked(value: unknown): string {
  for (let mark = "bigint:"; ; mark = `:${mark}`) {
    let count = 0;
    const text = JSON.stringify(value, (_, inner: unknown) => {
      if (typeof inner !== "bigint") return inner;
      count += 1;
      return `${mark}${inner}`;
    });
    const found = new RegExp(`"${mark}(-?[0-9]+)"`, "g");
    if (text.match(found)?.length === count) return text.replace(found, "$1");
  }
}
