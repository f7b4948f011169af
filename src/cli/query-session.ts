/** The Analytics API in this process: the same schema, limits and checks as the server's, for one organization. */
import { AnalyticsUnavailable } from '../analytics/analytics.js';
import { createContext } from '../analytics/graphql/context.js';
import { createDocuments } from '../analytics/graphql/documents.js';
import { createExecutableSchema } from '../analytics/graphql/executable-schema.js';
import { executeQuery } from '../analytics/graphql/execute-query.js';
import { openAnalytics } from '../analytics/open.js';
import { systemClock } from '../platform/clock.js';
import { read } from '../platform/server/settings/setting.js';
import { settingsTable } from '../platform/server/settings/settings-table.js';
import { createUnitRecords } from '../platform/figures/analytics-api/stored-unit-records.js';
import { nonEmpty } from '../sync/request.js';
import { SyncError } from '../sync/failures.js';
import { commandEnvironment } from './environment.js';
import { createLog } from './log.js';
import type { JsonObject } from './query-rows.js';
import type { Variables } from './query-variables.js';
import { embeddedResolver } from './sync-run.js';
import { UsageError } from './usage-error.js';
import { withDerivation, type WorkUnitOptions } from './work-units.js';

/** A query of this process came with no HTTP request. */
const commandLine = { method: 'POST', headers: {}, query: {} };

/** Runs a query. @throws UsageError when the query is rejected, SyncError when the database cannot answer it */
export type Ask = (text: string, variables: Variables) => Promise<JsonObject>;

/** The server's default. */
const TIMEOUT_SECONDS = 30;

/** Opens the database of the options, and closes it after `work`. */
export async function withAnalytics(options: WorkUnitOptions, work: (ask: Ask) => Promise<void>): Promise<void> {
  const environment = await commandEnvironment(options);
  const maxDays = read(settingsTable.analyticsMaxDays, environment);
  const named = nonEmpty(options.db) ?? nonEmpty(environment['DATABASE_URI']) ?? '';
  if (named === '') {
    const databases = 'set --db or DATABASE_URI; --db embedded: is the built-in PostgreSQL';
    throw new UsageError(`neither a login nor a database: run plumbline login, or ${databases}`);
  }
  // The embedded database has an address only while it runs.
  const embedded = named === 'embedded:' ? await embeddedResolver(environment)() : undefined;
  try {
    const db = embedded?.uri ?? named;
    await withDerivation({ ...options, db }, async (resources) => {
      const log = createLog('warn', 2);
      const analytics = await openAnalytics(db, { timeoutSeconds: TIMEOUT_SECONDS, log });
      try {
        const schema = createExecutableSchema();
        const prepare = createDocuments(schema);
        const unitRecords = createUnitRecords({ of: (_orgId, question) => question(resources) });
        await work(async (text, variables) => {
          const { orgId } = resources;
          const { signal } = new AbortController();
          const now = systemClock.now().getTime();
          const context = createContext({ orgId, analytics, unitRecords, signal, now, maxDays });
          const query = { text, operationName: null, persistedId: null, variables: { ...variables, orgId } };
          const { data, errors = [] } = await executeQuery(commandLine, query, prepare(text), schema, context, {
            requestId: 'plumbline query',
            isUnavailable: (error) => error instanceof AnalyticsUnavailable,
            report: (error) => {
              log.error({ err: error }, 'query failed');
            },
          });
          const [first] = errors;
          if (first === undefined) return plainJson(data);
          const { code } = first.extensions;
          const message = errors.map((each) => `${each.extensions.code}: ${each.message}`).join('\n');
          if (code === 'VALIDATION_ERROR' || code === 'COST_LIMIT_EXCEEDED') throw new UsageError(message);
          throw new SyncError('database_failed', message);
        });
      } finally {
        await analytics.close();
      }
    });
  } finally {
    await embedded?.close();
  }
}

/** The data as a client of the server would receive it: without the prototypes and undefined values of graphql-js. */
function plainJson(data: unknown): JsonObject {
  return JSON.parse(JSON.stringify(data)) as JsonObject; // JSON.stringify writes JSON only
}
