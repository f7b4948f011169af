/**
 * Erases a person from the records of an organization: one pseudonym replaces all names and addresses, so that figures
 * stay as they are. ERASURE.md has the rules.
 */
import { Eraser, PERSONAL } from './erasure/eraser.js';
import {
  hashOf,
  idOfErasures,
  normalized,
  readErasures,
  withPerson,
  writeErasures,
  type Erasures,
} from './erasure/erasures.js';
import { isAssistant, KnownPeople } from './erasure/identities.js';
import type { SyncDependencies } from './dependencies.js';
import { TABLES } from './records.js';
import { latestSource, whileIdle } from './repository-locks.js';
import type { Sink, SinkPage } from './sinks/sink.js';
import { waitForLock } from './sinks/wait-for-lock.js';
import { authorsAsText, authorsFromText } from './work-units/authors/authors-file.js';
import { refreshRepository } from './work-units/derivation/derivation.js';
import type { CorrectableResources } from './work-units/derivation/resources.js';
import { numberOf } from './work-units/row-values.js';
import { teamsAsText, teamsFromText } from './work-units/teams/teams-file.js';

/** A database of records. */
export interface ErasedDatabase {
  readonly orgId: string;
  readonly sink: Sink;
  /** Undefined for a database without work units. */
  readonly resources: CorrectableResources | undefined;
  readonly dependencies: Pick<SyncDependencies, 'now' | 'sleep' | 'signal' | 'newId'>;
}

export interface ErasedPerson {
  readonly pseudonym: string;
  /** The number of names, logins and addresses that the pseudonym replaces. */
  readonly identities: number;
  /** The number of changed rows, by table. */
  readonly changed: Readonly<Record<string, number>>;
  /** The number of work units derived again. */
  readonly workUnits: number;
  /** Addresses with a name of the person that are not known to be of the same person. They stay. */
  readonly sameName: readonly string[];
  /** What was asked for and names nobody in the records. Texts have been searched for it. */
  readonly unseen: readonly string[];
}

/** Why nobody was erased: nothing is stored of the person, or several people may be meant. */
export type NotErased =
  { readonly reason: 'unknown' } | { readonly reason: 'ambiguous'; readonly addresses: readonly string[] };

/**
 * Erases a person. If an erasure is interrupted, the next one completes it.
 *
 * The person is added to the list of the organization first. From then on no sync stores their names, and a repetition
 * finds by the list what remains.
 *
 * @param identities e-mails, logins and names of the person
 */
export async function forgetPerson(
  database: ErasedDatabase,
  identities: readonly string[],
): Promise<ErasedPerson | NotErased> {
  const { orgId, sink, dependencies } = database;
  const people = identities.filter((identity) => !isAssistant(identity));
  const asked = people.map(normalized).filter((identity) => identity !== '');
  if (asked.length === 0) return { reason: 'unknown' };
  const key = { repoId: idOfErasures(orgId), target: 'work_units', source: 'local' } as const;
  const lock = await waitForLock(sink, key, dependencies);
  try {
    return await erase(database, asked, () => lock.assertHeld());
  } finally {
    await lock.release();
  }
}

async function erase(
  database: ErasedDatabase,
  asked: readonly string[],
  assertHeld: () => Promise<void>,
): Promise<ErasedPerson | NotErased> {
  const { orgId, sink, dependencies } = database;
  const { identities, sameName, candidates, unseen } = (await knownPeople(database)).find(asked);
  if (candidates.length > 0) return { reason: 'ambiguous', addresses: candidates };
  const former = await readErasures(sink, orgId);
  const pseudonymOf = (each: string): string | undefined => former?.pseudonyms.get(hashOf(former.salt, each));
  const known = asked.map(pseudonymOf).find((each) => each !== undefined);
  const pseudonym =
    known ??
    [...identities]
      .filter((each) => each.includes('@'))
      .map(pseudonymOf)
      .find((each) => each !== undefined) ??
    `erased-${dependencies.newId().replaceAll('-', '').slice(0, 16)}`;
  const none = { salt: dependencies.newId(), words: 0, pseudonyms: new Map<string, string>() };
  const erasures = withPerson(former ?? none, identities, { pseudonym, revision: dependencies.newId() });
  await writeErasures(sink, orgId, erasures);
  const erasure = new Erasure(database, erasures);
  await erasure.files();
  await erasure.repositories(assertHeld);
  await erasure.corrections();
  await sink.dropFormerVersions?.();
  const { changed, workUnits } = erasure;
  if (known !== undefined || Object.keys(changed).length > 0) {
    const listed = [...erasures.pseudonyms.values()].filter((each) => each === pseudonym);
    const unknown = unseen.filter((each) => pseudonymOf(each) === undefined);
    return { pseudonym, identities: listed.length, changed, workUnits, sameName, unseen: unknown };
  }
  if (former === undefined) await sink.clearStates(idOfErasures(orgId));
  else await writeErasures(sink, orgId, { ...former, revision: dependencies.newId() });
  return { reason: 'unknown' };
}

async function knownPeople({ orgId, sink, resources }: ErasedDatabase): Promise<KnownPeople> {
  const people = new KnownPeople();
  people.addAuthors(authorsFromText(await resources?.records.readFile('authors', orgId)));
  for (const { id } of await sink.repositories(orgId)) {
    await people.addRepository(sink, id);
    people.addMailmap((await resources?.records.readProgress(id))?.get('mailmap') ?? '');
  }
  return people;
}

/** Replaces all names of the list in a database, and counts what changed. */
class Erasure {
  /** The number of changed rows, by table. */
  readonly changed: Record<string, number> = {};
  workUnits = 0;
  readonly #database: ErasedDatabase;
  readonly #revision: string;
  readonly #eraser: Eraser;

  constructor(database: ErasedDatabase, erasures: Erasures) {
    this.#database = database;
    this.#revision = erasures.revision;
    this.#eraser = new Eraser(erasures);
  }

  /** In teams the pseudonym takes the place of the person, so that figures of teams stay as they are. */
  async files(): Promise<void> {
    const { orgId, resources } = this.#database;
    if (resources === undefined) return;
    const { records } = resources;
    const nameOf = (name: string): string => this.#eraser.pseudonymOf(name) ?? name;
    const isErased = (name: string): boolean => this.#eraser.pseudonymOf(name) !== undefined;
    const teams = teamsFromText(await records.readFile('teams', orgId));
    const changedTeams = teams.filter(({ members }) => members.some(isErased));
    if (changedTeams.length > 0) {
      const erased = teams.map((team) => ({ ...team, members: [...new Set(team.members.map(nameOf))] }));
      await records.writeFile('teams', orgId, teamsAsText(erased));
      this.#count('team_files', changedTeams.length);
    }
    const authors = authorsFromText(await records.readFile('authors', orgId));
    // All names of the person have become one, so that nothing is left to be merged.
    const others = authors.filter(({ author, also }) => ![author, ...also].some(isErased));
    if (others.length === authors.length) return;
    await records.writeFile('authors', orgId, authorsAsText(others));
    this.#count('author_files', authors.length - others.length);
  }

  /** Also those that are stored for the first time meanwhile. */
  async repositories(assertHeld: () => Promise<void>): Promise<void> {
    const { orgId, sink, resources } = this.#database;
    const done = new Set<string>();
    for (;;) {
      const next = (await sink.repositories(orgId)).find(({ id }) => !done.has(id));
      if (next === undefined) return;
      done.add(next.id);
      await assertHeld();
      await this.#repository(next.id);
      if (resources !== undefined) this.workUnits += await refreshRepository(resources, next.id);
    }
  }

  async corrections(): Promise<void> {
    const { orgId, resources } = this.#database;
    if (resources === undefined) return;
    const { corrections } = resources;
    for (let after: string | undefined = ''; after !== undefined;) {
      const page = await corrections.listCorrections(orgId, after, CORRECTIONS);
      for (const correction of page) {
        const { unitId, note, correctedBy } = correction;
        const erased = {
          note: note === null ? null : this.#eraser.text(note),
          correctedBy: this.#eraser.pseudonymOf(correctedBy) ?? correctedBy,
        };
        if (erased.note === note && erased.correctedBy === correctedBy) continue;
        // The correction of a unit that is gone cannot be stored again.
        if (!(await corrections.correct(orgId, { ...correction, ...erased })))
          await corrections.withdraw(orgId, unitId, undefined);
        this.#count('work_unit_corrections', 1);
      }
      after = page.length < CORRECTIONS ? undefined : page.at(-1)?.unitId;
    }
  }

  async #repository(repoId: string): Promise<void> {
    const { sink, dependencies } = this.#database;
    const source = await latestSource(sink, repoId);
    if (source === undefined) return;
    await whileIdle(sink, { repoId, source }, dependencies, async (assertHeld) => {
      const store = (tables: SinkPage['tables'], done: boolean): Promise<void> =>
        sink.apply({
          key: { repoId, target: 'erasure', source: 'local' },
          tables,
          blameLengths: [],
          state: { revision: this.#revision, request: '', position: null, done },
        });
      await this.#notes(repoId);
      for (const table of TABLES) {
        if (PERSONAL[table.name] === undefined) continue;
        for await (const rows of sink.scan(table, repoId)) {
          await assertHeld();
          const erased = rows.flatMap((row) => {
            const next = this.#eraser.row(table.name, row);
            // A later time than that of the stored row: it is the version of the row in ClickHouse.
            const time = Math.max(dependencies.now(), numberOf(row, 'last_synced') + 1);
            return next === row ? [] : { ...next, last_synced: time };
          });
          if (erased.length === 0) continue;
          await this.#deriveAgain(repoId);
          await store([{ table, rows: erased }], false);
          this.#count(table.name, erased.length);
        }
      }
      await store([], true);
    });
  }

  /** The notes have the texts of CODEOWNERS and .mailmap. */
  async #notes(repoId: string): Promise<void> {
    const records = this.#database.resources?.records;
    if (records === undefined) return;
    const notes = await records.readProgress(repoId);
    const changed = [...this.#eraser.notes(notes)].filter(([name, text]) => text !== notes.get(name));
    if (changed.length === 0) return;
    await this.#deriveAgain(repoId);
    await records.writeProgress(repoId, new Map(changed));
    this.#count('work_unit_progress', changed.length);
  }

  /** Called before a change: if the erasure is interrupted, the next derivation of the repository derives all units. */
  async #deriveAgain(repoId: string): Promise<void> {
    await this.#database.resources?.records.writeProgress(repoId, new Map([['basis', 'erasing']]));
  }

  #count(table: string, rows: number): void {
    this.changed[table] = (this.changed[table] ?? 0) + rows;
  }
}

/** Corrections of one page. */
const CORRECTIONS = 1000;
