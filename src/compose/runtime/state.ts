/**
 * Who ended a container's run. Engines know only `exited`; that a run was ended by our stop has to outlive
 * the process that stopped it, because the next command asks in a process of its own.
 *
 * One small file per stopped container, `<directory>/<engine>/<container id>.json`, instead of one file for
 * all: concurrent commands write different files, so no update is lost and no lock is needed, and each
 * write is atomic by rename. A mark names the run that it is about by the run's start time. A container that
 * was started again, by anyone, has another run, and its old mark means nothing.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RuntimeError } from './errors.js';

export interface StopMark {
  /** The start time of the stopped run, in milliseconds since 1970. */
  readonly run: number;
  /** Until when (milliseconds since 1970) a container that still runs counts as `stopping`. */
  readonly until: number;
}

export interface StopMarks {
  /** @throws RuntimeError.persistenceFailure: the mark is not durable, so the stop must not begin. */
  write(engine: string, id: string, mark: StopMark): Promise<void>;
  /** Undefined when there is none, or none that can be read. */
  read(engine: string, id: string): Promise<StopMark | undefined>;
  erase(engine: string, id: string): Promise<void>;
  /** Erases the engine's marks of containers that are gone, once there are so many that it is worth asking. */
  prune(engine: string, existing: () => Promise<ReadonlySet<string>>): Promise<void>;
}

/** Marks that may pile up before those of removed containers are sought. */
const MANY = 200;

/** Marks on disk: files 0600 in directories 0700 under `directory`, which is made when first needed. */
export function durableStopMarks(directory: string): StopMarks {
  const folder = (engine: string): string =>
    join(directory, createHash('sha256').update(engine).digest('hex').slice(0, 16));
  const file = (engine: string, id: string): string => join(folder(engine), `${fileName(id)}.json`);

  return {
    async write(engine, id, mark) {
      try {
        await mkdir(folder(engine), { recursive: true, mode: 0o700 });
        await replaceFile(file(engine, id), JSON.stringify(mark));
      } catch (error) {
        throw persistenceFailure('The state of a stop could not be written', error);
      }
    },
    async read(engine, id) {
      try {
        return parseMark(await readFile(file(engine, id), 'utf8'));
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw persistenceFailure('The state of a stop could not be read', error);
      }
    },
    async erase(engine, id) {
      try {
        await rm(file(engine, id), { force: true });
      } catch (error) {
        throw persistenceFailure('The state of a stop could not be erased', error);
      }
    },
    async prune(engine, existing) {
      const names = await readdir(folder(engine)).catch((error: unknown) => {
        if (isMissing(error)) return [];
        throw persistenceFailure('The state of stops could not be listed', error);
      });
      if (names.length < MANY) return;
      const keep = new Set([...(await existing())].map(fileName));
      // A draft of a mark that is just being written is named after the container, too.
      const gone = names.filter((name) => !keep.has(name.slice(0, name.indexOf('.'))));
      await Promise.all(gone.map((name) => rm(join(folder(engine), name), { force: true })));
    },
  };
}

/** Marks that live as long as the process: for an engine that lives as long as the process. */
export function transientStopMarks(): StopMarks {
  const marks = new Map<string, StopMark>();
  const key = (engine: string, id: string): string => `${engine}/${id}`;
  return {
    write: (engine, id, mark) => Promise.resolve(void marks.set(key(engine, id), mark)),
    read: (engine, id) => Promise.resolve(marks.get(key(engine, id))),
    erase: (engine, id) => Promise.resolve(void marks.delete(key(engine, id))),
    prune: () => Promise.resolve(),
  };
}

/** Written beside its place, flushed, then renamed into it: a reader sees the old content or the new. */
export async function replaceFile(path: string, content: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined); // The first error is the one to report.
    throw error;
  }
}

/** A mark that does not parse is no mark: losing one turns `stopped` into `exited`, nothing more. */
function parseMark(text: string): StopMark | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('run' in value) || !('until' in value)) return undefined;
    const { run, until } = value;
    return typeof run === 'number' && typeof until === 'number' ? { run, until } : undefined;
  } catch {
    return undefined;
  }
}

/** Container ids are hexadecimal; anything else is encoded, so that no id can name another directory. */
function fileName(id: string): string {
  return encodeURIComponent(id).replaceAll('.', '%2E');
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** The error code (ENOSPC, EACCES, ...) says what to do; the path stays with the cause. */
function persistenceFailure(what: string, cause: unknown): RuntimeError {
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  return new RuntimeError({ case: 'persistenceFailure', message: `${what}${code}.` }, { cause });
}
