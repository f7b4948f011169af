/** Prints replies: as JSON, or readable. */
import { oneLine, safeLines } from '../one-line.js';
import { tableText } from '../query-formats.js';
import { isObject, type Json, type JsonObject } from '../query-rows.js';

/** Prints the data of a reply. Readable, it is without the tokens that the SDK has stored. */
export function printReply(data: Json | undefined, json: boolean): void {
  if (data === undefined) {
    if (!json) console.log('Done.');
  } else if (json) console.log(JSON.stringify(data));
  else process.stdout.write(readable(data));
}

/** Text for people: a table for a list, otherwise a line per member. */
export function readable(data: Json): string {
  if (Array.isArray(data)) return tableOf('items', data as readonly Json[]);
  if (!isObject(data)) return `${typeof data === 'string' ? safeLines(data.trimEnd()) : JSON.stringify(data)}\n`;
  const { items = null, next_cursor: cursor = null, ...others } = data;
  if (Array.isArray(items)) {
    const more = cursor === null ? '' : 'There is more: --all prints all of it.\n';
    return `${tableOf('items', items as readonly Json[])}${isEmpty(others) ? '' : members(others)}${more}`;
  }
  return members(data);
}

/** One item per line: for lists of any length. */
export function printItems(items: readonly Json[], json: boolean): void {
  if (json) for (const item of items) console.log(JSON.stringify(item));
  else process.stdout.write(tableOf('items', items));
}

function tableOf(name: string, items: readonly Json[]): string {
  return tableText({ name, rows: items.map((each) => (isObject(each) ? each : { value: each })) });
}

const HIDDEN = ['access_token', 'refresh_token'];

function members(data: JsonObject): string {
  const lines = linesOf(data, '');
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`.trimEnd()).join('\n') + '\n';
}

function linesOf(data: JsonObject, prefix: string): (readonly [string, string])[] {
  return Object.entries(data).flatMap(([name, value]): (readonly [string, string])[] => {
    if (HIDDEN.includes(name)) return [];
    if (isObject(value) && !isEmpty(value)) return linesOf(value, `${prefix}${name}.`);
    return [[`${prefix}${name}`, shown(value)]];
  });
}

function shown(value: Json): string {
  if (value === null) return '-';
  if (typeof value === 'string') return oneLine(value);
  const isList = Array.isArray(value) && value.every((each: Json) => typeof each === 'string');
  return isList ? oneLine(value.join(', ')) : oneLine(JSON.stringify(value));
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}
