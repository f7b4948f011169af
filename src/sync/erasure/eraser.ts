/**
 * Replaces the names and addresses of erased people in records.
 *
 * A column of people is compared as a whole. In texts, addresses and names of several words are replaced wherever they
 * are. A single word may be a usual one, such as `mark`, and is replaced only where its context shows that it is a
 * person: `@mark`, `Merge branch from mark/fix`, and before an address that is replaced.
 */
import type { AnyRow, JsonValue, TableName } from '../records.js';
import type { SinkPage } from '../sinks/sink.js';
import { loginOfAddress } from '../work-units/authors/accounts.js';
import { hashOf, LONGEST_NAME, normalized, type Erasures } from './erasures.js';
import { wordsOf } from './words.js';

/** The columns of a table that name a person, and its columns of text. Keys name nobody. */
interface PersonalColumns {
  readonly people: readonly PersonColumns[];
  readonly texts: readonly string[];
}

/** The columns of a name and, if the table has one, of its address. */
export interface PersonColumns {
  readonly name: string;
  readonly email?: string;
}

const AUTHOR: PersonColumns = { name: 'author_name', email: 'author_email' };

/** The tables with people. Names of repositories, paths and keys stay as they are. */
export const PERSONAL: Readonly<Partial<Record<TableName, PersonalColumns>>> = {
  git_commits: { people: [AUTHOR, { name: 'committer_name', email: 'committer_email' }], texts: ['message'] },
  git_blame: { people: [AUTHOR], texts: ['line'] },
  git_pull_requests: { people: [AUTHOR], texts: ['title', 'body', 'head_branch', 'base_branch', 'labels'] },
  git_pull_request_reviews: { people: [{ name: 'reviewer' }], texts: [] },
  deployments: { people: [{ name: 'author_name' }], texts: ['environment', 'job', 'release_ref'] },
  incidents: { people: [{ name: 'author_name' }], texts: ['title', 'labels'] },
  issues: { people: [{ name: 'author_name' }], texts: ['title', 'body', 'labels', 'epic', 'initiative'] },
  issue_state_changes: { people: [{ name: 'actor' }], texts: [] },
};

/** An address, also in angle brackets, where it may have any characters. Each run of characters is read once. */
const ADDRESS =
  /<([^<>\s]{1,254}@[^<>\s]{1,254})>|(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})*/gu;

/** A name and the pseudonym of its address, as in a trailer of a commit. */
const NAME_OF_ADDRESS =
  /(?<=^|[:,;"(>])([^\S\n]*)([^\s:,;"(<>](?:[^\n:,;"(<>]{0,98}[^\s:,;"(<>])?)([^\S\n]*<(erased-[0-9a-f]{16})>)/gmu;

/** An owner is an address, or a name after `@`. */
const OWNER = /(?<=\s)(?=erased-[0-9a-f]{16})/gu;

const LOGIN = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}_.-]{0,98}[\p{L}\p{N}_])?`;
const MENTION = new RegExp(String.raw`(?<=(?<![\p{L}\p{N}_./-])@)${LOGIN}`, 'gu');
/** The owner of a branch. In front of an issue or a request, such as `ada/tools#1`, it is part of a repository's name. */
const OWNER_OF_BRANCH = new RegExp(String.raw`(?<=^|from )${LOGIN}(?=\/)(?!\/[\w.-]+[#!]\d)`, 'gu');

/** The size of the cache of pseudonyms. */
const REMEMBERED = 50_000;

export class Eraser {
  readonly #erasures: Erasures;
  readonly #known = new Map<string, string | undefined>();

  constructor(erasures: Erasures) {
    this.#erasures = erasures;
  }

  /** The pseudonym for a name, a login or an address; undefined if it is not erased. */
  pseudonymOf(identity: string): string | undefined {
    const found = this.#pseudonym(normalized(identity));
    const login = found === undefined ? loginOfAddress(identity) : undefined;
    return login === undefined ? found : this.#pseudonym(normalized(login));
  }

  /** The row without the names of erased people; the same object if it has none. */
  row(table: TableName, row: AnyRow): AnyRow {
    const columns = PERSONAL[table];
    if (columns === undefined) return row;
    const changed: Record<string, JsonValue> = {};
    for (const { name, email } of columns.people) {
      const pseudonym = this.#personOf(row[name], email === undefined ? null : row[email]);
      if (pseudonym === undefined) continue;
      for (const column of [name, ...(email === undefined ? [] : [email])])
        if (isNamed(row[column]) && row[column] !== pseudonym) changed[column] = pseudonym;
    }
    for (const column of columns.texts) {
      const value = row[column] ?? null;
      const erased = this.#value(value);
      if (erased !== value) changed[column] = erased;
    }
    return Object.keys(changed).length === 0 ? row : { ...row, ...changed };
  }

  /** The page without the names of erased people. */
  page(page: SinkPage): SinkPage {
    const tables = page.tables.map(({ table, rows }) => ({
      table,
      rows: rows.map((row) => this.row(table.name, row)),
    }));
    return { ...page, tables };
  }

  /** The notes on a repository, among them its CODEOWNERS and .mailmap, without the names of erased people. */
  notes(notes: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    const erased = [...notes].map(([name, text]) => [name, this.text(text)] as const);
    return new Map(erased.map(([name, text]) => [name, name === 'codeowners' ? text.replace(OWNER, '@') : text]));
  }

  /** The text without the names and addresses of erased people. */
  text(text: string): string {
    const withoutAddresses = text.replace(ADDRESS, (found: string, bracketed: string | undefined) => {
      const pseudonym = this.pseudonymOf(bracketed ?? found);
      if (pseudonym === undefined) return found;
      return bracketed === undefined ? pseudonym : `<${pseudonym}>`;
    });
    const withoutTrailers = withoutAddresses === text ? text : withoutAddresses.replace(NAME_OF_ADDRESS, '$1$4$3');
    const replaced = (login: string): string => this.pseudonymOf(login) ?? login;
    return this.#withoutNames(withoutTrailers).replace(MENTION, replaced).replace(OWNER_OF_BRANCH, replaced);
  }

  /** An address decides, if there is one: two people may have the same name. */
  #personOf(name: JsonValue | undefined, email: JsonValue | undefined): string | undefined {
    const identity = isNamed(email) ? email : name;
    return isNamed(identity) ? this.pseudonymOf(identity) : undefined;
  }

  #value(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.text(value);
    if (!isList(value)) return value;
    const erased = value.map((item) => this.#value(item));
    return erased.every((item, index) => item === value[index]) ? value : erased;
  }

  /** Replaces names of several words. */
  #withoutNames(text: string): string {
    const longest = this.#erasures.words;
    if (longest < 2) return text;
    const words = wordsOf(text);
    const parts: string[] = [];
    let end = 0;
    for (const [index, { start }] of words.entries()) {
      if (start < end) continue;
      for (const last of words.slice(index + 1, index + longest).reverse()) {
        const name = text.slice(start, last.end);
        // An address that begins or ends like an erased one is another one.
        if (name.length > LONGEST_NAME || name.includes('@')) continue;
        const pseudonym = this.#pseudonym(normalized(name));
        if (pseudonym === undefined) continue;
        parts.push(text.slice(end, start), pseudonym);
        end = last.end;
        break;
      }
    }
    return parts.join('') + text.slice(end);
  }

  #pseudonym(identity: string): string | undefined {
    if (identity === '') return undefined;
    if (this.#known.has(identity)) return this.#known.get(identity);
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    const found = this.#erasures.pseudonyms.get(hashOf(this.#erasures.salt, identity));
    this.#known.set(identity, found);
    return found;
  }
}

function isNamed(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
