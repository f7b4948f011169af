/** A filled store of each engine that is measured, beside the way to send it statements by hand. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import postgres from 'postgres';
import { parseAnalyticsUri } from '../../../src/analytics/address.js';
import type { Analytics } from '../../../src/analytics/analytics.js';
import { openChdb, type ImportChdb } from '../../../src/analytics/clickhouse/chdb.js';
import { openAnalytics } from '../../../src/analytics/open.js';
import { openWorkUnitStore } from '../../../src/analytics/store/open.js';
import type { Exclusively } from '../../../src/analytics/store/options.js';
import { startEmbeddedPostgres } from '../../../src/database/embedded.js';
import { clickHouseByHand, postgresByHand, type HandDialect } from './batches.js';
import { clickHouseFigures, postgresFigures, type FigureDialect } from './figures.js';
import { clickHouseUnits, postgresShares, postgresUnits } from './generate.js';
import { memoryOfChildren, ownMemory, ownProcessorTime, processorTimeWithChildren } from './memory.js';

/** No other process opens these stores. */
const exclusively: Exclusively = (work) => work(() => Promise.resolve());

export interface MeasuredEngine {
  readonly name: string;
  readonly analytics: Analytics;
  readonly byHand: HandDialect;
  readonly figures: FigureDialect;
  /** Sends statements by hand, the fastest way there is. */
  send(statements: readonly string[]): Promise<void>;
  /** Adds units until there are that many; with shares, those of all units. */
  grow(units: number, withShares: boolean): Promise<void>;
  /** Size of the work units, without their shares where those are another table. */
  diskMegabytes(): Promise<number>;
  /** Kilobytes that the engine takes now. */
  memory(): number;
  /** Milliseconds of processor time that the engine has used. */
  processorTime(): number;
  remove(): Promise<void>;
}

const log = pino({ level: 'warn' }, pino.destination(2));
const TIMEOUT = 300;
/** Rows that are made at once. */
const STEP = 1_000_000;

export async function postgresEngine(): Promise<MeasuredEngine> {
  const home = await mkdtemp(join(tmpdir(), 'plumbline-bench-'));
  const server = await startEmbeddedPostgres({ home, logger: log, durable: false });
  const store = await openWorkUnitStore(parseAnalyticsUri(server.uri), { now: Date.now, log, exclusively });
  await store.ensureSchema();
  await store.close();
  // As many connections as the analytics use for a batch.
  const sql = postgres(server.uri, { max: 2, fetch_types: false, onnotice: () => undefined });
  const postmaster = Number.parseInt(await readFile(join(home, 'postgres', 'data', 'postmaster.pid'), 'utf8'), 10);
  const analytics = await openAnalytics(server.uri, { timeoutSeconds: TIMEOUT, log });
  let made = 0;
  return {
    name: 'PostgreSQL',
    analytics,
    byHand: postgresByHand,
    figures: postgresFigures,
    async send(statements) {
      await Promise.all(statements.map((statement) => sql.unsafe(statement).values()));
    },
    async grow(units, withShares) {
      for (; made < units; made = Math.min(units, made + STEP)) {
        await sql.unsafe(postgresUnits(made + 1, Math.min(units, made + STEP)));
      }
      if (withShares) await sql.unsafe(postgresShares);
      await sql.unsafe('vacuum analyze');
    },
    async diskMegabytes() {
      const [row] = await sql<{ mb: number }[]>`select (pg_total_relation_size('work_units') / 1e6)::integer as mb`;
      return row?.mb ?? 0;
    },
    memory: () => memoryOfChildren(postmaster),
    processorTime: () => processorTimeWithChildren(postmaster),
    async remove() {
      await analytics.close();
      await sql.end();
      await server.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** The engine of ClickHouse in this process, or why it is not available. */
export async function chdbEngine(): Promise<MeasuredEngine | { readonly missing: string }> {
  const importChdb: ImportChdb = () => Promise.resolve(chdbRequire('chdb'));
  const chdbRequire = createRequire(join(process.env['TEST_CHDB'] ?? process.cwd(), 'package.json'));
  try {
    chdbRequire.resolve('chdb');
  } catch {
    return { missing: 'chdb is not installed: npm install chdb in some directory and name it in TEST_CHDB' };
  }
  const directory = await mkdtemp(join(tmpdir(), 'plumbline-bench-'));
  const store = await openWorkUnitStore(
    { kind: 'chdb', address: directory },
    { now: Date.now, log, exclusively, importChdb },
  );
  await store.ensureSchema();
  const analytics = await openAnalytics(`chdb:${directory}`, { timeoutSeconds: TIMEOUT, log, importChdb });
  const engine = await openChdb(directory, importChdb);
  let made = 0;
  return {
    name: 'ClickHouse (chdb)',
    analytics,
    byHand: clickHouseByHand,
    figures: clickHouseFigures,
    // One after another: each takes all cores already.
    async send(statements) {
      for (const statement of statements) await engine.command(statement);
    },
    async grow(units) {
      for (; made < units; made = Math.min(units, made + STEP)) {
        await engine.command(clickHouseUnits(made + 1, Math.min(units, made + STEP)));
      }
      // What the table does by itself once its months rest.
      await engine.command('optimize table work_units final');
    },
    async diskMegabytes() {
      const rows = await engine.query(
        "select toInt32(sum(bytes_on_disk) / 1e6) from system.parts where active and table = 'work_units'",
        {},
      );
      return Number(rows[0]?.[0]);
    },
    memory: ownMemory,
    processorTime: ownProcessorTime,
    async remove() {
      await engine.close();
      await analytics.close();
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
