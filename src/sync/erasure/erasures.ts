/**
 * The people whom an organization has erased. Of each name and address the list has a salted hash, and the pseudonym
 * that replaces it. The list is stored like the state of a sync, so that it is in the database of the records, whatever
 * its kind.
 */
import { createHash } from 'node:crypto';
import { repositoryId } from '../identity.js';
import type { Sink, StoredKey, SyncState } from '../sinks/sink.js';
import { wordsOf } from './words.js';

/** The erased people of an organization. */
export interface Erasures {
  /** Changes whenever the list does. */
  readonly revision: string;
  /** Mixed into each hash, so that the hashes of two organizations cannot be compared. */
  readonly salt: string;
  /** The most words of an erased name. */
  readonly words: number;
  /** Pseudonyms by the hashes of names and addresses. */
  readonly pseudonyms: ReadonlyMap<string, string>;
}

/** The list of an organization; undefined if it has erased nobody. */
export async function readErasures(sink: Pick<Sink, 'readState'>, orgId: string): Promise<Erasures | undefined> {
  const state = await sink.readState(keyOfErasures(orgId));
  return state === undefined ? undefined : parseErasures(state);
}

/** Stores the list in place of the former one. */
export async function writeErasures(sink: Pick<Sink, 'apply'>, orgId: string, erasures: Erasures): Promise<void> {
  const { revision, salt, words, pseudonyms } = erasures;
  const position = { salt, words, pseudonyms: Object.fromEntries(pseudonyms) };
  const state: SyncState = { revision, request: '', position, done: true };
  await sink.apply({ key: keyOfErasures(orgId), tables: [], blameLengths: [], state });
}

/** The list with further names and addresses of one person. */
export function withPerson(
  erasures: Pick<Erasures, 'salt' | 'words' | 'pseudonyms'>,
  identities: Iterable<string>,
  { pseudonym, revision }: { readonly pseudonym: string; readonly revision: string },
): Erasures {
  const { salt } = erasures;
  const pseudonyms = new Map(erasures.pseudonyms);
  let { words } = erasures;
  for (const identity of identities) {
    const hash = hashOf(salt, identity);
    if (!pseudonyms.has(hash)) pseudonyms.set(hash, pseudonym);
    if (!identity.includes('@')) words = Math.max(words, wordsOf(identity).length);
  }
  return { revision, salt, words, pseudonyms };
}

/** The hash of a name or address in the form of `normalized`. */
export function hashOf(salt: string, identity: string): string {
  return createHash('sha256').update(`${salt}\0${identity}`).digest('hex');
}

/** Longer texts are not names. The expressions for names would take quadratic time for some of them. */
export const LONGEST_NAME = 200;

/** The form in which names and addresses are compared: `Ada  L.` and `@ada l` are one name. */
export function normalized(identity: string): string {
  const text = identity.trim().normalize().toLowerCase().replace(/\s+/g, ' ');
  if (text.length > LONGEST_NAME || /[^\s@]@[^\s@]/.test(text)) return text;
  return text.replace(/^[^\p{L}\p{N}]+/u, '').replace(/[^\p{L}\p{M}\p{N}]+$/u, '');
}

/** The id under which the list is stored; no repository has it. */
export function idOfErasures(orgId: string): string {
  return repositoryId(orgId, 'erased people');
}

/** Identifies the list. */
function keyOfErasures(orgId: string): StoredKey {
  return { repoId: idOfErasures(orgId), target: 'erasure', source: 'local' };
}

function parseErasures({ revision, position }: SyncState): Erasures | undefined {
  if (typeof position !== 'object' || position === null || Array.isArray(position)) return undefined;
  const { salt, words, pseudonyms } = position as Readonly<Record<string, unknown>>;
  if (typeof salt !== 'string' || typeof words !== 'number') return undefined;
  if (typeof pseudonyms !== 'object' || pseudonyms === null) return undefined;
  const entries = Object.entries(pseudonyms).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return { revision, salt, words, pseudonyms: new Map(entries) };
}
