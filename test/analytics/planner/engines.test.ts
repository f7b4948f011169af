import { expect, it } from 'vitest';
import { parseAnalyticsUri } from '../../../src/analytics/address.js';
import { AnalyticsFailed, QueryTimeout } from '../../../src/analytics/analytics.js';
import { openChdb } from '../../../src/analytics/clickhouse/chdb.js';
import { openClickHouseServer } from '../../../src/analytics/clickhouse/server.js';
import { openClickHouseEngine } from '../../../src/analytics/planner/clickhouse.js';
import type { QueryEngine } from '../../../src/analytics/planner/engine.js';
import { openPostgresEngine } from '../../../src/analytics/planner/postgres.js';
import { openSqliteEngine } from '../../../src/analytics/planner/sqlite.js';
import type { Statement } from '../../../src/analytics/planner/statements.js';
import { openWorkUnitStore } from '../../../src/analytics/store/open.js';
import { describeOnEachEngine, openOptions, type EngineKind } from '../engines.js';

/** Statements that take minutes when nothing stops them. */
const slow: Readonly<Record<EngineKind, string>> = {
  postgres: 'select count(*) from generate_series(1, 20000000000::bigint)',
  sqlite:
    'with recursive n(x) as (select 1 union all select x + 1 from n where x < 10000000000) select count(*) from n',
  clickhouse: 'select count() from numbers(10000000000000) where sipHash64(number) % 7 = 1',
  chdb: 'select count() from numbers(10000000000000) where sipHash64(number) % 7 = 1',
};

function statement(text: string): Statement {
  return { text, parameters: [] };
}

async function openEngine(kind: EngineKind, uri: string, timeoutSeconds: number): Promise<QueryEngine> {
  const { address } = parseAnalyticsUri(uri);
  switch (kind) {
    case 'postgres':
      return openPostgresEngine(address, timeoutSeconds, openOptions.log);
    case 'sqlite':
      return openSqliteEngine(address, timeoutSeconds);
    case 'clickhouse':
      return openClickHouseEngine(openClickHouseServer(address), timeoutSeconds, 4);
    case 'chdb':
      return openClickHouseEngine(await openChdb(address, openOptions.importChdb), timeoutSeconds, 1);
  }
}

describeOnEachEngine('a statement that would take minutes', (engine) => {
  async function withEngine(timeoutSeconds: number, work: (opened: QueryEngine) => Promise<void>): Promise<void> {
    const uri = await engine.newUri();
    // SQLite reads no file that does not exist.
    const store = await openWorkUnitStore(parseAnalyticsUri(uri), openOptions);
    await store.ensureSchema();
    await store.close();
    const opened = await openEngine(engine.kind, uri, timeoutSeconds);
    try {
      await work(opened);
    } finally {
      await opened.close();
    }
  }

  it('is ended by the time limit, and the engine keeps working', async () => {
    await withEngine(1, async (opened) => {
      const asked = opened.run([statement(slow[engine.kind]), statement('select 1')], new AbortController().signal);
      await expect(asked).rejects.toThrow(QueryTimeout);
      const [rows] = await opened.run([statement('select 7')], new AbortController().signal);
      expect(rows?.map((row) => row.map(Number))).toEqual([[7]]);
    });
  });

  // The front of the test's ClickHouse server answers one request after another: an abort would never reach it.
  const deaf = engine.kind === 'clickhouse' ? ' (skipped: the front of the test cannot be interrupted)' : '';
  it.skipIf(deaf !== '')(`is ended when its caller disconnects, and the engine keeps working${deaf}`, async () => {
    await withEngine(60, async (opened) => {
      const leaving = new AbortController();
      const asked = opened.run([statement(slow[engine.kind])], leaving.signal);
      setTimeout(() => {
        leaving.abort(new Error('the client is gone'));
      }, 200);
      await expect(asked).rejects.toThrow('the client is gone');
      // A connection that were still at work would not get to this.
      const [rows] = await opened.run([statement('select 7')], new AbortController().signal);
      expect(rows?.map((row) => row.map(Number))).toEqual([[7]]);
    });
  });

  it('fails without the message of the driver if it is invalid', async () => {
    await withEngine(5, async (opened) => {
      const failure: unknown = await opened
        .run([statement('select nonsense')], new AbortController().signal)
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(AnalyticsFailed);
      expect(String(failure)).toBe('AnalyticsFailed: The analytics store could not answer.');
    });
  });
});
