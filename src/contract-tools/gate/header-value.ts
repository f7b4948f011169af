import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Check } from '../schemas.js';

/**
 * Checks a header as one of the values that its text can stand for: the text, a number, a boolean, or a list with
 * commas (OpenAPI, style `simple`). Types can be unions and can stand in `allOf` or behind references, so the schema
 * decides which of them is meant.
 *
 * @returns nothing if one of the values is as documented
 */
export function checkHeader(check: Check, text: string): readonly ErrorObject[] {
  const asText = check(text);
  // A list or a number passes keywords of strings unseen.
  if (asText.every(({ keyword }) => stringKeywords.has(keyword))) return asText;
  const faults = [asText, ...otherValues(text).map(check)];
  if (faults.some((each) => each.length === 0)) return [];
  return faults.find((each) => each.every(({ keyword }) => keyword !== 'type')) ?? asText;
}

const stringKeywords: ReadonlySet<string> = new Set(['pattern', 'format', 'minLength', 'maxLength']);

function otherValues(text: string): unknown[] {
  const items = text === '' ? [] : text.split(/\s*,\s*/);
  const scalar = scalarOf(text);
  return [...(scalar === text ? [] : [scalar]), items, items.map(scalarOf)];
}

function scalarOf(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
}
