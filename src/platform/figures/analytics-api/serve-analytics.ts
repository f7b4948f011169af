import { AnalyticsUnavailable, type Analytics } from '../../../analytics/analytics.js';
import { createGraphqlPages } from '../../../analytics/graphql/graphql-routes.js';
import { openAnalytics } from '../../../analytics/open.js';
import type { UnitRecords } from '../../../analytics/unit-records.js';
import type { PageRoute } from '@plumbline/contract/page-routes';
import { isStatementTimeout, isTransient } from '../../../database/failures.js';
import { organizationSchemes } from '../../identity/accounts/organization-schemes.js';
import type { PlatformDependencies } from '../../dependencies.js';
import type { Metrics } from '../../server/operations/metrics.js';
import { graphqlCallerOf } from './graphql-caller.js';
import { createUnitRecords } from './stored-unit-records.js';

/** The Analytics API of the Platform server. */
export interface ServedAnalytics {
  readonly pages: readonly PageRoute[];
  readonly analytics: Pick<Analytics, 'run' | 'ping'>;
  readonly unitRecords: Pick<UnitRecords, 'calendar'>;
  close(): Promise<void>;
}

/**
 * Opens the analytics store and creates the pages below `/graphql`.
 *
 * @param uri the address of the store
 * @param importConnector imports optional packages; default: `import()`
 */
export async function serveAnalytics(
  uri: string,
  { settings, sql, log, records, clock }: PlatformDependencies,
  metrics: Metrics,
  importConnector?: (name: string) => Promise<unknown>,
): Promise<ServedAnalytics> {
  const analytics = await openAnalytics(uri, {
    timeoutSeconds: settings.analyticsQueryTimeoutSeconds,
    log,
    ...(importConnector === undefined ? {} : { importChdb: () => importConnector('chdb') }),
  });
  const unitRecords = createUnitRecords(records);
  const pages = createGraphqlPages({
    analytics,
    unitRecords,
    now: () => clock.now(),
    maxDays: settings.analyticsMaxDays,
    schemes: organizationSchemes,
    callerOf: (principal) => graphqlCallerOf({ sql, clock }, principal),
    // The statement that timed out belongs to the check of the membership; the store has its own error for timeouts.
    isUnavailable: (error) => error instanceof AnalyticsUnavailable || isTransient(error) || isStatementTimeout(error),
    persistedQueriesOnly: settings.persistedQueriesOnly,
    graphiql: { script: asset('graphiql.js'), style: asset('graphiql.css') },
    answered: metrics.observeQuery,
  });
  return { pages, analytics, unitRecords, close: () => analytics.close() };
}

/** Built files exist only in the built tree, which is beside the sources. */
function asset(name: string): URL {
  const builtTree = import.meta.url.includes('/dist/src/') ? '../../../../' : '../../../../dist/';
  return new URL(`${builtTree}graphiql/${name}`, import.meta.url);
}
