/** A ClickHouse server or cluster, over HTTP. */
import { ClickHouseLogLevel } from '@clickhouse/client';
import { QUERY_SETTINGS, type ClickHouseEngine } from './engine.js';
import { hostsOf } from './hosts.js';
import { openClickHouseHost, type ClickHouseHost } from './silent-host.js';

/**
 * Settings of all statements on a cluster. Parameters of the address replace them (`clickhouse_setting_insert_quorum=0`).
 */
const CLUSTER_SETTINGS = {
  // An insert ends when the shards have stored its rows, each on most of its replicas.
  insert_distributed_sync: 1,
  insert_quorum: 'auto',
  // An identical insert, after a deletion, would be taken for a repetition and dropped.
  insert_deduplicate: 0,
  // All statements use the first replica that is up, so that they see what earlier ones wrote.
  load_balancing: 'in_order',
  prefer_localhost_replica: 0,
  // Tables that subqueries join have the same sharding key.
  distributed_product_mode: 'local',
  // Statements about one repository ask one shard.
  optimize_skip_unused_shards: 1,
} as const;

/**
 * Creates the clients; the first statement connects.
 *
 * @param address from `clickHouseUrl`. Of several hosts the first that can be reached answers. A statement that lost its
 *   connection, or whose host became silent, is sent to the next one: all that Plumbline sends may be repeated.
 */
export function openClickHouseServer(address: string): ClickHouseEngine {
  const { urls, cluster } = hostsOf(address);
  const hosts = urls.map((url) =>
    openClickHouseHost({
      url,
      application: 'plumbline',
      // Longer than any query: the engine's own timeout comes first.
      request_timeout: 320_000,
      log: { level: ClickHouseLogLevel.OFF },
      clickhouse_settings: cluster === undefined ? QUERY_SETTINGS : { ...QUERY_SETTINGS, ...CLUSTER_SETTINGS },
    }),
  );
  const onHost = failingOver(hosts);
  return {
    cluster,
    query: (statement, parameters, limits) =>
      onHost(async (client, silent) => {
        const result = await client.query({
          query: statement,
          query_params: { ...parameters },
          format: 'JSONCompactEachRow',
          ...(limits === undefined
            ? { abort_signal: silent }
            : {
                abort_signal: AbortSignal.any([limits.signal, silent]),
                clickhouse_settings: {
                  max_execution_time: limits.timeoutSeconds,
                  // The client's abort closes the connection; this setting then cancels the query.
                  cancel_http_readonly_queries_on_client_close: 1,
                },
              }),
        });
        return result.json<unknown[]>();
      }),
    records: (statement, parameters) =>
      onHost(async (client, silent) => {
        const result = await client.query({
          query: statement,
          query_params: { ...parameters },
          format: 'JSONEachRow',
          abort_signal: silent,
        });
        return result.json<Record<string, unknown>>();
      }),
    command: (statement, parameters) =>
      onHost(async (client, silent) => {
        await client.command({ query: statement, query_params: { ...parameters }, abort_signal: silent });
      }),
    insert: (table, rows) =>
      onHost(async (client, silent) => {
        await client.insert({ table, values: rows, format: 'JSONEachRow', abort_signal: silent });
      }),
    close: async () => {
      await Promise.all(hosts.map((host) => host.close()));
    },
  };
}

type OnHost = ClickHouseHost['run'];

function failingOver(hosts: readonly ClickHouseHost[]): OnHost {
  let current = 0;
  return async (work) => {
    for (let tried = 1; ; tried += 1) {
      const at = current;
      const host = hosts[at];
      if (host === undefined) throw new Error('The address of ClickHouse names no host');
      try {
        return await host.run(work);
      } catch (error) {
        if (tried >= hosts.length || !isUnreachable(error)) throw error;
        // Unless another statement has moved on already.
        if (current === at) current = (at + 1) % hosts.length;
      }
    }
  };
}

const UNREACHABLE = /^(?:ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE)$/;

function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message === 'socket hang up' || ('code' in error && UNREACHABLE.test(String(error.code)));
}
