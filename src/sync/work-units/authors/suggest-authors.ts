/**
 * Suggests authors that are probably one person, for the authors file: people use several addresses, and code hosts know
 * them by a login. Nothing is merged without somebody who accepts it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { atOnce, inSlices, type Steps } from '@plumbline/contract/system/slices';
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
  /** The names and addresses of each author, by their normalized forms. */
  readonly #authors = new Map<string, Map<string, string>>();
  readonly #units = new Map<string, number>();
  #isComplete = true;

  /** Whether all authors that were added are compared. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** @param author the value of the dimension AUTHOR; bots and unknown authors are left out */
  add(author: string, { email, name }: SeenIdentity): void {
    if (author === '' || author.endsWith('[bot]')) return;
    let names = this.#authors.get(author);
    if (names === undefined) {
      if (this.#authors.size >= MOST_AUTHORS) {
        this.#isComplete = false;
        return;
      }
      this.#authors.set(author, (names = new Map([[author.toLowerCase(), author]])));
    }
    for (const text of [email, name]) {
      const written = text?.trim().replace(/\s+/g, ' ') ?? '';
      const normalized = written.toLowerCase();
      if (written !== '' && names.size < MOST_NAMES && !names.has(normalized)) names.set(normalized, written);
    }
  }

  /** Other names and addresses of an author, as the sources write them, in the order in which they were added. */
  otherNames(author: string): readonly string[] {
    return [...(this.#authors.get(author)?.values() ?? [])].slice(1);
  }

  /** Counts units of an author. */
  count(author: string): void {
    this.#units.set(author, (this.#units.get(author) ?? 0) + 1);
  }

  /** The pairs, those with the most units first. */
  suggestions(limit: number): readonly AuthorSuggestion[] {
    return atOnce(this.suggestionSteps()).slice(0, limit);
  }

  /** All pairs in small steps, those with the most units first. */
  *suggestionSteps(): Steps<readonly AuthorSuggestion[]> {
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
    for (const group of (yield* this.#groups(fullName)).values()) {
      suggest(group, 'same_name');
      yield;
    }
    for (const group of (yield* this.#groups(mailbox)).values()) {
      suggest(group, 'same_mailbox');
      yield;
    }
    const byLogin = yield* this.#groups(login);
    const byName = yield* this.#groups((text) => (text.includes('@') ? undefined : text));
    for (const [name, group] of byLogin) {
      suggest([...group, ...(byName.get(name) ?? [])], 'login_is_name');
      yield;
    }
    const found = [...pairs.values()].map(({ authors: [author, also], reasons }): AuthorSuggestion => ({
      author: this.#suggested(author),
      also: this.#suggested(also),
      reasons: [...reasons].sort(),
    }));
    return found.sort(
      (one, other) => other.also.units - one.also.units || (one.also.author < other.also.author ? -1 : 1),
    );
  }

  /** The authors by a key of one of their names or addresses. */
  *#groups(keyOf: (text: string) => string | undefined): Steps<ReadonlyMap<string, readonly string[]>> {
    const groups = new Map<string, string[]>();
    for (const [author, names] of this.#authors) {
      for (const name of names.keys()) {
        const key = keyOf(name);
        if (key === undefined) continue;
        const group = groups.get(key) ?? [];
        groups.set(key, group);
        group.push(author);
      }
      yield;
    }
    return groups;
  }

  #haveSimilarNames(one: string, other: string): boolean {
    const [words, others] = [this.#words(one), this.#words(other)];
    return words.size === 0 || others.size === 0 || [...words].some((word) => others.has(word));
  }

  /** The words of the names of an author; addresses are left out. */
  #words(author: string): ReadonlySet<string> {
    const names = [...(this.#authors.get(author)?.keys() ?? [])].filter((name) => !name.includes('@'));
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
  resources: DerivationResources,
  limit: number,
): Promise<readonly AuthorSuggestion[]> {
  const candidates = new AuthorCandidates();
  await readCandidates(resources, candidates, Infinity);
  return candidates.suggestions(limit);
}

/** An author with other names and addresses by which the sources know them. */
export interface NamedAuthor extends SuggestedAuthor {
  readonly names: readonly string[];
}

export interface SuggestedPersons {
  readonly persons: readonly {
    readonly authors: readonly NamedAuthor[];
    readonly reasons: readonly SuggestionReason[];
  }[];
  /** Whether there are more pairs than the limit. */
  readonly hasMore: boolean;
  /** Whether everything was read and compared. If not, pairs can be missing, and units are not counted. */
  readonly isComplete: boolean;
}

/** How much a suggestion of the API reads and returns. */
export interface SuggestionLimits {
  readonly pairs: number;
  /** The time for reading. */
  readonly milliseconds: number;
  /** The names and addresses of each author that are returned. */
  readonly names: number;
}

/** The limits of the API. A person waits for the suggestions, so that reading ends after a few seconds in any case. */
export const SUGGESTION_LIMITS: SuggestionLimits = { pairs: 100, milliseconds: 8000, names: 10 };

/** Suggests persons as `suggestAuthors` does, within limits, and in slices so that the process serves other requests. */
export async function suggestPersons(
  resources: DerivationResources,
  limits: SuggestionLimits = SUGGESTION_LIMITS,
): Promise<SuggestedPersons> {
  const candidates = new AuthorCandidates();
  const isRead = await readCandidates(resources, candidates, performance.now() + limits.milliseconds);
  const pairs = await inSlices(candidates.suggestionSteps());
  const persons = personsOf(pairs.slice(0, limits.pairs)).map(({ authors, reasons }) => ({
    authors: authors.map((suggested) => {
      return { ...suggested, names: candidates.otherNames(suggested.author).slice(0, limits.names) };
    }),
    reasons,
  }));
  return { persons, hasMore: pairs.length > limits.pairs, isComplete: isRead && candidates.isComplete };
}

/**
 * Reads the authors of an organization until a moment of `performance.now()`.
 *
 * @returns whether everything was read before it
 */
async function readCandidates(
  { orgId, records, store, classifier }: DerivationResources,
  candidates: AuthorCandidates,
  until: number,
): Promise<boolean> {
  for (const { id: repoId } of await records.repositories(orgId)) {
    const context = await repositoryContext({ records, orgId, classifier }, repoId, await records.readProgress(repoId));
    if (context === undefined) continue;
    const add = (identity: SeenIdentity): void => {
      candidates.add(context.authors.identify(identity.email, identity.name).author, identity);
    };
    const where = { kind: 'all' } as const;
    for (const [name, key] of NAMED) {
      const columns = [key, 'author_email', 'author_name'];
      const isRead = await takeUntil(
        until,
        records.rows({ table: tableNamed(name), repoId, columns, where }),
        (row) => {
          add({ email: textOrNull(row, 'author_email'), name: textOrNull(row, 'author_name') });
        },
      );
      if (!isRead) return false;
    }
    const columns = ['number', 'review_id', 'reviewer'];
    const reviews = records.rows({ table: tableNamed('git_pull_request_reviews'), repoId, columns, where });
    const areReviewsRead = await takeUntil(until, reviews, (row) => {
      add({ email: null, name: textOf(row, 'reviewer') });
    });
    if (!areReviewsRead) return false;
    const areUnitsRead = await takeUntil(until, store.scan(orgId, repoId), ({ author }) => {
      candidates.count(author);
    });
    if (!areUnitsRead) return false;
  }
  return true;
}

/**
 * Takes the items of all batches until a moment of `performance.now()`.
 *
 * @returns whether all were taken
 */
async function takeUntil<Item>(
  until: number,
  batches: AsyncIterable<readonly Item[]>,
  take: (item: Item) => void,
): Promise<boolean> {
  for await (const batch of batches) {
    if (performance.now() >= until) return false;
    for (const item of batch) take(item);
    // SQLite is synchronous: without this, other requests would wait until the end.
    await nextTurn();
  }
  return true;
}

/** The tables that name an author by name and address, each with the rest of its key. */
const NAMED = [
  ['git_commits', 'hash'],
  ['git_pull_requests', 'number'],
] as const;
