/**
 * Finds the names, logins and addresses of one person in the records of an organization.
 *
 * An address belongs to one person. A name belongs to the person too if no address of somebody else has it. What the
 * authors of the organization or a `.mailmap` declare to be one person is one.
 */
import { TABLES, type AnyRow, type Table } from '../records.js';
import type { Sink } from '../sinks/sink.js';
import type { Author } from '../work-units/authors/authors-file.js';
import { assistantAccount } from '../work-units/assistants/assistants.js';
import { loginOfAddress } from '../work-units/authors/accounts.js';
import { mailmapLines } from '../work-units/authors/mailmap.js';
import { textOf } from '../work-units/row-values.js';
import { PERSONAL, type PersonColumns } from './eraser.js';
import { normalized } from './erasures.js';

/** The names and addresses of a person. All are in the form of `normalized`. */
export interface Person {
  readonly identities: ReadonlySet<string>;
  /** Addresses with a name of the person that are not known to be of the same person. */
  readonly sameName: readonly string[];
  /** The addresses of a name that was asked for without an address; empty if it is clear which person has it. */
  readonly candidates: readonly string[];
  /** What was asked for and names nobody in the records, the authors or a `.mailmap`. */
  readonly unseen: readonly string[];
}

/** Collects which names and addresses occur together. */
export class KnownPeople {
  readonly #namesOf = new Map<string, Set<string>>();
  readonly #addressesOf = new Map<string, Set<string>>();
  readonly #seen = new Set<string>();
  /** What is declared to be one person, by each of its names and addresses. */
  readonly #declared = new Map<string, readonly string[]>();

  /** Adds the people of the records of a repository. */
  async addRepository(sink: Sink, repoId: string): Promise<void> {
    for (const table of TABLES) {
      const { people = [] } = PERSONAL[table.name] ?? {};
      if (people.length === 0) continue;
      for await (const rows of rowsOf(sink, table, repoId, people))
        for (const row of rows)
          for (const { name, email } of people)
            this.#add(textOf(row, name), email === undefined ? '' : textOf(row, email));
    }
  }

  /** Adds the people of a `.mailmap`. */
  addMailmap(text: string): void {
    for (const { name, email, oldName, oldEmail = '' } of mailmapLines(text)) {
      this.#add(name, email);
      this.#add(oldName, oldEmail);
      // With an old name, the line is about that name only: others may have the same old address.
      if (oldName === '' && oldEmail !== '') this.#declare([email, oldEmail]);
    }
  }

  /** Adds the people of the authors of an organization. */
  addAuthors(authors: readonly Author[]): void {
    for (const { author, also } of authors) this.#declare([author, ...also]);
  }

  /** The person with these names, logins and addresses. */
  find(identities: readonly string[]): Person {
    const asked = identities.map(normalized).filter((each) => each !== '' && !isAssistant(each));
    const names = asked.filter((each) => !isAddress(each));
    const found = new Set(asked);
    this.#complete(found);
    for (const name of [...found].some(isAddress) ? [] : names) {
      const [address, ...others] = this.#othersNamed(name, found);
      // An address with further names may be shared, as root@localhost is.
      if (address === undefined || others.length > 0 || this.#namesOf.get(address)?.size !== 1) continue;
      found.add(address);
      this.#complete(found);
    }
    // Somebody may have declared an assistant to be the person who lets it write.
    for (const each of found) if (isAssistant(each)) found.delete(each);
    return {
      identities: found,
      sameName: this.#sameName(found),
      candidates: [...found].some(isAddress) ? [] : names.flatMap((name) => this.#othersNamed(name, found)),
      unseen: asked.filter((each) => !this.#seen.has(each)),
    };
  }

  /** Adds what belongs to the same person. An iteration over a set includes what is added meanwhile. */
  #complete(found: Set<string>): void {
    for (const each of found) {
      const declared = this.#declared.get(each) ?? [];
      for (const other of declared) found.add(other);
      if (isAddress(each)) {
        const login = loginOfAddress(each);
        if (login !== undefined) found.add(normalized(login));
        for (const name of this.#namesOf.get(each) ?? [])
          if (this.#othersNamed(name, found).length === 0) found.add(name);
        continue;
      }
      for (const address of this.#namesOf.keys()) if (loginOfAddress(address) === each) found.add(address);
      if (declared.length === 0) continue;
      for (const address of this.#addressesOf.get(each) ?? []) if (!this.#declared.has(address)) found.add(address);
    }
  }

  #othersNamed(name: string, found: ReadonlySet<string>): readonly string[] {
    return [...(this.#addressesOf.get(name) ?? [])].filter((address) => !found.has(address));
  }

  #sameName(found: ReadonlySet<string>): readonly string[] {
    const names = [...found].flatMap((each) => (isAddress(each) ? [...(this.#namesOf.get(each) ?? [])] : each));
    return [...new Set(names.flatMap((name) => this.#othersNamed(name, found)))].sort();
  }

  #add(name: string, email: string): void {
    const [named, address] = [normalized(name), normalized(email)];
    this.#seen.add(named).add(address);
    if (address === '') return;
    const names = this.#namesOf.get(address) ?? new Set<string>();
    this.#namesOf.set(address, names);
    if (named === '') return;
    names.add(named);
    this.#addressesOf.set(named, (this.#addressesOf.get(named) ?? new Set<string>()).add(address));
  }

  #declare(identities: readonly string[]): void {
    const person = identities.map(normalized).filter((each) => each !== '');
    for (const each of person) {
      this.#seen.add(each);
      this.#declared.set(each, [...(this.#declared.get(each) ?? []), ...person]);
    }
  }
}

/** All columns are read only where the database cannot read a part of them. */
function rowsOf(
  sink: Sink,
  table: Table,
  repoId: string,
  people: readonly PersonColumns[],
): AsyncIterable<readonly AnyRow[]> {
  const named = people.flatMap(({ name, email }) => (email === undefined ? [name] : [name, email]));
  const columns = [...table.key.filter((name) => name !== 'repo_id'), ...named];
  return sink.derivation?.rows({ table, repoId, columns, where: { kind: 'all' } }) ?? sink.scan(table, repoId);
}

/** An AI assistant is not a person: what names it stays. */
export function isAssistant(identity: string): boolean {
  return (isAddress(identity) ? assistantAccount(identity, null) : assistantAccount(null, identity)) !== undefined;
}

function isAddress(identity: string): boolean {
  return identity.includes('@');
}
