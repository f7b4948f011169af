/**
 * Who ended a container's run. Engines know only `exited`; that a run was ended by our stop has to outlive
 * the process that stopped it, because the next command asks in a process of its own.
 *
 * One small file per stopped container, `<directory>/<container id>.json`, instead of one file for all: concurrent
 * commands write different files, so no update is lost and no lock is needed, and each write is atomic by rename.
 * Ids are random, so that two engines have none in common, and one engine is known by its containers however it is
 * reached. A mark names the run that it is about by the run's start time. A container that
 * was started again, by anyone, has another run, and its old mark means nothing.
 */
import { randomBytes } from 'node:crypto';
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
  /**
   * @param place where the engine of the container is
   * @throws RuntimeError.persistenceFailure: the mark is not durable, so the stop must not begin.
   */
  write(place: string, id: string, mark: StopMark): Promise<void>;
  /** Undefined when there is none, or none that can be read. */
  read(id: string): Promise<StopMark | undefined>;
  erase(id: string): Promise<void>;
  /** Erases the marks that were made at a place of containers that are gone, once it is worth asking: when many were. */
  prune(place: string, existing: () => Promise<ReadonlySet<string>>): Promise<void>;
}

/** Marks that may pile up before those of removed containers are sought. */
const MANY = 200;

/** Marks on disk: files 0600 in `directory`, which is made when first needed, 0700. */
export function durableStopMarks(directory: string): StopMarks {
  const file = (id: string): string => join(directory, `${fileName(id)}.json`);

  const read = async (path: string): Promise<(StopMark & { readonly place: string }) | undefined> => {
    try {
      return parseMark(await readFile(path, 'utf8'));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw persistenceFailure('The state of a stop could not be read', error);
    }
  };

  return {
    async write(place, id, mark) {
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        await replaceFile(file(id), JSON.stringify({ ...mark, place }));
      } catch (error) {
        throw persistenceFailure('The state of a stop could not be written', error);
      }
    },
    async read(id) {
      const mark = await read(file(id));
      return mark && { run: mark.run, until: mark.until };
    },
    async erase(id) {
      try {
        await rm(file(id), { force: true });
      } catch (error) {
        throw persistenceFailure('The state of a stop could not be erased', error);
      }
    },
    async prune(place, existing) {
      const names = await readdir(directory).catch((error: unknown) => {
        if (isMissing(error)) return [];
        throw persistenceFailure('The state of stops could not be listed', error);
      });
      if (names.length < MANY) return;
      const marks = await Promise.all(
        names
          .filter((name) => name.endsWith('.json'))
          .map(async (name) => ({ name, mark: await read(join(directory, name)) })),
      );
      const own = marks.filter(({ mark }) => mark?.place === place);
      if (own.length < MANY) return;
      const keep = new Set([...(await existing())].map((id) => `${fileName(id)}.json`));
      const gone = own.filter(({ name }) => !keep.has(name));
      await Promise.all(gone.map(({ name }) => rm(join(directory, name), { force: true })));
    },
  };
}

/** Marks that live as long as the process: for an engine that lives as long as the process. */
export function transientStopMarks(): StopMarks {
  const marks = new Map<string, StopMark>();
  return {
    write: (_place, id, mark) => Promise.resolve(void marks.set(id, mark)),
    read: (id) => Promise.resolve(marks.get(id)),
    erase: (id) => Promise.resolve(void marks.delete(id)),
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
function parseMark(text: string): (StopMark & { readonly place: string }) | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('run' in value) || !('until' in value)) return undefined;
    const { run, until } = value;
    const place = 'place' in value && typeof value.place === 'string' ? value.place : '';
    return typeof run === 'number' && typeof until === 'number' ? { run, until, place } : undefined;
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
