/** Two workers on one repository: one of them waits, on every kind of database. */
import Database from 'libsql';
import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { openPostgresLocks, tryLock, withSharedLocks } from '../../src/sync/sinks/postgres-locks.js';
import type { Lock, LockKey, Sink } from '../../src/sync/sinks/sink.js';
import { tryRenewedLock, type RenewedLock } from '../../src/sync/sinks/wait-for-lock.js';
import { createEmptyDatabase } from '../support/postgres.js';
import { describeOnEachDatabase } from './databases.js';
import { openDatabase, sqliteUri } from './harness.js';

const key: LockKey = { repoId: '0b7f6a2e-1111-8111-8111-000000000001', target: 'git', source: 'local' };
const other: LockKey = { ...key, repoId: '0b7f6a2e-1111-8111-8111-000000000002' };

describeOnEachDatabase('the lock of a repository', (engine) => {
  it('belongs to one worker until it is released, and then to the next one', async () => {
    const db = await engine.newDatabase();
    const [one, two] = [await openDatabase(db, Date.now), await openDatabase(db, Date.now)];
    const lock = await one.tryLock(key);
    expect(lock).toBeDefined();
    expect(await two.tryLock(key)).toBeUndefined();
    await lock?.renew();
    expect(await two.tryLock(key)).toBeUndefined();
    const apart = await two.tryLock(other);
    expect(apart).toBeDefined();
    await lock?.release();
    const next = await two.tryLock(key);
    expect(next).toBeDefined();
    await next?.release();
    await apart?.release();
  });

  it('goes to at most one of several simultaneous requests, and soon to one of them', async () => {
    const db = await engine.newDatabase();
    const sinks: Sink[] = [];
    for (let number = 0; number < 4; number += 1) sinks.push(await openDatabase(db, Date.now));
    let taken: Lock | undefined;
    for (let tries = 0; taken === undefined && tries < 50; tries += 1) {
      const locks = (await Promise.all(sinks.map((sink) => sink.tryLock(key)))).filter((lock) => lock !== undefined);
      expect(locks.length).toBeLessThanOrEqual(1);
      [taken] = locks;
    }
    expect(taken).toBeDefined();
    await taken?.release();
  });

  if (engine.kind === 'clickhouse') {
    it('can be taken after the lease of a vanished worker has expired', async () => {
      const db = await engine.newDatabase();
      let time = Date.now();
      const sink = await openDatabase(db, () => time);
      expect(await sink.tryLock(key)).toBeDefined();
      time += 119_000;
      expect(await sink.tryLock(key)).toBeUndefined();
      time += 2000;
      const next = await sink.tryLock(key);
      expect(next).toBeDefined();
      await next?.release();
    });
  }

  it('is also taken in the PostgreSQL of a server, if one is configured', async () => {
    const database = await createEmptyDatabase();
    const [locks, otherServer] = [openPostgresLocks(database.uri), openPostgresLocks(database.uri)];
    try {
      const sink = withSharedLocks(await openDatabase(await engine.newDatabase(), Date.now), locks);
      const foreign = await otherServer.tryLock(key);
      expect(await sink.tryLock(key)).toBeUndefined();
      await foreign?.release();
      const own = await sink.tryLock(key);
      expect(own).toBeDefined();
      expect(await otherServer.tryLock(key)).toBeUndefined();
      expect(await locks.tryLock(key)).toBeUndefined();
      await own?.renew();
      await own?.release();
      const next = await otherServer.tryLock(key);
      expect(next).toBeDefined();
      await next?.release();
    } finally {
      await locks.close();
      await otherServer.close();
      await database.drop();
    }
  });
});

describeOnEachDatabase('a lock that was lost', (engine) => {
  /** Takes the lock of `one` away, as after a pause of its process in which the lease expired. */
  async function taken(): Promise<{ one: Lock; next: Lock | undefined }> {
    const db = await engine.newDatabase();
    let time = Date.now();
    const sinks = [await openDatabase(db, () => time), await openDatabase(db, () => time)] as const;
    const one = await sinks[0].tryLock(key);
    if (one === undefined) throw new Error('the lock is free');
    if (engine.kind === 'postgres') await endConnectionsOfLocks(db);
    time += 121_000;
    // The lease of a process that lives on this machine can be taken once it has expired.
    let next: Lock | undefined;
    for (let tries = 0; next === undefined && tries < 100; tries += 1) next = await sinks[1].tryLock(key);
    return { one, next };
  }

  it('is reported as lost by its renewal, and its release keeps the lock of the next holder', async () => {
    const { one, next } = await taken();
    expect(next).toBeDefined();
    await expect(one.renew()).rejects.toMatchObject({ code: 'lock_lost', message: expect.stringContaining('resumes') });
    await one.release();
    await next?.renew();
    await next?.release();
  });
});

/**
 * Ends the connections to this database that hold locks, as a restart of PostgreSQL does, and waits until they have ended.
 * Other test files use other databases of the same server: their connections stay.
 */
async function endConnectionsOfLocks(uri: string): Promise<void> {
  const sql = postgres(uri, { max: 1, onnotice: () => undefined });
  await sql`
    select pg_terminate_backend(pid, 30000)
      from pg_locks
     where locktype = 'advisory'
       and database = (select oid from pg_database where datname = current_database())
       and pid <> pg_backend_pid()`;
  await sql.end();
}

it('a lock whose connection PostgreSQL ends is lost at once, and its release does not wait', async () => {
  const database = await createEmptyDatabase();
  const locks = openPostgresLocks(database.uri);
  try {
    const lock = await locks.tryLock(key);
    const lost = new Promise((resolve) => lock?.lost?.addEventListener('abort', resolve));
    await endConnectionsOfLocks(database.uri);
    await lost;
    expect(lock?.lost?.reason).toMatchObject({ code: 'lock_lost' });
    await lock?.release();
    const next = await locks.tryLock(key);
    expect(next).toBeDefined();
    await next?.release();
  } finally {
    await locks.close();
    await database.drop();
  }
});

it('a lock that cannot be requested returns its connection to the pool', async () => {
  const database = await createEmptyDatabase();
  const sql = postgres(database.uri, { max: 1, onnotice: () => undefined });
  try {
    // A name that PostgreSQL does not store: the statement fails, in the transaction.
    for (let tries = 0; tries < 3; tries += 1) await expect(tryLock(sql, '\0')).rejects.toThrow();
    const lock = await tryLock(sql, 'a name');
    expect(lock).toBeDefined();
    await lock?.release();
  } finally {
    await sql.end();
    await database.drop();
  }
});

describe('a lock that is renewed', () => {
  async function held(): Promise<{ db: string; other: Sink; clock: { time: number }; lock: RenewedLock }> {
    const db = sqliteUri();
    const clock = { time: Date.now() };
    const now = (): number => clock.time;
    const [sink, other] = [await openDatabase(db, now), await openDatabase(db, now)];
    const lock = await tryRenewedLock(sink, key, now);
    if (lock === undefined) throw new Error('the lock is taken');
    return { db, other, clock, lock };
  }

  it('is checked after a pause of its process, before the next step writes', async () => {
    const { other, clock, lock } = await held();
    await lock.assertHeld();
    clock.time += 121_000;
    const next = await other.tryLock(key);
    await expect(lock.assertHeld()).rejects.toMatchObject({ code: 'lock_lost' });
    expect(lock.signal.reason).toMatchObject({ code: 'lock_lost' });
    await lock.release();
    await next?.renew();
  });

  it('is kept after a pause in which no other process took it', async () => {
    const { other, clock, lock } = await held();
    clock.time += 600_000;
    await lock.assertHeld();
    expect(await other.tryLock(key)).toBeUndefined();
    await lock.release();
  });

  it('survives failed renewals until the lease expires', async () => {
    const { db, clock, lock } = await held();
    const broken = new Database(db.replace('sqlite:', ''));
    broken.exec('drop table sync_locks');
    broken.close();
    clock.time += 60_000;
    await lock.assertHeld();
    clock.time += 60_000;
    await expect(lock.assertHeld()).rejects.toMatchObject({ code: 'lock_lost' });
  });
});
