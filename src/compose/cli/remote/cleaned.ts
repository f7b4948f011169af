/**
 * Sanitizes replies of a server. All replies pass this module before a command uses them, because a terminal interprets
 * control sequences: they could forge output, change the clipboard, or send keys.
 */
import { printable } from '../text.js';

/** The same value without control characters in its strings and keys, except newlines and tabs. */
export function cleaned<Value>(value: Value): Value {
  // Every string is replaced by a string, so the type remains the same.
  return clean(value) as Value;
}

/** The same for one text. */
export const cleanedText = printable;

function clean(value: unknown): unknown {
  if (typeof value === 'string') return printable(value);
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [printable(key), clean(member)]));
}
