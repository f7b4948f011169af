/** A database with the records of two organizations, of which a reader may see one. */
import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { writeStoredTeams } from './stored-teams.js';
import { TARGETS } from '../../../src/sync/targets.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { sync } from '../../sync/harness.js';

export const MINE = '11111111-1111-4111-8111-111111111111';
export const OTHER = '22222222-2222-4222-8222-222222222222';

/** Fills a database. */
export async function syncTwoOrganizations(db: string): Promise<void> {
  for (const [org, repoName] of [
    [MINE, 'acme/shop'],
    [OTHER, 'rival/secret'],
  ] as const) {
    for (const target of TARGETS)
      await sync({ provider: 'synthetic', db, org, repoName, target, maxCommitsPerRepo: '200', backfill: '365' });
    await writeStoredTeams(db, org, [
      { id: `team-of-${repoName}`, name: 'Team', members: ['ada@example.com'], repositories: ['*'] },
    ]);
  }
}

export interface TwoOrganizations extends TestDatabase {
  readonly admin: postgres.Sql;
  /** Opens a session of a role. */
  session(role: string, password: string): postgres.Sql;
}

export async function createTwoOrganizations(): Promise<TwoOrganizations> {
  const database = await createTestDatabase();
  await syncTwoOrganizations(database.uri);
  const admin = postgres(database.uri, { max: 2, onnotice: () => undefined });
  const sessions: postgres.Sql[] = [admin];
  return {
    ...database,
    admin,
    session: (role, password) => {
      const sql = postgres(addressOf(database.uri, role, password), { max: 1, onnotice: () => undefined });
      sessions.push(sql);
      return sql;
    },
    drop: async () => {
      for (const sql of sessions) await sql.end({ timeout: 1 });
      await database.drop();
    },
  };
}

/** The address of a database for another role. */
export function addressOf(uri: string, role: string, password: string): string {
  const url = new URL(uri);
  url.username = role;
  url.password = password;
  return url.href;
}

/** A name that no other test file uses: roles belong to the whole cluster. */
export function newRole(): string {
  return `reader_${randomBytes(6).toString('hex')}`;
}
