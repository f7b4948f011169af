/**
 * The statements that create and change tables, on one server or on a cluster.
 *
 * On a cluster a table `name` is two: `name_local` on each server, a ReplicatedReplacingMergeTree with the rows of its
 * shard, and `name`, which is Distributed over them. Statements that read or insert rows are the same as on one server.
 * Each table has a sharding key that all versions of a row have in common, so that they meet on one shard: `final`
 * replaces within a shard only.
 */
import type { ClickHouseEngine } from './engine.js';

export interface TableDefinition {
  readonly name: string;
  /** Each with its type, in order. */
  readonly columns: readonly string[];
  readonly indexes?: readonly string[];
  /** The arguments of ReplacingMergeTree. */
  readonly replacing: string;
  readonly orderBy: string;
  readonly partitionBy?: string;
  /** `ttl`, `settings`. */
  readonly clauses?: string;
  /** Columns of the sharding key. Tables that subqueries join have the same one. */
  readonly shardBy: string;
}

type Cluster = string | undefined;

/** The statements that create a table if it does not exist. */
export function createTable(table: TableDefinition, cluster: Cluster): readonly string[] {
  const { name, columns, indexes = [], replacing, orderBy, partitionBy, clauses = '', shardBy } = table;
  const create = (created: string): string => `create table if not exists ${created}${onCluster(cluster)}`;
  const partition = partitionBy === undefined ? '' : ` partition by ${partitionBy}`;
  const stored =
    `(${[...columns, ...indexes].join(', ')}) ` +
    `engine = ${cluster === undefined ? '' : 'Replicated'}ReplacingMergeTree(${replacing})` +
    `${partition} order by (${orderBy}) ${clauses}`;
  if (cluster === undefined) return [`${create(name)} ${stored}`];
  const engine = `Distributed('${cluster}', currentDatabase(), '${localName(name)}', cityHash64(${shardBy}))`;
  return [`${create(localName(name))} ${stored}`, `${create(name)} (${columns.join(', ')}) engine = ${engine}`];
}

/** @param changes the text after the table's name */
export function alterTable(name: string, changes: string, cluster: Cluster): readonly string[] {
  // The table that is read changes last: its columns tell that nothing is left to do.
  const names = cluster === undefined ? [name] : [localName(name), name];
  return names.map((altered) => `alter table ${altered}${onCluster(cluster)} ${changes}`);
}

/** A Distributed table has no deletion. */
export function deleteRows(name: string, condition: string, cluster: Cluster): string {
  return `delete from ${cluster === undefined ? name : localName(name)}${onCluster(cluster)} where ${condition}`;
}

/** The statement that leaves one version of each row. */
export function mergeTable(name: string, cluster: Cluster): string {
  return `optimize table ${cluster === undefined ? name : localName(name)}${onCluster(cluster)} final`;
}

function localName(name: string): string {
  return `${name}_local`;
}

function onCluster(cluster: Cluster): string {
  return cluster === undefined ? '' : ` on cluster '${cluster}'`;
}

/**
 * `create table if not exists` would keep a table of the other kind.
 *
 * @throws Error when the table exists and was created without the cluster, or with one that the address does not name
 */
export async function requireLayout(engine: Pick<ClickHouseEngine, 'query' | 'cluster'>, table: string): Promise<void> {
  const [found] = await engine.query(
    'select engine from system.tables where database = currentDatabase() and name = {table:String}',
    { table },
  );
  if (found === undefined || (found[0] === 'Distributed') === (engine.cluster !== undefined)) return;
  throw new Error(
    engine.cluster === undefined
      ? `The table ${table} belongs to a cluster: append ?cluster=NAME to the address.`
      : `The table ${table} belongs to a single server. Create an empty database on the cluster, and sync again.`,
  );
}
