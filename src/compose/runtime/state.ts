/**
 * Records which runs we stopped. Engines report only `exited`. The record must outlive the process that stopped the
 * container, because the next command runs in another process.
 *
 * One small file per stopped container, `<directory>/<container id>.json`, instead of one file for all: concurrent
 * commands write different files, so no update is lost and no lock is needed, and each write is atomic by rename. Ids
 * are random and unique across engines, and an engine's containers have the same ids however it is reached. A mark
 * identifies its run by the start time. A restarted container has another run, and its old mark no longer applies.
 */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '@plumbline/contract/system/replace-file';
import { RuntimeError } from './errors.js';
import { errorCode } from '@plumbline/contract/system/error-code';

export interface StopMark {
  /** The start time of the stopped run, in milliseconds since 1970. */
  readonly run: number;
  /** Until when (milliseconds since 1970) a container that is still running counts as `stopping`. */
  readonly until: number;
}

export interface StopMarks {
  /**
   * @param place the location of the container's engine
   * @throws RuntimeError.persistenceFailure: the mark is not durable, so the stop must not start.
   */
  write(place: string, id: string, mark: StopMark): Promise<void>;
  /** Undefined when there is no readable mark. */
  read(id: string): Promise<StopMark | undefined>;
  erase(id: string): Promise<void>;
  /** Deletes the marks of removed containers of an engine, once there are many marks. */
  prune(place: string, existing: () => Promise<ReadonlySet<string>>): Promise<void>;
}

/** The number of marks at which marks of removed containers are deleted. */
const MANY = 200;

/** Stores marks on disk: files with mode 0600 in `directory`, which is created when needed with mode 0700. */
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

/** Stores marks in memory, for an engine that lives as long as the process. */
export function transientStopMarks(): StopMarks {
  const marks = new Map<string, StopMark>();
  return {
    write: (_place, id, mark) => Promise.resolve(void marks.set(id, mark)),
    read: (id) => Promise.resolve(marks.get(id)),
    erase: (id) => Promise.resolve(void marks.delete(id)),
    prune: () => Promise.resolve(),
  };
}

/** An invalid mark is ignored. Losing one only turns `stopped` into `exited`. */
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

/** Container ids are hexadecimal. Other names are encoded, so that no id can name another directory. */
function fileName(id: string): string {
  return encodeURIComponent(id).replaceAll('.', '%2E');
}

function isMissing(error: unknown): boolean {
  return errorCode(error) === 'ENOENT';
}

/** The error code (ENOSPC, EACCES, ...) tells the user what to do. The path is only in the cause. */
function persistenceFailure(what: string, cause: unknown): RuntimeError {
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  return new RuntimeError({ case: 'persistenceFailure', message: `${what}${code}.` }, { cause });
}
