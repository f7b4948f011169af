/** Reads user-written files (rules, teams); reports all problems of a file together. */
import { fileURLToPath } from 'node:url';
import { isMap, isNode, isScalar, isSeq, visit, type Node, type YAMLMap } from 'yaml';
import { boundedYaml, YamlLimitError, type BoundedYaml } from '@plumbline/contract/system/bounded-yaml';
import { readRegularFile, UnreadableFileError } from '@plumbline/contract/system/regular-file';
import { atOnce, type Steps } from '@plumbline/contract/system/slices';

/** A file of a megabyte can have a hundred thousand problems. Problems beyond this number are not collected. */
export const MOST_PROBLEMS = 1000;

/** The limit of the API. Rules and teams of a large organization have a few hundred kilobytes. */
const LARGEST_FILE = 1024 * 1024;

/** One problem of a file. */
export interface FileProblem {
  /** Counted from 1; null if it concerns the whole file, or the line is unknown. */
  readonly line: number | null;
  /** The invalid value: `teams[0].id`. null: the text could not be parsed. */
  readonly place: string | null;
  readonly text: string;
}

/** The message names the file and every problem in it, one per line. */
export class FileError extends Error {
  readonly problems: readonly FileProblem[];

  constructor(summary: string, problems: readonly FileProblem[]) {
    const lines = problems.map(({ place, text }) => `  ${place === null ? '' : `${place}: `}${text}`);
    super(`${summary}:\n${lines.join('\n')}`);
    this.problems = problems;
    // The message is for the person who can correct the file: the command line prints it without a stack.
    this.name = 'Error';
  }
}

/**
 * Reads a file's text.
 *
 * @param kind the kind of file in messages, for example `rules file`
 */
export async function readTextFile(file: string | URL, kind: string): Promise<string> {
  try {
    const path = typeof file === 'string' ? file : fileURLToPath(file);
    return (await readRegularFile(path, LARGEST_FILE)).toString('utf8');
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    const problem = { line: null, place: null, text: `it ${error.reason}` };
    throw new FileError(`The ${kind} ${String(file)} cannot be read`, [problem]);
  }
}

/** A parsed YAML text. */
export interface ParsedYaml {
  readonly value: unknown;
  /**
   * The line of a value, identified as in `FileProblem.place`; for a missing value, the line of its nearest ancestor.
   */
  lineOf(place: string): number | null;
}

/**
 * Parses a YAML text.
 *
 * @param name its name in messages
 * @throws FileError if it is not YAML, is too large or too deep, or its aliases expand to too many values
 */
export function parseYaml(text: string, name: string): ParsedYaml {
  return atOnce(yamlSteps(text, name));
}

/** The same in small steps. */
export function* yamlSteps(text: string, name: string): Steps<ParsedYaml> {
  const fail = (problems: readonly FileProblem[]): never => {
    throw new FileError(`${name} is not YAML`, problems);
  };
  let parsed: BoundedYaml;
  try {
    parsed = yield* boundedYaml(text);
  } catch (error) {
    if (!(error instanceof YamlLimitError)) throw error;
    throw new FileError(`${name} cannot be read`, [{ line: error.line, place: null, text: error.message }]);
  }
  const { document, lines, faults } = parsed;
  if (faults.length > 0) {
    fail(
      faults.slice(0, MOST_PROBLEMS).map(({ line, column, message }) => {
        return { line, place: null, text: `${message} at line ${line}, column ${column}` };
      }),
    );
  }
  let value: unknown;
  let repeated: readonly Node[];
  try {
    repeated = repeatedKeys(document.contents);
    yield;
    value = document.toJS();
  } catch (error) {
    // An alias without an anchor, or aliases that expand to millions of values.
    return fail([{ line: null, place: null, text: error instanceof Error ? error.message : String(error) }]);
  }
  if (repeated.length > 0) {
    fail(
      repeated.slice(0, MOST_PROBLEMS).map(({ range }) => {
        return { line: lines.linePos(range?.[0] ?? 0).line, place: null, text: 'Map keys must be unique' };
      }),
    );
  }
  const childOf = childFinder();
  yield;
  return {
    value,
    lineOf: (place) => {
      let node: unknown = document.contents;
      let line: number | null = null;
      for (const [step] of place.matchAll(/[^.[\]]+/g)) {
        node = childOf(node, /^\d+$/.test(step) ? Number(step) : step);
        if (!isNode(node)) break;
        if (node.range !== null && node.range !== undefined) line = lines.linePos(node.range[0]).line;
      }
      return line;
    },
  };
}

/** The keys that a mapping contains twice. The files are untrusted, so this takes linear time. */
function repeatedKeys(contents: Node | null): readonly Node[] {
  const repeated: Node[] = [];
  visit(contents, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) repeated.push(key);
        seen.add(key.value);
      }
    },
  });
  return repeated;
}

/**
 * Finds values of mappings and lists. A mapping is indexed at its first use, so that many look-ups take linear time in
 * total.
 */
function childFinder(): (node: unknown, step: string | number) => unknown {
  const indexes = new Map<YAMLMap, ReadonlyMap<unknown, unknown>>();
  const indexOf = (map: YAMLMap): ReadonlyMap<unknown, unknown> => {
    const index = new Map(map.items.map(({ key, value }) => [isScalar(key) ? key.value : key, value]));
    indexes.set(map, index);
    return index;
  };
  return (node, step) => {
    if (isMap(node)) return (indexes.get(node) ?? indexOf(node)).get(step);
    return isSeq(node) && typeof step === 'number' ? node.items[step] : undefined;
  };
}

/** Control characters, and those that change the text direction, which could make a name look like another one. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/**
 * Invisible characters, which could make two names look alike. Joiners and variation selectors are allowed, because
 * some scripts and emoji need them. As `Name` in `openapi/shared/schemas.yaml`.
 */
const HIDDEN = /(?![\u200c\u200d]|\p{Variation_Selector})[\p{Default_Ignorable_Code_Point}\u2800]/u;

/** A name of only these characters is invisible. U+2800 is the empty Braille pattern. */
const INVISIBLE = /[\s\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Checks values and collects problems. Replaces an invalid value, so that the check can continue. */
export class FileCheck {
  readonly problems: FileProblem[] = [];
  readonly #lineOf: ParsedYaml['lineOf'];

  /** @param lineOf finds the line of a place */
  constructor(lineOf: ParsedYaml['lineOf'] = () => null) {
    this.#lineOf = lineOf;
  }

  /** @throws FileError if there was any problem */
  finish(summary: string): void {
    if (this.problems.length > 0) throw new FileError(summary, this.problems);
  }

  /** @param at the place whose line is reported */
  problem(place: string, text: string, at = place): void {
    if (this.problems.length < MOST_PROBLEMS) this.problems.push({ line: this.#lineOf(at), place, text });
  }

  /** A mapping; with `names`, one without other keys. The place of the root is a blank. */
  mapping(value: unknown, place: string, names?: readonly string[]): Readonly<Record<string, unknown>> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.problem(place, 'must be a mapping');
      return {};
    }
    for (const name of Object.keys(value)) {
      if (names !== undefined && !names.includes(name))
        this.problem(
          place,
          `does not know ${JSON.stringify(name)}; it knows ${names.join(', ')}`,
          place.includes(' ') ? name : `${place}.${name}`,
        );
    }
    return value as Readonly<Record<string, unknown>>;
  }

  list(value: unknown, place: string): readonly unknown[] {
    if (Array.isArray(value)) return value;
    this.problem(place, 'must be a list');
    return [];
  }

  text(value: unknown, place: string): string {
    if (typeof value !== 'string' || value.replaceAll(INVISIBLE, '') === '') {
      this.problem(place, 'must be a text that is not empty');
      return '';
    }
    const text = value.trim();
    if (!text.isWellFormed()) this.problem(place, 'must be well-formed Unicode, without lone surrogates');
    else if (UNPRINTABLE.test(text))
      this.problem(place, 'must have no line breaks, no other control characters and no text direction controls');
    else if (HIDDEN.test(text)) this.problem(place, 'must have no invisible characters');
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
