/**
 * Suggests authors that are probably one person, for the authors file: people use several addresses, and code hosts know
 * them by a login. Nothing is merged without somebody who accepts it.
 */
import { tableNamed } from '../../records.js';
import { repositoryContext } from '../derivation/plan.js';
import type { DerivationResources } from '../derivation/resources.js';
import { textOf, textOrNull } from '../row-values.js';
import { loginOfAddress } from './accounts.js';

/**
 * Why two authors may be one person: they have the same name; the same part of their addresses before the `@`, and similar
 * names; or the login of one is the name of the other.
 */
export type SuggestionReason = 'same_name' | 'same_mailbox' | 'login_is_name';

/** An author, as the dimension AUTHOR names them, with the number of their work units. */
export interface SuggestedAuthor {
  readonly author: string;
  readonly units: number;
}

export interface AuthorSuggestion {
  /** The author with more units, whose name stays. */
  readonly author: SuggestedAuthor;
  readonly also: SuggestedAuthor;
  readonly reasons: readonly SuggestionReason[];
}

/** How sources name an author. */
export interface SeenIdentity {
  readonly email: string | null;
  readonly name: string | null;
}

/** Authors of an organization that are compared; of more, those that are read first. Bounds the memory. */
const MOST_AUTHORS = 20_000;
/** Names and addresses of one author that are compared. */
const MOST_NAMES = 100;

/** Names before an `@` that many people share. */
const SHARED_MAILBOXES: ReadonlySet<string> = new Set(
  'admin contact dev developer email git github gitlab hello hi info mail me noreply no-reply office post root support team user work'.split(
    ' ',
  ),
);

/** Collects authors with their names, and compares them. */
export class AuthorCandidates {
  readonly #authors = new Map<string, Set<string>>();
  readonly #units = new Map<string, number>();

  /** @param author the value of the dimension AUTHOR; bots and unknown authors are left out */
  add(author: string, { email, name }: SeenIdentity): void {
    if (author === '' || author.endsWith('[bot]')) return;
    let names = this.#authors.get(author);
    if (names === undefined) {
      if (this.#authors.size >= MOST_AUTHORS) return;
      this.#authors.set(author, (names = new Set([author.toLowerCase()])));
    }
    for (const text of [email, name]) {
      const normalized = text?.trim().toLowerCase().replace(/\s+/g, ' ') ?? '';
      if (normalized !== '' && names.size < MOST_NAMES) names.add(normalized);
    }
  }

  /** Counts units of an author. */
  count(author: string): void {
    this.#units.set(author, (this.#units.get(author) ?? 0) + 1);
  }

  /** The pairs, those with the most units first. */
  suggestions(limit: number): readonly AuthorSuggestion[] {
    const pairs = new Map<
      string,
      { readonly authors: readonly [string, string]; readonly reasons: Set<SuggestionReason> }
    >();
    const suggest = (group: readonly string[], reason: SuggestionReason): void => {
      // Each of a group is compared with the one that has the most units, so that a common name gives few pairs.
      const [first, ...others] = [...new Set(group)].sort((one, other) => this.#compare(one, other));
      for (const other of others) {
        if (first === undefined || (reason === 'same_mailbox' && !this.#haveSimilarNames(first, other))) continue;
        const key = JSON.stringify([first, other].sort());
        const pair = pairs.get(key) ?? { authors: [first, other] as const, reasons: new Set<SuggestionReason>() };
        pairs.set(key, pair);
        pair.reasons.add(reason);
      }
    };
    for (const group of this.#groups(fullName).values()) suggest(group, 'same_name');
    for (const group of this.#groups(mailbox).values()) suggest(group, 'same_mailbox');
    const byLogin = this.#groups(login);
    const byName = this.#groups((text) => (text.includes('@') ? undefined : text));
    for (const [name, group] of byLogin) suggest([...group, ...(byName.get(name) ?? [])], 'login_is_name');
    const found = [...pairs.values()].map(({ authors: [author, also], reasons }): AuthorSuggestion => ({
      author: this.#suggested(author),
      also: this.#suggested(also),
      reasons: [...reasons].sort(),
    }));
    return found
      .sort((one, other) => other.also.units - one.also.units || (one.also.author < other.also.author ? -1 : 1))
      .slice(0, limit);
  }

  /** The authors by a key of one of their names or addresses. */
  #groups(keyOf: (text: string) => string | undefined): ReadonlyMap<string, readonly string[]> {
    const groups = new Map<string, string[]>();
    for (const [author, names] of this.#authors)
      for (const name of names) {
        const key = keyOf(name);
        if (key === undefined) continue;
        const group = groups.get(key) ?? [];
        groups.set(key, group);
        group.push(author);
      }
    return groups;
  }

  #haveSimilarNames(one: string, other: string): boolean {
    const [words, others] = [this.#words(one), this.#words(other)];
    return words.size === 0 || others.size === 0 || [...words].some((word) => others.has(word));
  }

  /** The words of the names of an author; addresses are left out. */
  #words(author: string): ReadonlySet<string> {
    const names = [...(this.#authors.get(author) ?? [])].filter((name) => !name.includes('@'));
    return new Set(names.flatMap((name) => name.split(/[^\p{L}\p{N}]+/u)).filter((word) => word.length >= 3));
  }

  /** The most units first. */
  #compare(one: string, other: string): number {
    return (this.#units.get(other) ?? 0) - (this.#units.get(one) ?? 0) || (one < other ? -1 : 1);
  }

  #suggested(author: string): SuggestedAuthor {
    return { author, units: this.#units.get(author) ?? 0 };
  }
}

/** The authors of several pairs that are probably one person, the one with the most units first. */
export interface SuggestedPerson {
  readonly authors: readonly SuggestedAuthor[];
  readonly reasons: readonly SuggestionReason[];
}

/** Puts pairs with a common author together, because an authors file has one entry for each person. */
export function personsOf(suggestions: readonly AuthorSuggestion[]): readonly SuggestedPerson[] {
  const persons = new Map<string, SuggestedPerson>();
  for (const { author, also, reasons } of suggestions) {
    const parts = [author, also].map((each) => persons.get(each.author) ?? { authors: [each], reasons: [] });
    const person = {
      authors: [...new Set(parts.flatMap(({ authors }) => authors))],
      reasons: [...new Set([...parts.flatMap((part) => part.reasons), ...reasons])],
    };
    for (const each of person.authors) persons.set(each.author, person);
  }
  return [...new Set(persons.values())].map(({ authors, reasons }) => ({
    authors: authors.toSorted((one, other) => other.units - one.units || (one.author < other.author ? -1 : 1)),
    reasons: reasons.toSorted(),
  }));
}

/** A name of several words: many people are called Ada. */
function fullName(text: string): string | undefined {
  return !text.includes('@') && /\p{L}\S* +\S*\p{L}/u.test(text) ? text : undefined;
}

/** The part before the `@` of an address that no host has generated, without what follows a plus. */
function mailbox(text: string): string | undefined {
  if (!text.includes('@') || loginOfAddress(text) !== undefined) return undefined;
  const name = text.slice(0, text.indexOf('@')).split('+')[0] ?? '';
  return name.length < 3 || SHARED_MAILBOXES.has(name) ? undefined : name;
}

function login(text: string): string | undefined {
  return loginOfAddress(text)?.toLowerCase();
}

/**
 * Suggests authors of an organization, from its stored records and units. What its authors file and the `.mailmap` files
 * merge already is not suggested.
 */
export async function suggestAuthors(
  { orgId, records, store, classifier }: DerivationResources,
  limit: number,
): Promise<readonly AuthorSuggestion[]> {
  const candidates = new AuthorCandidates();
  for (const { id: repoId } of await records.repositories(orgId)) {
    const context = await repositoryContext({ records, orgId, classifier }, repoId, await records.readProgress(repoId));
    if (context === undefined) continue;
    const add = (identity: SeenIdentity): void => {
      candidates.add(context.authors.identify(identity.email, identity.name).author, identity);
    };
    for (const [name, key] of NAMED) {
      const columns = [key, 'author_email', 'author_name'];
      for await (const rows of records.rows({ table: tableNamed(name), repoId, columns, where: { kind: 'all' } }))
        for (const row of rows) add({ email: textOrNull(row, 'author_email'), name: textOrNull(row, 'author_name') });
    }
    const where = { kind: 'all' } as const;
    const columns = ['number', 'review_id', 'reviewer'];
    for await (const rows of records.rows({ table: tableNamed('git_pull_request_reviews'), repoId, columns, where }))
      for (const row of rows) add({ email: null, name: textOf(row, 'reviewer') });
    for await (const units of store.scan(orgId, repoId)) for (const { author } of units) candidates.count(author);
  }
  return candidates.suggestions(limit);
}

/** The tables that name an author by name and address, each with the rest of its key. */
const NAMED = [
  ['git_commits', 'hash'],
  ['git_pull_requests', 'number'],
] as const;
