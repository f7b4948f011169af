/** Merges the output of many containers into one stream, each line with its container. */
import { setMaxListeners } from 'node:events';
import { channel } from '../runtime/channel.js';
import { unlessNotFound } from '../runtime/errors.js';
import type { ContainerRecord, LogLine } from '../runtime/records.js';
import type { LogOptions } from '../runtime/runtime.js';
import type { Member } from './actual-state.js';
import { FollowedSet, type Followed, type FollowedSetParts, type LogPart } from './followed-set.js';
import type { Orchestration } from './orchestration.js';

export interface MemberLine extends LogLine {
  readonly container: string;
  readonly service: string;
}

export interface MemberLogOptions extends LogPart {
  /** Continue with new lines, also of containers started later, until all have ended. */
  readonly follow?: boolean;
  /** Reads the output of a container (default: as the backend has it). */
  readonly read?: ReadLog;
}

export type ReadLog = (
  container: Pick<ContainerRecord, 'id' | 'name'>,
  options: LogOptions,
) => Promise<AsyncIterable<LogLine>>;

/**
 * Streams the lines of some containers. Lines of each container are in order; lines of different containers may
 * interleave even without `follow`. Reads no faster than its consumer.
 *
 * @param wanted the project's services whose containers may join while following
 */
export async function* projectLogs(
  orchestration: Orchestration,
  members: readonly Member[],
  { follow = false, read, ...part }: MemberLogOptions,
  wanted: { readonly project: string; readonly services: readonly string[] },
): AsyncGenerator<MemberLine, void> {
  const left = new AbortController();
  const signal = AbortSignal.any([orchestration.signal, left.signal]);
  const bound = { ...orchestration, signal };
  // Each followed container adds a listener, so many listeners are not a leak.
  setMaxListeners(0, signal);
  const lines = channel<MemberLine>();
  const readLog: ReadLog = read ?? (({ id }, options) => bound.backend.containers.logs(id, options));
  const readMember = async ({ container, service }: Followed, options: LogPart): Promise<undefined> => {
    for await (const line of await readLog(container, { follow, ...options, signal })) {
      await lines.push({ ...line, container: container.name, service });
    }
  };
  const done = follow
    ? followMembers(bound, members, part, wanted, readMember)
    : Promise.all(members.map((member) => unlessNotFound(readMember(member, part))));
  done.then(
    () => {
      lines.end();
    },
    (error: unknown) => {
      lines.fail(error);
    },
  );
  try {
    yield* lines;
  } finally {
    left.abort();
  }
}

function followMembers(
  orchestration: Orchestration,
  members: readonly Member[],
  part: LogPart,
  { project, services }: { readonly project: string; readonly services: readonly string[] },
  follow: FollowedSetParts['follow'],
): Promise<void> {
  const admits = (service: string): boolean => services.length === 0 || services.includes(service);
  const followed = new FollowedSet(orchestration, { project, admits, follow });
  void followed.admit();
  for (const member of members) followed.add(member, part);
  followed.seal();
  return followed.over;
}
