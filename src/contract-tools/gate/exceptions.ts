import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { record } from '../documents.js';
import type { Unit } from './observations.js';

/** Something documented that the tests need not see, and why. */
export interface Exception {
  readonly surface: string;
  readonly unit: Unit;
  readonly reason: string;
}

/** How a unit is written in a line of text. */
export const separator = ' > ';

/**
 * Reads the exceptions: a list of `{unit, reason}`, where `unit` is the surface and the unit as the gate prints them.
 *
 * @throws Error naming the entry that is not of this form, or is repeated
 */
export async function readExceptions(path: string): Promise<Exception[]> {
  const entries: unknown = parse(await readFile(path, 'utf8'));
  if (!Array.isArray(entries)) throw new Error(`${path} is not a list`);
  const given = new Set<string>();
  return entries.map((entry: unknown, index) => {
    const where = `${path}, entry ${index + 1}`;
    const { unit: text, reason, ...rest } = record(entry);
    if (typeof text !== 'string' || typeof reason !== 'string' || Object.keys(rest).length > 0) {
      throw new Error(`${where}: it must have a unit and a reason, and nothing else`);
    }
    if (reason.trim() === '') throw new Error(`${where}: the reason is empty`);
    if (given.has(text)) throw new Error(`${where}: ${text} is repeated`);
    given.add(text);
    const [surface = '', ...unit] = text.split(separator);
    return { surface, unit, reason };
  });
}
