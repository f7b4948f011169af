/** The state of a repository that says how far its old records were removed. */
import { systemRandom } from '../random.js';
import type { Sink, StoredKey, SyncState } from '../sinks/sink.js';

/** How far the records of a repository were removed. */
export interface Retention {
  /** Records that ended before it may have been removed; undefined: none was. Epoch milliseconds. */
  readonly before: number | undefined;
  /** The horizon of the last removal that was completed. */
  readonly examined: number | undefined;
}

/** The moment before which records of a repository may have been removed; undefined: none was. Epoch milliseconds. */
export async function removedBefore(sink: Pick<Sink, 'readState'>, repoId: string): Promise<number | undefined> {
  return (await readRetention(sink, repoId)).before;
}

/** The same from the stored position of the state. */
export function retentionOf(position: unknown): Retention {
  if (typeof position !== 'object' || position === null) return { before: undefined, examined: undefined };
  const moment = (name: keyof Retention): number | undefined => {
    const value: unknown = Reflect.get(position, name);
    return typeof value === 'number' ? value : undefined;
  };
  return { before: moment('before'), examined: moment('examined') };
}

/** How far the records of a repository were removed. */
export async function readRetention(sink: Pick<Sink, 'readState'>, repoId: string): Promise<Retention> {
  return retentionOf((await sink.readState(keyOf(repoId)))?.position);
}

function keyOf(repoId: string): StoredKey {
  return { repoId, target: 'retention', source: 'local' };
}

/** Stores how far the records of a repository are removed. */
export async function writeRetention(
  sink: Pick<Sink, 'apply'>,
  repoId: string,
  { before, examined }: Retention,
): Promise<void> {
  const position = {
    ...(before === undefined ? {} : { before }),
    ...(examined === undefined ? {} : { examined }),
  };
  const state: SyncState = { revision: systemRandom.newId(), request: '', position, done: true };
  await sink.apply({ key: keyOf(repoId), tables: [], blameLengths: [], state });
}
