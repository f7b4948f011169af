/** What comparing two tools over many compose files gives, and how it is printed. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isObject } from './comparison.js';

const OUTCOMES = ['equal', 'both refuse', 'only Plumbline accepts', 'only the reference accepts', 'different'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** What a tool makes of a file, or why it refuses it. */
export type Answer = { readonly printed: unknown } | { readonly refused: string };

export interface Result {
  readonly file: string;
  readonly outcome: Outcome;
  /** The places or messages that tell one kind of difference from another. */
  readonly kinds: readonly string[];
}

const IS_COMPOSE_FILE = /^(?:services|include)\s*:/mu;

/** The YAML files below a folder that have services or include others. */
export function composeFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ya?ml$/u.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => IS_COMPOSE_FILE.test(readFileSync(file, 'utf8')))
    .sort();
}

const VARIABLE = /\$\{?([A-Za-z_]\w*)(?=\}|:?\?|[^\w:+-])/gu;

/** Values for the variables without a default, so that the files that need them load. */
export function environmentFor(file: string): Record<string, string> {
  const names = Array.from(readFileSync(file, 'utf8').matchAll(VARIABLE), ([, name = '']) => name);
  return { ...Object.fromEntries(names.map((name) => [name, valueFor(name)])), HOME: '/home/someone' };
}

/** A path, a port number or a word, as the name of the variable suggests. */
function valueFor(name: string): string {
  if (/PWD|PATH|DIR|ROOT|FOLDER|DATA|VOLUME|LOCATION/iu.test(name)) return './data';
  if (/NAME|HOST|DOMAIN|IMAGE|USER|NETWORK|VERSION|TAG/iu.test(name)) return 'value';
  return '8080';
}

export function resultOf(file: string, theirs: Answer, ours: Answer): Result {
  if ('refused' in theirs) {
    if ('refused' in ours) return { file, outcome: 'both refuse', kinds: [ours.refused] };
    return { file, outcome: 'only Plumbline accepts', kinds: [theirs.refused] };
  }
  if ('refused' in ours) return { file, outcome: 'only the reference accepts', kinds: [ours.refused] };
  const kinds = [...new Set(differences(theirs.printed, ours.printed, ''))];
  return { file, outcome: kinds.length === 0 ? 'equal' : 'different', kinds };
}

/** The places where two printed projects differ, without the names of services and of positions in lists. */
function differences(theirs: unknown, ours: unknown, place: string): string[] {
  if (isDeepStrictEqual(theirs, ours)) return [];
  if (isObject(theirs) && isObject(ours)) {
    const keys = new Set([...Object.keys(theirs), ...Object.keys(ours)]);
    return [...keys].flatMap((key) => differences(theirs[key], ours[key], inner(place, key)));
  }
  if (Array.isArray(theirs) && Array.isArray(ours) && theirs.length === ours.length)
    return theirs.flatMap((item, index) => differences(item, ours[index], `${place}[]`));
  return [`${place}: ${kindOf(theirs)} there, ${kindOf(ours)} here`];
}

function inner(place: string, key: string): string {
  const isName = ['services', 'networks', 'volumes', 'secrets', 'configs', 'models'].includes(place);
  return [...(place === '' ? [] : [place]), isName ? '*' : key].join('.');
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === '') return 'empty string';
  return Array.isArray(value) ? `list of ${String(value.length)}` : typeof value;
}

export function printResults(results: readonly Result[]): void {
  console.log(`${String(results.length)} files`);
  for (const outcome of OUTCOMES) {
    const group = results.filter((result) => result.outcome === outcome);
    console.log(`${String(group.length)} ${outcome}`);
    for (const [kind, files] of filesByKind(group))
      console.log(`  ${String(files.length)} ${kind} (${files[0] ?? ''})`);
  }
}

function filesByKind(results: readonly Result[]): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const { file, kinds } of results) for (const kind of kinds) files.set(kind, [...(files.get(kind) ?? []), file]);
  return files;
}
