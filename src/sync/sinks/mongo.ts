/**
 * The MongoDB sink. Each table is a collection, each row a document whose `_id` is the row's key. MongoDB has no
 * transactions without a replica set: rows are written before the state, so that a page that is repeated after a crash
 * overwrites its rows.
 */
import { randomUUID } from 'node:crypto';
import type { AnyBulkWriteOperation, Collection, Db, Filter } from 'mongodb';
import { MongoClient } from 'mongodb';
import type { AnyRow, JsonValue, Table } from '../records.js';
import { TABLES } from '../records.js';
import { SyncError } from '../failures.js';
import { mergeRow, rowKey } from '../merge.js';
import { isFree, LEASE_MILLISECONDS, lockLost, thisHolder } from './lease.js';
import type { Lock, LockKey, Sink, SinkOptions, SinkPage, StoredKey, TableRows } from './sink.js';
import { repositoryColumn } from './sink.js';
import { parseState } from './state.js';

type Document = { _id: string } & Record<string, unknown>;

const SCAN_ROWS = 1000;
const DUPLICATE_KEY = 11000;

/** Opens the sink on the database of the connection string; default: `plumbline`. */
export function openMongo(uri: string, options: SinkOptions): Sink {
  const client = new MongoClient(uri, {
    appName: 'plumbline sync',
    serverSelectionTimeoutMS: 5_000,
    monitorCommands: options.echo !== undefined,
  });
  client.on('commandStarted', ({ commandName, command }) =>
    options.echo?.(`${commandName} ${String(command[commandName])}`),
  );
  const database = client.db(/^[^/]+\/\/[^/]*\/[^?]/.test(uri) ? undefined : 'plumbline');
  const collection = (name: string): Collection<Document> => database.collection<Document>(name);

  return {
    kind: 'mongo',
    ensureSchema: () => failing(() => ensureIndexes(database)),
    readState: (key) =>
      failing(async () => parseState((await collection('sync_state').findOne({ _id: stateId(key) }))?.['state'])),
    apply: (page) => failing(() => apply(collection, page)),
    scan: (table, repoId) => scan(collection(table.name), table, repoId),
    clear: (table, repoId) =>
      failing(async () => {
        await collection(table.name).deleteMany({ [repositoryColumn(table)]: repoId });
      }),
    remove: (table, repoId, where) =>
      failing(async () => {
        const filter: Filter<Document> = { [repositoryColumn(table)]: repoId };
        for (const [name, values] of Object.entries(where)) Object.assign(filter, { [name]: { $in: [...values] } });
        await collection(table.name).deleteMany(filter);
      }),
    clearStates: (repoId) =>
      failing(async () => {
        await collection('sync_state').deleteMany({ _id: { $gte: `${repoId}:`, $lt: `${repoId};` } });
      }),
    repositories: (orgId) =>
      failing(async () => {
        const found = await collection('repos').find({ org_id: orgId }).sort({ id: 1 }).toArray();
        return found.map(({ id, repo }) => ({ id: String(id), name: String(repo) }));
      }),
    tryLock: (key) => failing(() => tryLock(collection('sync_locks'), stateId(key), options.now)),
    close: () => client.close(),
  };
}

async function ensureIndexes(database: Db): Promise<void> {
  const collections = new Set(
    await database
      .listCollections({}, { nameOnly: true })
      .map(({ name }) => name)
      .toArray(),
  );
  for (const table of TABLES) {
    // Some servers with MongoDB's protocol reject an index that already exists.
    const collection = database.collection(table.name);
    const existing = new Set(collections.has(table.name) ? (await collection.indexes()).map(({ name }) => name) : []);
    const wanted: readonly { name: string; key: Record<string, 1> }[] = [
      { name: 'by_key', key: Object.fromEntries(table.key.map((name) => [name, 1])) },
      { name: 'by_org', key: { org_id: 1 } },
    ];
    for (const index of wanted) if (!existing.has(index.name)) await collection.createIndexes([index]);
  }
}

async function apply(collection: (name: string) => Collection<Document>, page: SinkPage): Promise<void> {
  for (const rows of page.tables) await upsert(collection(rows.table.name), rows);
  for (const { path, lines } of page.blameLengths) {
    await collection('git_blame').deleteMany({ repo_id: page.key.repoId, path, line_no: { $gt: lines } });
  }
  await collection('sync_state').replaceOne(
    { _id: stateId(page.key) },
    { state: JSON.stringify(page.state) },
    { upsert: true },
  );
}

async function upsert(collection: Collection<Document>, { table, rows }: TableRows, again = true): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map((row) => rowKey(table, row));
  const stored = new Map<string, AnyRow>();
  for await (const document of collection.find({ _id: { $in: ids } }))
    stored.set(document._id, decode(table, document));
  const operations: AnyBulkWriteOperation<Document>[] = [];
  rows.forEach((row, index) => {
    const _id = ids[index] ?? rowKey(table, row);
    const merged = mergeRow(table, stored.get(_id), row);
    if (merged === undefined) return;
    const document = encode(table, merged);
    if (stored.has(_id)) operations.push({ replaceOne: { filter: { _id }, replacement: document } });
    else operations.push({ insertOne: { document: { _id, ...document } } });
  });
  if (operations.length === 0) return;
  try {
    await collection.bulkWrite(operations, { ordered: false });
  } catch (error) {
    // Two syncs inserted the same document concurrently. It exists now, so the retry replaces it.
    if (!again || !(error instanceof Error && 'code' in error && error.code === DUPLICATE_KEY)) throw error;
    await upsert(collection, { table, rows }, false);
  }
}

async function* scan(
  collection: Collection<Document>,
  table: Table,
  repoId: string,
): AsyncGenerator<readonly AnyRow[]> {
  const order = Object.fromEntries(table.key.map((name) => [name, 1 as const]));
  let batch: AnyRow[] = [];
  for await (const document of collection.find({ [repositoryColumn(table)]: repoId }).sort(order)) {
    batch.push(decode(table, document));
    if (batch.length < SCAN_ROWS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function stateId(key: LockKey | StoredKey): string {
  return `${key.repoId}:${key.target}:${key.source}`;
}

function encode(table: Table, row: AnyRow): Record<string, unknown> {
  const document: Record<string, unknown> = {};
  for (const column of table.columns) {
    const value = row[column.name] ?? null;
    document[column.name] = column.type === 'timestamp' && typeof value === 'number' ? new Date(value) : value;
  }
  return document;
}

function decode(table: Table, document: Record<string, unknown>): AnyRow {
  const row: Record<string, JsonValue> = {};
  for (const column of table.columns) {
    const value = document[column.name] ?? null;
    // All types except timestamps are stored as JSON values.
    row[column.name] = value instanceof Date ? value.getTime() : (value as JsonValue);
  }
  return row;
}

async function tryLock(locks: Collection<Document>, name: string, now: () => number): Promise<Lock | undefined> {
  // The id distinguishes two leases that one process takes within one millisecond.
  const id = randomUUID();
  const lease = (): string => JSON.stringify({ ...thisHolder(now() + LEASE_MILLISECONDS), id });
  let mine = lease();
  const held = (await locks.findOne({ _id: name }))?.['holder'];
  if (typeof held !== 'string') {
    try {
      await locks.insertOne({ _id: name, holder: mine });
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === DUPLICATE_KEY) return undefined;
      throw error;
    }
  } else {
    if (!isFree(held, now())) return undefined;
    const taken = await locks.updateOne({ _id: name, holder: held }, { $set: { holder: mine } });
    if (taken.matchedCount === 0) return undefined;
  }
  return {
    renew: async () => {
      const next = lease();
      const renewed = await locks.updateOne({ _id: name, holder: mine }, { $set: { holder: next } });
      if (renewed.matchedCount === 0) throw lockLost();
      mine = next;
    },
    release: async () => {
      await locks.deleteOne({ _id: name, holder: mine });
    },
  };
}

async function failing<Result>(action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof SyncError) throw error;
    throw new SyncError('database_failed', `MongoDB: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
