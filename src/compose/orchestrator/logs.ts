/** Merges the output of many containers into one stream, each line with its container. */
import { setMaxListeners } from 'node:events';
import { channel, type Channel } from '../runtime/channel.js';
import { isRuntimeError } from '../runtime/errors.js';
import type { ContainerRecord, LogLine } from '../runtime/records.js';
import type { LogOptions } from '../runtime/runtime.js';
import { LABELS } from './labels.js';
import { memberOf, type Member } from './actual-state.js';
import type { Orchestration } from './orchestration.js';

export interface MemberLine extends LogLine {
  readonly container: string;
  readonly service: string;
}

export interface MemberLogOptions extends Pick<LogOptions, 'since' | 'until' | 'tail'> {
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
  options: MemberLogOptions,
  wanted: { readonly project: string; readonly services: readonly string[] },
): AsyncGenerator<MemberLine, void> {
  const left = new AbortController();
  const bound = { ...orchestration, signal: AbortSignal.any([orchestration.signal, left.signal]) };
  // Each followed container adds a listener, so many listeners are not a leak.
  setMaxListeners(0, bound.signal);
  const lines = channel<MemberLine>();
  const pumps = new PumpSet(bound, lines, options.read ?? (({ id }, rest) => bound.backend.containers.logs(id, rest)));
  if (options.follow === true) void pumps.admit(wanted);
  for (const member of members) pumps.add(member, options);
  pumps.seal();
  try {
    yield* lines;
  } finally {
    left.abort();
  }
}

/** Reads containers' logs into one channel, which ends when no container is left. */
class PumpSet {
  readonly #orchestration: Orchestration;
  readonly #lines: Channel<MemberLine>;
  readonly #readLog: ReadLog;
  readonly #reading = new Set<string>();
  #sealed = false;

  constructor(orchestration: Orchestration, lines: Channel<MemberLine>, readLog: ReadLog) {
    this.#orchestration = orchestration;
    this.#lines = lines;
    this.#readLog = readLog;
  }

  add({ container, service }: Member, options: MemberLogOptions): void {
    if (this.#reading.has(container.id)) return;
    this.#reading.add(container.id);
    const settle = (): void => {
      this.#reading.delete(container.id);
      this.#endIfDone();
    };
    this.#read(container, service, options).then(settle, (error: unknown) => {
      // A removed container has no more output. An abort reaches the consumer through its own signal.
      if (isRuntimeError(error, 'notFound')) settle();
      else this.#lines.fail(error);
    });
  }

  /** Called when all initial containers have been added. */
  seal(): void {
    this.#sealed = true;
    this.#endIfDone();
  }

  /** Adds the project's containers as they start. */
  async admit(wanted: { readonly project: string; readonly services: readonly string[] }): Promise<void> {
    const { backend, signal } = this.#orchestration;
    try {
      const events = await backend.system.events({ labels: { [LABELS.project]: wanted.project }, signal });
      for await (const event of events) {
        if (event.type !== 'started') continue;
        const [member] = memberOf(await backend.containers.inspect(event.id, { signal }));
        if (member === undefined || member.oneOff) continue;
        if (wanted.services.length > 0 && !wanted.services.includes(member.service)) continue;
        this.add(member, { follow: true, since: new Date(event.time) });
      }
    } catch (error) {
      if (!signal.aborted && !isRuntimeError(error, 'notFound')) this.#lines.fail(error);
    }
  }

  async #read(
    container: Pick<ContainerRecord, 'id' | 'name'>,
    service: string,
    { read: _read, ...options }: MemberLogOptions,
  ): Promise<void> {
    const { signal } = this.#orchestration;
    for await (const line of await this.#readLog(container, { ...options, signal })) {
      await this.#lines.push({ ...line, container: container.name, service });
    }
  }

  #endIfDone(): void {
    if (this.#sealed && this.#reading.size === 0) this.#lines.end();
  }
}
