/**
 * Runs statements on ClickHouse. It has no snapshot over several statements: each sees the rows as of its start. A server
 * runs the statements of a batch concurrently, each on all cores; the embedded engine runs them one after another.
 */
import { clickHouseCode, type ClickHouseEngine, type ClickHouseParameters } from '../clickhouse/engine.js';
import { clickHouseDialect } from './dialects.js';
import { limited, type Failure, type QueryEngine } from './engine.js';
import { lacksMeasures } from './missing-measures.js';
import type { Statement } from './statements.js';

/** Error codes (`system.errors`): timeout exceeded; unknown table, database. */
const TIMEOUT = new Set([159, 160]);
const NO_TABLES = new Set([60, 81]);
/** A shard that cannot be reached: socket timeout, network error, all connection tries failed. */
const UNAVAILABLE = new Set([209, 210, 279]);
/** Unknown identifier. */
const NO_COLUMN = 47;

/** @param atOnce maximum number of concurrent statements of a batch */
export function openClickHouseEngine(engine: ClickHouseEngine, timeoutSeconds: number, atOnce: number): QueryEngine {
  return {
    dialect: clickHouseDialect,
    async run(statements, signal, follow = () => []) {
      const answers = await limited({ signal, timeoutSeconds, kind }, async (limits) => {
        const rows: (readonly unknown[][])[] = [];
        const run = async (these: readonly Statement[]): Promise<void> => {
          const begin = rows.length;
          const waiting = [...these.entries()];
          const takeTurns = async (): Promise<void> => {
            for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
              const [at, { text, parameters }] = next;
              limits.signal.throwIfAborted();
              rows[begin + at] = await engine.query(text, named(parameters), {
                timeoutSeconds: limits.remaining() / 1000,
                signal: limits.signal,
              });
            }
          };
          await Promise.all(Array.from({ length: Math.min(atOnce, these.length) }, takeTurns));
        };
        await run(statements);
        await run(follow(rows));
        return rows;
      });
      return answers ?? statements.map(() => []);
    },
    close: () => engine.close(),
  };
}

function named(parameters: Statement['parameters']): ClickHouseParameters {
  return Object.fromEntries(parameters.map(({ value }, index) => [`p${index + 1}`, value]));
}

function kind(error: unknown): Failure {
  const code = clickHouseCode(error);
  if (code !== undefined) {
    if (UNAVAILABLE.has(code) || (code === NO_COLUMN && lacksMeasures(error))) return 'unavailable';
    return TIMEOUT.has(code) ? 'timeout' : NO_TABLES.has(code) ? 'no-tables' : 'failed';
  }
  if (!(error instanceof Error)) return 'failed';
  // The HTTP client's timeout, which is longer than the engine's, or a socket that could not be opened or was lost.
  if (error.message === 'Timeout error.' || error.message === 'socket hang up') return 'unavailable';
  return 'code' in error && /^E[A-Z_]+$/.test(String(error.code)) ? 'unavailable' : 'failed';
}
