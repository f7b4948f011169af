/** Two workers on one repository: one of them waits, on every kind of database. */
import { expect, it } from 'vitest';
import { openPostgresLocks, withSharedLocks } from '../../src/sync/sinks/postgres-locks.js';
import type { Lock, LockKey, Sink } from '../../src/sync/sinks/sink.js';
import { createEmptyDatabase } from '../support/postgres.js';
import { describeOnEachDatabase } from './databases.js';
import { openDatabase } from './harness.js';

const key: LockKey = { repoId: '0b7f6a2e-1111-8111-8111-000000000001', target: 'git', source: 'local' };
const other: LockKey = { ...key, repoId: '0b7f6a2e-1111-8111-8111-000000000002' };

describeOnEachDatabase('the lock of a repository', (engine) => {
  it('is one worker’s until it is released, and then the next one’s', async () => {
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

  it('goes to one of several that ask at the same moment at most, and to one of them soon', async () => {
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
    it('can be taken again once a worker that vanished has let its lease expire', async () => {
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

  it('is also that of the PostgreSQL of a server, where one is given', async () => {
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
