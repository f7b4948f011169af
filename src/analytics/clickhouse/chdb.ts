/** The ClickHouse engine in this process (https://github.com/chdb-io/chdb-node), an optional package of 500 MB. */
import { mkdir } from 'node:fs/promises';
import { QUERY_SETTINGS, type ClickHouseEngine } from './engine.js';

export type ImportChdb = () => Promise<unknown>;

/** The part of the package that is used. */
interface Chdb {
  readonly Session: new (path: string) => Session;
}

interface Session {
  queryAsync(statement: string, options: { readonly format: string }): Promise<Result>;
  queryBindAsync(statement: string, parameters: object, options: { readonly format: string }): Promise<Result>;
  insert(rows: { readonly table: string; readonly values: Buffer; readonly format: string }): Promise<unknown>;
  close(): void;
}

interface Result {
  text(): string;
}

const FORMAT = { format: 'JSONCompactEachRow' } as const;

let queries = 0;

/**
 * Opens the engine on a directory, which is created where it does not exist. A process has one such directory at a
 * time, and a directory one process.
 *
 * @throws Error naming what to install where the package is missing
 */
export async function openChdb(
  path: string,
  importChdb: ImportChdb = () => import(PACKAGE),
): Promise<ClickHouseEngine> {
  const { Session } = await load(importChdb);
  await mkdir(path, { recursive: true });
  const session = new Session(path);
  // A second connection to the same engine, which can end what the first one does.
  const control = new Session(path);
  const settings = Object.entries(QUERY_SETTINGS).map(([name, value]) => `${name} = ${value}`);

  return {
    async query(statement, parameters, limits) {
      limits?.signal.throwIfAborted();
      queries += 1;
      // There is no other way to find a query of this engine again: it cannot be given an id.
      const mark = `plumbline-${process.pid}-${queries}`;
      const own = [...settings, `log_comment = '${mark}'`];
      if (limits !== undefined) own.push(`max_execution_time = ${limits.timeoutSeconds}`);
      const end = (): void => {
        void stop(control, mark, () => ended);
      };
      let ended = false;
      limits?.signal.addEventListener('abort', end, { once: true });
      try {
        const result = await session.queryBindAsync(`${statement} settings ${own.join(', ')}`, parameters, FORMAT);
        return rowsOf(result.text());
      } finally {
        ended = true;
        limits?.signal.removeEventListener('abort', end);
      }
    },
    async command(statement) {
      await session.queryAsync(statement, FORMAT);
    },
    async insert(table, rows) {
      const values = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
      await session.insert({ table, values, format: 'JSONEachRow' });
    },
    close() {
      session.close();
      control.close();
      return Promise.resolve();
    },
  };
}

/** A variable, so that the compiler does not ask for a package that need not be there. */
const PACKAGE: string = 'chdb';

async function load(importChdb: ImportChdb): Promise<Chdb> {
  let loaded: unknown;
  try {
    loaded = await importChdb();
  } catch (error) {
    throw new Error('The analytics address begins with chdb:, and the package chdb is missing. Run: npm install chdb', {
      cause: error,
    });
  }
  if (isChdb(loaded)) return loaded;
  if (typeof loaded === 'object' && loaded !== null && 'default' in loaded && isChdb(loaded.default)) {
    return loaded.default;
  }
  throw new Error('The package chdb is not the one that is expected. Run: npm install chdb@^3.4.0');
}

function isChdb(loaded: unknown): loaded is Chdb {
  return typeof loaded === 'object' && loaded !== null && 'Session' in loaded && typeof loaded.Session === 'function';
}

/**
 * Ends a query. It may be waiting its turn still, because the package runs queries with parameters one after another:
 * then it is ended once it has begun.
 */
async function stop(control: Session, mark: string, ended: () => boolean): Promise<void> {
  while (!ended()) {
    try {
      await control.queryAsync(`kill query where Settings['log_comment'] = '${mark}' async`, FORMAT);
    } catch {
      // The engine is closing, which ends the query as well.
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function rowsOf(text: string): readonly unknown[][] {
  if (text === '') return [];
  // One row of JSON a line, by the format.
  return JSON.parse(`[${text.trimEnd().split('\n').join(',')}]`) as unknown[][];
}
