/** A ClickHouse server or cluster, over HTTP. */
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { QUERY_SETTINGS, type ClickHouseEngine } from './engine.js';

/** Creates the client; the first statement connects. `url` is an http(s) address with the database as its path. */
export function openClickHouseServer(url: string): ClickHouseEngine {
  const client = createClient({
    url,
    application: 'plumbline',
    // Longer than any query: the engine's own timeout comes first.
    request_timeout: 320_000,
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: QUERY_SETTINGS,
  });
  return {
    async query(statement, parameters, limits) {
      const result = await client.query({
        query: statement,
        query_params: { ...parameters },
        format: 'JSONCompactEachRow',
        ...(limits === undefined
          ? {}
          : {
              abort_signal: limits.signal,
              clickhouse_settings: {
                max_execution_time: limits.timeoutSeconds,
                // The client's abort closes the connection; this setting then cancels the query.
                cancel_http_readonly_queries_on_client_close: 1,
              },
            }),
      });
      return result.json<unknown[]>();
    },
    async records(statement, parameters) {
      const result = await client.query({ query: statement, query_params: { ...parameters }, format: 'JSONEachRow' });
      return result.json<Record<string, unknown>>();
    },
    async command(statement, parameters) {
      await client.command({ query: statement, query_params: { ...parameters } });
    },
    async insert(table, rows) {
      await client.insert({ table, values: rows, format: 'JSONEachRow' });
    },
    close: () => client.close(),
  };
}
