/**
 * Finds the AI assistants that commits and requests name, and the people of their `Co-authored-by` trailers. The
 * assistants are those of `assistants.yaml`, which has their names and the sources of these.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { loginOfAddress } from '../authors/accounts.js';
import type { Person } from '../authors/mailmap.js';
import { FileCheck, parseYaml } from '../file-check.js';

/** What a message names. */
export interface Named {
  /** Assistants in the order of their names, each once. */
  readonly assistants: readonly string[];
  /** The people of `Co-authored-by`, as the message names them. */
  readonly people: readonly Person[];
}

/** Changes with the list of assistants. */
export function assistantsFingerprint(): string {
  return known().fingerprint;
}

/**
 * The assistant that is the author of a commit or a request.
 *
 * @param email null if the source has none
 * @param name a name or, without an e-mail, a login; null if the source has none
 * @returns undefined: the author is not an assistant
 */
export function assistantOf(email: string | null, name: string | null): string | undefined {
  const { suffixes } = known();
  const lower = name?.trim().toLowerCase() ?? '';
  return (
    ofAddress(email) ??
    (lower === '' ? undefined : (ofLogin(lower, email === null) ?? ofText(lower, 'names'))) ??
    suffixes.find(([suffix]) => lower.endsWith(suffix))?.[1]
  );
}

/**
 * The assistant whose account or address this is. People who let an assistant write under their own names are none.
 *
 * @param name as above
 */
export function assistantAccount(email: string | null, name: string | null): string | undefined {
  return ofAddress(email) ?? (name === null ? undefined : ofLogin(name.trim().toLowerCase(), email === null));
}

/**
 * Reads the end of a message: the last paragraphs in which each line is a trailer or a footer, and the one above them.
 * The first line is the title, and names nobody.
 */
export function namedIn(message: string): Named {
  const assistants = new Set<string>();
  const people: Person[] = [];
  for (const { trailer, value } of lastEntries(message)) {
    if (trailer === null) {
      assistants.add(value);
      continue;
    }
    if (!NAMING.has(trailer)) continue;
    const person = personOf(value);
    const assistant = ofTrailer(person);
    if (assistant !== undefined) assistants.add(assistant);
    else if (trailer === 'co-authored-by' && person.email !== null) people.push(person);
  }
  if (assistants.size === 0 && people.length === 0) return NOBODY;
  return { assistants: [...assistants].sort(), people: distinct(people.reverse()) };
}

const NOBODY: Named = { assistants: [], people: [] };

/** Any trailer, because others may stand between those that name somebody. */
const TRAILER = /^([A-Za-z][A-Za-z-]*):\s*(\S.*)$/;
const NAMING: ReadonlySet<string> = new Set([
  ...['co-authored-by', 'co-developed-by', 'assisted-by', 'ai-assisted-by', 'generated-by', 'made-with'],
]);
/** `🤖 Generated with [Claude Code](https://…)`. */
const FOOTER = /^[^a-z0-9]{0,8}(?:generated|created|written|made|assisted) (?:with|by|using) [[*_`]{0,4}(\S.*)$/i;

/** Longer lines are text. */
const LONGEST_LINE = 1000;
/** More lines are not read: a release lists a few hundred people. */
const MOST_LINES = 1000;

/** A trailer in lower case with its value; or, without one, the assistant that a footer names. */
interface Entry {
  readonly trailer: string | null;
  readonly value: string;
}

/** The trailers and footers at the end of a message, the last one first. */
function lastEntries(message: string): readonly Entry[] {
  const entries: Entry[] = [];
  let hasText = false;
  let end = message.length;
  for (let count = 0; count < MOST_LINES; count += 1) {
    const start = message.lastIndexOf('\n', end - 1);
    if (start < 0) break;
    const line = end - start > LONGEST_LINE ? undefined : message.slice(start + 1, end).trim();
    end = start;
    if (line === '') {
      if (hasText) break;
      continue;
    }
    const entry = line === undefined ? undefined : entryOf(line);
    if (entry !== undefined) entries.push(entry);
    else if (line === undefined || !/^-+$/.test(line)) hasText = true;
  }
  return entries;
}

function entryOf(line: string): Entry | undefined {
  const [, key, value] = TRAILER.exec(line) ?? [];
  if (key !== undefined && value !== undefined) return { trailer: key.toLowerCase(), value };
  const [, text] = FOOTER.exec(line) ?? [];
  if (text === undefined) return undefined;
  const lower = text.toLowerCase();
  const assistant = ofText(lower, 'names') ?? ofText(lower, 'words');
  return assistant === undefined ? undefined : { trailer: null, value: assistant };
}

/** A trailer's value: `Name <address>`, or a name alone. */
function personOf(value: string): Person {
  const [open, close] = [value.indexOf('<'), value.indexOf('>')];
  if (open < 0 || close < open) return { name: value.trim() || null, email: null };
  return { name: value.slice(0, open).trim() || null, email: value.slice(open + 1, close).trim() || null };
}

function ofTrailer({ name, email }: Person): string | undefined {
  const lower = name?.toLowerCase() ?? '';
  return (
    ofAddress(email) ??
    ofLogin(lower, false) ??
    ofText(lower, 'names') ??
    (email === null ? ofText(lower, 'words') : undefined)
  );
}

function ofAddress(email: string | null): string | undefined {
  if (email === null) return undefined;
  const lower = email.trim().toLowerCase();
  const login = loginOfAddress(lower);
  return known().addresses.get(lower) ?? (login === undefined ? undefined : ofLogin(login, true));
}

/** @param isLogin otherwise it is a name, which is an account only with `[bot]` */
function ofLogin(name: string, isLogin: boolean): string | undefined {
  const { logins } = known();
  const isBot = name.endsWith('[bot]');
  if (!isLogin && !isBot) return undefined;
  return logins.get(name) ?? (isBot ? logins.get(name.slice(0, -'[bot]'.length)) : undefined);
}

function ofText(lower: string, list: 'names' | 'words'): string | undefined {
  const { pattern, assistants } = known()[list];
  const [found] = pattern.exec(lower) ?? [];
  return found === undefined ? undefined : assistants.get(found);
}

function distinct(people: readonly Person[]): readonly Person[] {
  const found = new Map<string, Person>();
  for (const person of people) {
    const key = (person.email ?? '').toLowerCase();
    if (!found.has(key)) found.set(key, person);
  }
  return [...found.values()];
}

/** Texts that begin with one of some names, which no further word follows. */
interface Beginnings {
  readonly pattern: RegExp;
  readonly assistants: ReadonlyMap<string, string>;
}

interface Known {
  readonly logins: ReadonlyMap<string, string>;
  readonly addresses: ReadonlyMap<string, string>;
  readonly names: Beginnings;
  readonly words: Beginnings;
  readonly suffixes: readonly (readonly [suffix: string, assistant: string])[];
  readonly fingerprint: string;
}

let read: Known | undefined;

/** The list, which is read once. */
function known(): Known {
  return (read ??= parseAssistants(readFileSync(new URL('assistants.yaml', import.meta.url), 'utf8')));
}

const LISTS = ['logins', 'addresses', 'names', 'words', 'suffixes'] as const;

/** @throws FileError with every problem */
function parseAssistants(text: string): Known {
  const { value, lineOf } = parseYaml(text, 'assistants.yaml');
  const check = new FileCheck(lineOf);
  const found = Object.fromEntries(LISTS.map((list) => [list, new Map<string, string>()]));
  const items = check.list(check.mapping(value, 'the file', ['assistants'])['assistants'], 'assistants');
  for (const [index, item] of items.entries()) {
    const place = `assistants[${index}]`;
    const entry = check.mapping(item, place, ['assistant', ...LISTS]);
    const assistant = check.text(entry['assistant'], `${place}.assistant`);
    for (const list of LISTS) {
      for (const each of check.list(entry[list] ?? [], `${place}.${list}`))
        found[list]?.set(check.text(each, `${place}.${list}`).toLowerCase(), assistant);
    }
  }
  check.finish('assistants.yaml is not a list of assistants');
  const of = (list: (typeof LISTS)[number]): ReadonlyMap<string, string> => found[list] ?? new Map<string, string>();
  return {
    logins: of('logins'),
    addresses: of('addresses'),
    names: beginnings(of('names')),
    words: beginnings(of('words')),
    suffixes: [...of('suffixes')],
    fingerprint: createHash('sha256').update(text).digest('hex'),
  };
}

function beginnings(assistants: ReadonlyMap<string, string>): Beginnings {
  const escaped = [...assistants.keys()].map((name) => name.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return {
    pattern: new RegExp(String.raw`^(?:${escaped.join('|')})(?![\p{L}\p{N}_]|-\p{L}|\s+\p{L})`, 'u'),
    assistants,
  };
}
