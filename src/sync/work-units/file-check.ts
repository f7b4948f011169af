/** Reading files that people write (rules, teams): everything that is wrong with one is reported at once. */
import { readFile } from 'node:fs/promises';
import { parseDocument } from 'yaml';

/** The message names the file and every problem in it, a line each. */
export class FileError extends Error {
  readonly problems: readonly string[];

  constructor(summary: string, problems: readonly string[]) {
    super(`${summary}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
    // Worded for the person who can mend the file: the command line prints it without a stack.
    this.name = 'Error';
  }
}

/**
 * Reads a file's text.
 *
 * @param kind what messages call it, for example `rules file`
 */
export async function readTextFile(file: string | URL, kind: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FileError(`The ${kind} ${String(file)} cannot be read`, [reason]);
  }
}

/** The value that a YAML text stands for. */
export function parseYaml(text: string, name: string): unknown {
  const document = parseDocument(text);
  if (document.errors.length === 0) return document.toJS();
  throw new FileError(
    `${name} is not YAML`,
    document.errors.map((error) => error.message.split('\n')[0] ?? error.message),
  );
}

/** Control characters, and those that change the direction of text: a name could pass for another one. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Checks values and collects what is wrong; what cannot be read is replaced, so that the check goes on. */
export class FileCheck {
  readonly problems: string[] = [];

  /** @throws FileError if there was any problem */
  finish(summary: string): void {
    if (this.problems.length > 0) throw new FileError(summary, this.problems);
  }

  problem(place: string, text: string): void {
    this.problems.push(`${place}: ${text}`);
  }

  /** A mapping; with `names`, one that has no others. */
  mapping(value: unknown, place: string, names?: readonly string[]): Readonly<Record<string, unknown>> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.problem(place, 'must be a mapping');
      return {};
    }
    for (const name of Object.keys(value)) {
      if (names !== undefined && !names.includes(name))
        this.problem(place, `does not know ${JSON.stringify(name)}; it knows ${names.join(', ')}`);
    }
    return value as Readonly<Record<string, unknown>>;
  }

  list(value: unknown, place: string): readonly unknown[] {
    if (Array.isArray(value)) return value;
    this.problem(place, 'must be a list');
    return [];
  }

  text(value: unknown, place: string): string {
    if (typeof value !== 'string' || value.trim() === '') {
      this.problem(place, 'must be a text that is not empty');
      return '';
    }
    const text = value.trim();
    if (!text.isWellFormed()) this.problem(place, 'must be well-formed Unicode, without lone surrogates');
    else if (UNPRINTABLE.test(text))
      this.problem(place, 'must have no line breaks, no other control characters and no text direction controls');
    return text;
  }

  texts(value: unknown, place: string): string[] {
    return this.list(value, place).map((item, index) => this.text(item, `${place}[${index}]`));
  }

  number(value: unknown, place: string, least: number): number {
    if (typeof value === 'number' && Number.isFinite(value) && value >= least) return value;
    this.problem(place, `must be a number, at least ${least}`);
    return least;
  }

  oneOf<Value extends string>(text: string, values: readonly Value[], place: string): Value | undefined {
    const found = values.find((value) => value === text);
    if (found === undefined) this.problem(place, `${JSON.stringify(text)} is none of ${values.join(', ')}`);
    return found;
  }
}
