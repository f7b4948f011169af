/** Opens the analytics of a store. */
import type { Log } from '../database/log.js';
import { parseAnalyticsUri } from './address.js';
import type { Analytics } from './analytics.js';
import type { ImportChdb } from './clickhouse/chdb.js';
import { inSpan } from '@plumbline/contract/system/tracing';
import { wholeNumber } from './planner/result-rows.js';
import type { QueryEngine } from './planner/engine.js';
import { listUnits } from './planner/list-units.js';
import { runBatch } from './planner/run-batch.js';
import { compile } from './planner/statements.js';

export interface AnalyticsOptions {
  /** Time limit of all statements of one query together. */
  readonly timeoutSeconds: number;
  readonly log: Log;
  /** How the optional package `chdb` is imported; tests pass one from another location. */
  readonly importChdb?: ImportChdb;
}

/** Maximum number of values that the catalog lists. */
const MAX_VALUES = 100;
/** Maximum number of concurrent statements on a ClickHouse server. */
const SERVER_STATEMENTS = 4;

/**
 * Opens the analytics. It never writes. A store without any sync returns no data.
 *
 * @param uri `postgres://`, `clickhouse://`, `chdb:` or `sqlite:`
 * @throws Error for other addresses, and for `chdb:` if the package is missing. An unreachable store is not an error:
 *   queries throw AnalyticsUnavailable until it is back.
 */
export async function openAnalytics(uri: string, options: AnalyticsOptions): Promise<Analytics> {
  const engine = traced(await openEngine(uri, options));
  return {
    async values(orgId, dimension, signal, search = null) {
      const statement = compile(engine.dialect, { kind: 'values', orgId, dimension, search, limit: MAX_VALUES });
      const [rows = []] = await engine.run([statement], signal);
      return rows.map(([value, count]) => ({ value: String(value), count: Number(wholeNumber(count)) }));
    },
    async firstDay(orgId, repos, signal) {
      const statement = compile(engine.dialect, { kind: 'first-day', orgId, repos });
      const [rows = []] = await engine.run([statement], signal);
      const [first] = rows.map(([day]) => String(day));
      return first ?? null;
    },
    units: (orgId, request, signal) => listUnits(engine, orgId, request, signal),
    run: (orgId, batch, signal) => runBatch(engine, orgId, batch, signal),
    async ping(signal) {
      await engine.run([{ text: 'select 1', parameters: [] }], signal);
    },
    close: () => engine.close(),
  };
}

/** The engine with a span around each run of statements. */
function traced(engine: QueryEngine): QueryEngine {
  return {
    ...engine,
    run: (statements, signal, follow) => {
      const { name } = engine.dialect;
      // The semantic conventions of OpenTelemetry have a name for each system.
      const system = name === 'postgres' ? 'postgresql' : name;
      const attributes = { 'db.system.name': system, 'db.operation.batch.size': statements.length };
      return inSpan('query analytics', { kind: 'client', attributes }, () => engine.run(statements, signal, follow));
    },
  };
}

async function openEngine(uri: string, { timeoutSeconds, log, importChdb }: AnalyticsOptions): Promise<QueryEngine> {
  const { kind, address } = parseAnalyticsUri(uri);
  switch (kind) {
    case 'postgres':
      return (await import('./planner/postgres.js')).openPostgresEngine(address, timeoutSeconds, log);
    case 'sqlite':
      return (await import('./planner/sqlite.js')).openSqliteEngine(address, timeoutSeconds);
    case 'clickhouse': {
      const { openClickHouseServer } = await import('./clickhouse/server.js');
      const { openClickHouseEngine } = await import('./planner/clickhouse.js');
      return openClickHouseEngine(openClickHouseServer(address), timeoutSeconds, SERVER_STATEMENTS);
    }
    case 'chdb': {
      const { openChdb } = await import('./clickhouse/chdb.js');
      const { openClickHouseEngine } = await import('./planner/clickhouse.js');
      return openClickHouseEngine(await openChdb(address, importChdb), timeoutSeconds, 1);
    }
  }
}
