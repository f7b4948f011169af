/** Tells `stopping` and `stopped` from `running` and `exited` with the marks that stops leave (state.ts). */
import type { Clock } from '../clock.js';
import type { ContainerRecord, ContainerStatus } from '../records.js';
import type { StopMark, StopMarks } from '../state.js';
import type { Engine, EngineContainer } from './engine.js';

export interface StopLedger {
  /** Asks the engine who it is, so that the first record does not have to wait for the answer. */
  prepare(signal?: AbortSignal): Promise<void>;
  record(container: EngineContainer, signal?: AbortSignal): Promise<ContainerRecord>;
  /** Notes that we stop this run, before we do. */
  open(container: EngineContainer, timeoutSeconds: number, signal?: AbortSignal): Promise<void>;
  /** Takes the note back: the stop failed, or something else ends the run. */
  cancel(id: string, signal?: AbortSignal): Promise<void>;
  /** Is there a note about this run, or, where the run is not known any more, about the container? */
  stopped(id: string, startedAt: string | undefined, signal?: AbortSignal): Promise<boolean>;
}

/** What an engine takes beyond the grace period to kill, clean up and answer. */
const SLACK_MS = 30_000;

export function stopLedger(engine: Engine, marks: StopMarks, clock: Clock): StopLedger {
  let identity: Promise<string> | undefined;
  let pruning: Promise<void> | undefined;

  const identify = (signal?: AbortSignal): Promise<string> => {
    // A failure is not kept: the engine may answer the next time.
    identity ??= engine.system.identity(signal).catch((error: unknown) => {
      identity = undefined;
      throw error;
    });
    return identity;
  };

  /** Once per process, and only when there are many, because it asks for every container: a mark is a hundred bytes. */
  function prune(signal?: AbortSignal): Promise<void> {
    pruning ??= identify(signal)
      .then((own) =>
        marks.prune(own, async () => new Set((await engine.containers.list({}, signal)).map(({ id }) => id))),
      )
      .catch((error: unknown) => {
        pruning = undefined;
        throw error;
      });
    return pruning;
  }

  return {
    async prepare(signal) {
      await identify(signal);
    },
    async record(container, signal) {
      const { state, logFile: _logFile, ...rest } = container;
      const needsMark = state === 'running' || state === 'ended';
      const mark = needsMark ? await marks.read(await identify(signal), container.id) : undefined;
      return { ...rest, status: statusOf(container, mark, clock.now()) };
    },
    async open(container, timeoutSeconds, signal) {
      await prune(signal);
      const until = clock.now().getTime() + timeoutSeconds * 1000 + SLACK_MS;
      await marks.write(await identify(signal), container.id, { run: runOf(container.startedAt), until });
    },
    async cancel(id, signal) {
      await marks.erase(await identify(signal), id);
    },
    async stopped(id, startedAt, signal) {
      const mark = await marks.read(await identify(signal), id);
      return mark !== undefined && (startedAt === undefined || mark.run === runOf(startedAt));
    },
  };
}

function statusOf(container: EngineContainer, mark: StopMark | undefined, now: Date): ContainerStatus {
  const ours = mark !== undefined && mark.run === runOf(container.startedAt);
  switch (container.state) {
    case 'created':
    case 'stopping':
      return container.state;
    case 'running':
      // Past its time, the stop that made the mark was itself killed.
      return ours && now.getTime() < mark.until ? 'stopping' : 'running';
    case 'ended':
      return ours ? 'stopped' : 'exited';
  }
}

/** Milliseconds: engines differ in how many digits they print of one and the same time. */
function runOf(startedAt: string | undefined): number {
  return startedAt === undefined ? 0 : Date.parse(startedAt);
}
