/** Merges the output of many containers on a server into one stream, each line with its container. */
import type { Schemas } from '@plumbline/sdk/compose';
import type { MemberLine } from '../../orchestrator/logs.js';
import { channel } from '../../runtime/channel.js';

/** A container whose lines are read. */
export interface Source {
  readonly container: { readonly id: string; readonly name: string };
  readonly service: string;
}

/**
 * Streams the lines of some containers, and of those that join them. Ends when no container is left.
 *
 * @param query selects the lines of the initial containers
 * @param read returns the lines of one container
 * @param joining containers started later, with the time from which to read their lines; null: none
 */
export async function* linesOf(
  members: readonly Source[],
  query: object,
  read: (id: string, query: object) => AsyncIterable<Schemas['LogLine']>,
  joining: AsyncGenerator<Source & { readonly since: string }, void> | null,
): AsyncGenerator<MemberLine, void> {
  const lines = channel<MemberLine>();
  const reading = new Set<string>();
  const pump = async ({ container, service }: Source, which: object): Promise<void> => {
    for await (const { stream, line, time } of read(container.id, which)) {
      const output = stream === 'stderr' ? 'stderr' : 'stdout';
      await lines.push({ stream: output, line, time, container: container.name, service });
    }
  };
  const add = (source: Source, which: object): void => {
    const { id } = source.container;
    if (reading.has(id)) return;
    reading.add(id);
    pump(source, which).then(
      () => {
        reading.delete(id);
        if (reading.size === 0) lines.end();
      },
      (error: unknown) => {
        lines.fail(error);
      },
    );
  };
  const admit = async (): Promise<void> => {
    for await (const source of joining ?? []) add(source, { since: source.since });
  };

  for (const member of members) add(member, query);
  if (members.length === 0) lines.end();
  admit().catch((error: unknown) => {
    lines.fail(error);
  });
  yield* lines;
}
