/** Reads what a command is given in a file or on standard input. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { UsageError } from './usage-error.js';

/**
 * The text of a file; `-` is standard input.
 *
 * @param name how messages name the flag or argument
 * @throws UsageError when it cannot be read
 */
export async function readInput(file: string, name: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new UsageError(`${name} cannot be read (${error.message})`);
  }
}

/** @throws UsageError for text that is not JSON */
export function parseJson(content: string, name: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    throw new UsageError(`${name} is not JSON`);
  }
}
