/**
 * A cluster of several shards on one chdb, which cannot serve other servers. Statements run on the real engine; this
 * file plays what runs between servers:
 *
 * - `on cluster` statements are parsed by the engine as they are, then run in a database per shard, without replication.
 * - Distributed tables are created with the cluster of the engine's configuration. Rows inserted into one go to the shard
 *   that its sharding key gives, evaluated by the engine. Statements that read one read a Merge table over the shards.
 */
export const CLUSTER = 'plumbline';

/** The connection of chdb to its engine. */
export interface Session {
  query(sql: string, format?: string): string;
}

/** The configuration of the engine; nothing listens at the addresses. */
export function clusterConfiguration(shards: number): string {
  const replica = '<replica><host>127.0.0.1</host><port>9000</port></replica>';
  const shard = `<shard><internal_replication>true</internal_replication>${replica}</shard>`;
  const cluster = shards === 0 ? '' : `<${CLUSTER}>${shard.repeat(shards)}</${CLUSTER}>`;
  return `<clickhouse><remote_servers>${cluster}</remote_servers></clickhouse>`;
}

type Run = (text: string, format: string, database: string) => string;

/** @returns what runs a statement in a database */
export function openShards(session: Session, shards: number): Run {
  const shardsOf = (database: string): readonly string[] =>
    Array.from({ length: shards }, (_, index) => `${database}_shard_${index + 1}`);
  /** The sharding keys of Distributed tables, by database and name. */
  const keys = new Map<string, string>();

  const mergeShards = (database: string, local: string, name: string): void => {
    session.query(`drop table if exists ${name}_all`);
    const [first = ''] = shardsOf(database);
    const merged = `Merge(REGEXP('^${database}_shard_[0-9]+$'), '^${local}$')`;
    session.query(`create table ${name}_all as ${first}.${local} engine = ${merged}`);
  };

  const onShards = (statement: string, database: string): void => {
    for (const shard of shardsOf(database)) {
      session.query(`use ${shard}`);
      session.query(statement);
    }
    session.query(`use ${database}`);
  };

  const onCluster = (statement: string, database: string): string => {
    const alone = statement.replace(/ on cluster '[^']*'/, '');
    const [, created] = /^\s*create database (\w+)/.exec(alone) ?? [];
    if (created !== undefined) {
      for (const name of [created, ...shardsOf(created)]) session.query(`create database ${name}`);
      return '';
    }
    session.query(`explain ast ${statement}`);
    const [, table = ''] = /^\s*(?:create table if not exists|alter table|delete from) (\w+)/.exec(alone) ?? [];
    const name = table.replace(/_local$/, '');
    if (name !== table) {
      onShards(alone.replace('engine = Replicated', 'engine = '), database);
      if (alone.startsWith('alter')) mergeShards(database, table, name);
      return '';
    }
    session.query(alone);
    const [, key] = /Distributed\(.*, (cityHash64\([^)]*\))\)/.exec(alone) ?? [];
    if (key !== undefined) {
      keys.set(`${database}.${name}`, key);
      mergeShards(database, `${name}_local`, name);
    }
    return '';
  };

  const insert = (statement: string, database: string, table: string, key: string): string => {
    const [first = ''] = shardsOf(database);
    session.query(`create or replace table ${table}_arriving as ${first}.${table}_local engine = Memory`);
    session.query(statement.replace(table, `${table}_arriving`));
    for (const [index, shard] of shardsOf(database).entries()) {
      session.query(
        `insert into ${shard}.${table}_local select * from ${table}_arriving where ${key} % ${shards} = ${index}`,
      );
    }
    session.query(`drop table ${table}_arriving`);
    return '';
  };

  return (statement, format, database) => {
    if (/ on cluster '/.test(statement)) return onCluster(statement, database);
    const [, table = ''] = /^\s*insert into (\w+)/i.exec(statement) ?? [];
    const key = keys.get(`${database}.${table}`);
    if (key !== undefined) return insert(statement, database, table, key);
    const read = statement.replace(/\b(from|join) (\w+)/gi, (found, word: string, name: string) =>
      keys.has(`${database}.${name}`) ? `${word} ${name}_all` : found,
    );
    return session.query(read, format);
  };
}
