/**
 * A lease in ClickHouse, which has neither locks nor compare-and-set statements. A contender writes a claim and reads
 * the claims of others, in two phases.
 *
 * 1. `asks`: it gives up if another claim is held, or if another claim with a smaller id also asks.
 * 2. `held`: it gives up if another claim is held. If two contenders reach this phase concurrently, the one that writes
 *    second sees the first, so at most one continues.
 *
 * This requires read-after-write consistency. Replicas behind one address may not provide it: see the README.
 */
import { randomUUID } from 'node:crypto';
import type { ClickHouseEngine } from '../../analytics/clickhouse/engine.js';
import { createTable, type TableDefinition } from '../../analytics/clickhouse/tables.js';
import { isFree, LEASE_MILLISECONDS, lockLost, thisHolder } from './lease.js';
import type { Lock } from './sink.js';

/** Creates the table of the claims. Claims are few and short-lived; a TTL removes old ones. */
export async function ensureLeaseSchema(engine: Pick<ClickHouseEngine, 'command' | 'cluster'>): Promise<void> {
  for (const statement of createTable(CLAIMS, engine.cluster)) await engine.command(statement);
}

const CLAIMS: TableDefinition = {
  name: 'sync_claims',
  columns: [
    ...['name String', 'id String', 'phase LowCardinality(String)', 'holder String', 'version UInt8'],
    'written DateTime default now()',
  ],
  replacing: 'version',
  orderBy: 'name, id',
  clauses: 'ttl written + interval 1 day',
  shardBy: 'name',
};

/** Takes the lease with this name; undefined if another claim prevents it. */
export async function tryLease(
  engine: Pick<ClickHouseEngine, 'query' | 'insert'>,
  name: string,
  now: () => number,
): Promise<Lock | undefined> {
  const id = randomUUID();
  let until = 0;
  const write = async (phase: Phase): Promise<void> => {
    const expiry = now() + LEASE_MILLISECONDS;
    const holder = thisHolder(expiry);
    const written = { name, id, phase, holder: JSON.stringify(holder), version: VERSIONS[phase] };
    await engine.insert('sync_claims', [written]);
    until = expiry;
  };
  const others = async (phase: Phase): Promise<readonly string[]> => {
    const rows = await engine.query(
      'select id, holder from sync_claims final where name = {name:String} and id <> {id:String} and phase = {phase:String}',
      { name, id, phase },
    );
    return rows.filter(([, holder]) => !isFree(String(holder), now())).map(([other]) => String(other));
  };
  const isBlocked = async (): Promise<boolean> => {
    if ((await others('held')).length > 0) return true;
    return (await others('asks')).some((other) => other < id);
  };
  const renew = async (): Promise<void> => {
    // While this lease was expired, another process may have held and released it, which cannot be detected now.
    if (until <= now() || (await others('held')).length > 0) throw lockLost();
    await write('held');
    if ((await others('held')).length === 0) return;
    await write('withdrawn');
    throw lockLost();
  };
  if ((await others('held')).length > 0) return undefined;
  await write('asks');
  if (!(await isBlocked())) {
    await write('held');
    if ((await others('held')).length === 0) return { renew, release: () => write('withdrawn') };
  }
  await write('withdrawn');
  return undefined;
}

type Phase = 'asks' | 'held' | 'withdrawn';

/** The claim with the highest version counts; a renewal replaces the renewed claim. */
const VERSIONS: Readonly<Record<Phase, number>> = { asks: 1, held: 2, withdrawn: 3 };
