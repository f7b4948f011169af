/** A sync writes a unit between the moments when a correction's withdrawal or classification reads and writes it. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAnalyticsUri } from '../../../src/analytics/address.js';
import type { ClickHouseEngine } from '../../../src/analytics/clickhouse/engine.js';
import { openClickHouseServer } from '../../../src/analytics/clickhouse/server.js';
import { openClickHouseStore } from '../../../src/analytics/store/clickhouse.js';
import type { Classified, WorkUnit, WorkUnitChange, WorkUnitStore } from '../../../src/analytics/work-unit.js';
import { sharedClickHouse, whyMissing } from '../../support/clickhouse-http.js';
import { openOptions } from '../engines.js';

const repoId = '11111111-1111-4111-8111-111111111111';
const id = `${repoId}:commit:a`;
const testing: Classified = {
  ...{ theme: 'quality', subcategory: 'quality.testing' },
  shares: [{ subcategory: 'quality.testing', share: 1 }],
};
const security: Classified = {
  ...{ theme: 'risk', subcategory: 'risk.security' },
  shares: [{ subcategory: 'risk.security', share: 1 }],
};
const unit: WorkUnit = {
  ...{ id, workType: 'commit', repo: 'group/one', team: 'platform', author: 'ada@example.com', ...testing },
  ...{ startedAt: 1_700_000_000_000, completedAt: 1_700_000_360_000, day: '2023-11-14', churnLoc: 120 },
};

const missing = whyMissing();
const skipped = missing === undefined ? '' : ` (skipped: ${missing})`;

describe.skipIf(missing !== undefined)(`a sync during a change of a classification${skipped}`, () => {
  let uri: string;
  let sync: WorkUnitStore;
  beforeAll(async () => {
    uri = await (await sharedClickHouse()).newDatabase('corrections');
    sync = openClickHouseStore(open(), openOptions);
    await sync.ensureSchema();
  });
  afterAll(async () => {
    await sync.close();
  });

  const open = (): ClickHouseEngine => openClickHouseServer(parseAnalyticsUri(uri).address);
  const changeOf = (orgId: string, change: Partial<WorkUnitChange>): WorkUnitChange => {
    return { orgId, repoId, units: [], removed: [], ...change };
  };

  /** Runs work on a store of another process. The sync makes a change before the first step of a kind. */
  const during = async (
    moment: 'read' | 'insert',
    change: WorkUnitChange,
    work: (store: WorkUnitStore) => Promise<unknown>,
  ): Promise<void> => {
    const engine = open();
    let isFirst = true;
    const interrupt = async (): Promise<void> => {
      if (!isFirst) return;
      isFirst = false;
      await sync.apply(change);
    };
    const store = openClickHouseStore(
      {
        ...engine,
        insert: async (table, rows) => {
          if (moment === 'insert' && table === 'work_units') await interrupt();
          await engine.insert(table, rows);
        },
        query: async (statement, ...rest) => {
          // The unit has been read before.
          if (moment === 'read' && statement.startsWith('select id, subcategory')) await interrupt();
          return engine.query(statement, ...rest);
        },
      },
      openOptions,
    );
    await work(store);
    expect(isFirst).toBe(false);
    await store.close();
  };
  const correct = (store: WorkUnitStore, orgId: string): Promise<boolean> =>
    store.correct(orgId, {
      ...{ unitId: id, subcategory: 'risk.security', note: null, correctedAt: 1_700_000_500_000 },
      correctedBy: 'ada@example.com',
    });

  it.each([
    ['read', '2023-11-14'],
    ['read', '2023-12-01'],
    ['insert', '2023-11-14'],
    ['insert', '2023-12-01'],
  ] as const)('before a step (%s) keeps what it stored on %s, and the classification', async (moment, day) => {
    const orgId = randomUUID();
    await sync.apply(changeOf(orgId, { units: [unit] }));
    const newer = { ...unit, day, churnLoc: 999 };
    await during(moment, changeOf(orgId, { units: [newer] }), (store) => store.classify(orgId, id, security));
    expect(await sync.find(orgId, id)).toEqual({ ...newer, ...security });

    await during(moment, changeOf(orgId, { units: [unit] }), (store) => correct(store, orgId));
    expect(await sync.find(orgId, id)).toEqual({ ...unit, ...security });

    await during(moment, changeOf(orgId, { units: [newer] }), (store) => store.withdraw(orgId, id, testing));
    expect(await sync.find(orgId, id)).toEqual({ ...newer, ...testing });
  });

  it.each(['read', 'insert'] as const)('before a step (%s) keeps a unit removed', async (moment) => {
    const orgId = randomUUID();
    const remove = changeOf(orgId, { removed: [id] });
    const restore = (): Promise<void> => sync.apply(changeOf(orgId, { units: [unit] }));
    await restore();
    await during(moment, remove, (store) => store.classify(orgId, id, security));
    expect(await sync.find(orgId, id)).toBeUndefined();
    await restore();
    await during(moment, remove, (store) => correct(store, orgId));
    expect(await sync.find(orgId, id)).toBeUndefined();
    await restore();
    await during(moment, remove, (store) => store.withdraw(orgId, id, testing));
    expect(await sync.find(orgId, id)).toBeUndefined();
    await restore();
    expect(await sync.find(orgId, id)).toEqual(unit);
  });
});
