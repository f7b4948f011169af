/**
 * Identifies authors: one person may have several e-mails, logins and names. Records keep the values of their sources.
 * A unit's author is determined when the unit is derived, so a changed mapping applies to all units.
 */
import { createHash } from 'node:crypto';
import { assistantAccount } from '../assistants/assistants.js';
import { botOf, loginOfAddress } from './accounts.js';
import type { Author } from './authors-file.js';
import { parseMailmap, type Person } from './mailmap.js';

export interface Identity {
  /** The value of the dimension AUTHOR; '' if the source has none. */
  readonly author: string;
  /** All names of the author, the value first. Teams may list any of them. */
  readonly names: readonly string[];
}

export interface AuthorIdentifier {
  /** Changes whenever the same author could get another value. */
  readonly fingerprint: string;
  /**
   * @param email null if the source has none
   * @param name a login or a name; null if the source has none
   */
  identify(email: string | null, name: string | null): Identity;
}

/** The name of an assistant that writes commits without an account that is known to be a bot. */
function botOfAssistant({ email, name }: Person): string | undefined {
  const assistant = assistantAccount(email, name);
  return assistant === undefined ? undefined : `${assistant.toLowerCase().replaceAll(' ', '-')}[bot]`;
}

/** The size of the cache of authors. */
const REMEMBERED = 50_000;

/** @param mailmap the text of the repository's `.mailmap`; '' if it has none */
export function createAuthorIdentifier(authors: readonly Author[], mailmap: string): AuthorIdentifier {
  const mapped = parseMailmap(mailmap);
  const entries = new Map<string, Author>();
  for (const entry of authors) for (const name of [entry.author.toLowerCase(), ...entry.also]) entries.set(name, entry);

  const work = (email: string | null, name: string | null): Identity => {
    const person = mapped({ email, name });
    const login = person.email === null ? undefined : loginOfAddress(person.email);
    const known = [login, person.email, person.name, email, name].filter((each) => each !== undefined && each !== null);
    const own = known.map((each) => each.trim()).filter((each) => each !== '');
    const entry = own.map((each) => entries.get(each.toLowerCase())).find((each) => each !== undefined);
    const bot =
      own.map(botOf).find((each) => each !== undefined) ?? botOfAssistant(person) ?? botOfAssistant({ email, name });
    const value = entry?.author ?? bot ?? own[0] ?? '';
    const author = value.includes('@') ? value.toLowerCase() : value;
    return { author, names: [...new Set([author, ...own, ...(entry?.also ?? [])])] };
  };
  const remembered = new Map<string, Identity>();
  return {
    fingerprint: createHash('sha256')
      .update(JSON.stringify([authors, mailmap]))
      .digest('hex'),
    identify: (email, name) => {
      const key = `${email ?? ''}\0${name ?? ''}`;
      const found = remembered.get(key);
      if (found !== undefined) return found;
      if (remembered.size >= REMEMBERED) remembered.clear();
      const identity = work(email, name);
      remembered.set(key, identity);
      return identity;
    },
  };
}
