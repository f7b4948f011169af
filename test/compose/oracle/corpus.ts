/**
 * Loads every compose file below a folder with the reference implementation and with Plumbline, and prints how many
 * agree and where the others differ: `PLUMBLINE_COMPOSE_ORACLE=... npx tsx test/compose/oracle/corpus.ts FOLDER`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ComposeFailure } from '../../../src/compose/model/errors.js';
import { askOracle, askPlumbline, isObject } from './comparison.js';
import type { Question } from './comparison.js';

const OUTCOMES = ['equal', 'both refuse', 'only Plumbline accepts', 'only the reference accepts', 'different'] as const;
type Answer = { readonly printed: unknown } | { readonly refused: string };
type Outcome = (typeof OUTCOMES)[number];

interface Result {
  readonly file: string;
  readonly outcome: Outcome;
  /** The places or messages that tell one kind of difference from another. */
  readonly kinds: readonly string[];
}

const IS_COMPOSE_FILE = /^(?:services|include)\s*:/mu;

/** The YAML files below a folder that have services or include others. */
function composeFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ya?ml$/u.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => IS_COMPOSE_FILE.test(readFileSync(file, 'utf8')))
    .sort();
}

async function answer(ask: (question: Question) => Promise<unknown>, question: Question): Promise<Answer> {
  try {
    return { printed: await ask(question) };
  } catch (error) {
    return { refused: refusalOf(error) };
  }
}

function refusalOf(error: unknown): string {
  if (error instanceof ComposeFailure) return `${error.error}.${error.case}: ${error.message}`;
  if (error instanceof Error && 'stderr' in error) return String(error.stderr).trim().split('\n').at(-1) ?? '';
  return `not a refusal but a fault: ${String(error)}`;
}

const VARIABLE = /\$\{?([A-Za-z_]\w*)(?=\}|:?\?|[^\w:+-])/gu;

/** Values for the variables without a default, so that the files that need them load. */
function environmentFor(file: string): Record<string, string> {
  const names = Array.from(readFileSync(file, 'utf8').matchAll(VARIABLE), ([, name = '']) => name);
  return { ...Object.fromEntries(names.map((name) => [name, valueFor(name)])), HOME: '/home/someone' };
}

/** A path, a port number or a word, as the name of the variable suggests. */
function valueFor(name: string): string {
  if (/PWD|PATH|DIR|ROOT|FOLDER|DATA|VOLUME|LOCATION/iu.test(name)) return './data';
  if (/NAME|HOST|DOMAIN|IMAGE|USER|NETWORK|VERSION|TAG/iu.test(name)) return 'value';
  return '8080';
}

async function compare(file: string): Promise<Result> {
  const question: Question = {
    workingDirectory: path.dirname(file),
    files: [path.basename(file)],
    profiles: ['*'],
    environment: environmentFor(file),
    format: 'json',
  };
  const theirs = await answer(askOracle, question);
  const ours = await answer(askPlumbline, question);
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

function print(results: readonly Result[]): void {
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

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('name a folder of compose files');
const results: Result[] = [];
for (const file of composeFiles(folder)) results.push(await compare(file));
print(results);
