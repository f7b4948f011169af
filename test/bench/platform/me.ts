/** `GET /api/v1/auth/me`, compared with the same query through the driver, with no HTTP. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { openDatabase } from '../../../src/database/connection.js';
import { findAccountInSession } from '../../../src/platform/identity/accounts/accounts.store.js';
import { firstRound, median, printTable, requestsPerSecond, unlessBrief } from '../measure.js';
import { createAccount, startPlatformProcess } from './process.js';

const rounds = unlessBrief(5, 1);
const seconds = unlessBrief(5, 1);
const connections = 50;

export async function benchMe(): Promise<void> {
  const platform = await startPlatformProcess();
  try {
    const { accessToken } = await createAccount(platform);
    const uri = await databaseUri(platform.home);
    const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
    const database = openDatabase(uri, { logger: silent });
    const [claims] = await database.sql<{ userId: string; orgId: string; sessionId: string }[]>`
      select user_id as "userId", org_id as "orgId", family_id as "sessionId" from refresh_tokens`;
    if (claims === undefined) throw new Error('there is no session');
    const headers = { authorization: `Bearer ${accessToken}` };
    const load = { url: `${platform.url}/api/v1/auth/me`, method: 'GET', headers, connections, seconds } as const;
    const served: number[] = [];
    const queried: number[] = [];
    for (let round = firstRound(1); round < rounds; round++) {
      const requests = await requestsPerSecond(load);
      const queries = await queriesPerSecond(() => findAccountInSession(database.sql, claims, new Date()));
      if (round < 0) continue; // the first round warms up
      served.push(requests);
      queried.push(queries);
    }
    await database.close();
    printTable(`GET /api/v1/auth/me (per second, ${connections} at once, median of ${rounds} rounds)`, [
      {
        against: 'the same query through postgres',
        plumbline: Math.round(median(served)),
        other: Math.round(median(queried)),
        ratio: (median(served) / median(queried)).toFixed(2),
        aim: '>= 0.7',
      },
    ]);
  } finally {
    await platform.stop();
    await platform.remove();
  }
}

async function queriesPerSecond(query: () => Promise<unknown>): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let count = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() < end) {
      await query();
      count++;
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return count / seconds;
}

/** The address of the embedded database, as its own files tell it. */
async function databaseUri(home: string): Promise<string> {
  const folder = join(home, 'postgres');
  const password = (await readFile(join(folder, 'password'), 'utf8')).trim();
  const port = (await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n')[3] ?? '';
  const uri = `postgres://plumbline:${encodeURIComponent(password)}@127.0.0.1:${port}/plumbline`;
  await postgres(uri, { max: 1 })`select 1`;
  return uri;
}
