/** The ClickHouse engine in this process (https://github.com/chdb-io/chdb-node), an optional package of 500 MB. */
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import pLimit from 'p-limit';
import { enterFolder, holderOf, type Chdb, type ImportChdb, type Result, type Session } from './chdb-folder.js';
import { QUERY_SETTINGS, type ClickHouseEngine, type ClickHouseParameters, type QueryLimits } from './engine.js';

export { ChdbMissing, type ImportChdb } from './chdb-folder.js';

const SETTINGS = Object.entries(QUERY_SETTINGS).map(([name, value]) => `${name} = ${value}`);
const LISTS = { format: 'JSONCompactEachRow' } as const;
const OBJECTS = { format: 'JSONEachRow' } as const;

/** Rows that are serialized before the event loop runs other work. */
const ROWS_AT_ONCE = 1000;

let queries = 0;

/**
 * A statement occupies one of Node's four threads, which files and signatures need, too. So most statements wait here,
 * and of the threads at least one stays free, even if the engine never answers.
 */
const running = pLimit(2);
const killing = pLimit(1);

/** The package runs statements with parameters one after another, on all connections. */
const boundTurn = pLimit(1);

/**
 * Opens the engine on a directory, and creates the directory if necessary. A process can have one such directory open,
 * and a directory belongs to one process; within the process it may be opened several times, sharing one engine.
 *
 * @throws ChdbMissing with the install command if the package is missing; Error if another directory is open, or another
 *   process has this one open
 */
export async function openChdb(path: string, importChdb?: ImportChdb): Promise<ClickHouseEngine> {
  const directory = resolve(path);
  const folder = await enterFolder(directory, importChdb);
  const { session, control } = await connect(folder.chdb, directory).catch(async (error: unknown) => {
    await folder.leave();
    throw error;
  });
  // A connection also runs one statement at a time.
  const turn = pLimit(1);
  const plain = <T>(statement: () => Promise<T>): Promise<T> => turn(() => running(statement));
  const bound = <T>(statement: () => Promise<T>): Promise<T> => turn(() => boundTurn(() => running(statement)));

  const select = (
    statement: string,
    parameters: ClickHouseParameters,
    format: typeof LISTS | typeof OBJECTS,
    limits?: QueryLimits,
  ): Promise<Result> =>
    bound(async () => {
      limits?.signal.throwIfAborted();
      queries += 1;
      // This engine has no query ids, so a comment identifies the query.
      const mark = `plumbline-${process.pid}-${queries}`;
      const own = [...SETTINGS, `log_comment = '${mark}'`];
      if (limits !== undefined) own.push(`max_execution_time = ${limits.timeoutSeconds}`);
      const end = (): void => {
        void stop(control, mark, () => ended);
      };
      let ended = false;
      limits?.signal.addEventListener('abort', end, { once: true });
      try {
        return await session.queryBindAsync(`${statement} settings ${own.join(', ')}`, parameters, format);
      } finally {
        ended = true;
        limits?.signal.removeEventListener('abort', end);
      }
    });

  return {
    // One list or one object per line, depending on the format.
    query: async (statement, parameters, limits) =>
      linesOf(await select(statement, parameters, LISTS, limits)) as unknown[][],
    records: async (statement, parameters) =>
      linesOf(await select(statement, parameters, OBJECTS)) as Record<string, unknown>[],
    async command(statement, parameters) {
      if (parameters === undefined) await plain(() => session.queryAsync(statement, LISTS));
      else await bound(() => session.queryBindAsync(statement, parameters, LISTS));
    },
    async insert(table, rows) {
      const lines: string[] = [];
      for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
        for (const row of rows.slice(start, start + ROWS_AT_ONCE)) lines.push(JSON.stringify(row));
        await setImmediate();
      }
      const values = Buffer.from(lines.join('\n'));
      await plain(() => session.insert({ table, values, format: 'JSONEachRow' }));
    },
    close() {
      session.close();
      control.close();
      return folder.leave();
    },
  };
}

/** `control` is a second connection to the same engine, which can kill the first one's queries. */
async function connect(
  { Session }: Chdb,
  directory: string,
): Promise<{ readonly session: Session; readonly control: Session }> {
  await mkdir(directory, { recursive: true });
  let session: Session;
  try {
    session = new Session(directory);
  } catch (error) {
    const holder = await holderOf(directory);
    const reason =
      holder === undefined
        ? error instanceof Error
          ? error.message
          : String(error)
        : `process ${holder} has it open. Only one process can open a chdb directory: ` +
          'stop that process, or use a ClickHouse server';
    throw new Error(`The embedded ClickHouse in ${directory} cannot be opened: ${reason}.`, { cause: error });
  }
  try {
    return { session, control: new Session(directory) };
  } catch (error) {
    session.close();
    throw error;
  }
}

/** Kills a query. If it has not started in the engine yet, kills it once it has. */
async function stop(control: Session, mark: string, ended: () => boolean): Promise<void> {
  while (!ended()) {
    try {
      await killing(() => control.queryAsync(`kill query where Settings['log_comment'] = '${mark}' async`, LISTS));
    } catch {
      // The engine is closing, which also ends the query.
      return;
    }
    await new Promise((done) => setTimeout(done, 20));
  }
}

function linesOf(result: Result): unknown[] {
  const text = result.text();
  return text === '' ? [] : (JSON.parse(`[${text.trimEnd().split('\n').join(',')}]`) as unknown[]);
}
