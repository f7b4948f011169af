/** Distinguishes `stopping` and `stopped` from `running` and `exited` by stop marks (state.ts). */
import type { Clock } from '../clock.js';
import type { ContainerRecord, ContainerStatus } from '../records.js';
import type { StopMark, StopMarks } from '../state.js';
import type { Engine, EngineContainer } from './engine.js';

export interface StopLedger {
  record(container: EngineContainer): Promise<ContainerRecord>;
  /** Records that this process is about to stop this run. */
  open(
    container: Pick<ContainerRecord, 'id' | 'startedAt'>,
    timeoutSeconds: number,
    signal?: AbortSignal,
  ): Promise<void>;
  /** Removes the record, because the stop failed or something else ends the run. */
  cancel(id: string): Promise<void>;
  /** Whether a run that had begun by then was to stop at about this time. */
  wasStopping(id: string, time: Date): Promise<boolean>;
  /** Whether there is a record for this run or, if the run is unknown, for the container. */
  stopped(id: string, startedAt: string | undefined): Promise<boolean>;
}

/** Time the engine may need beyond the grace period to kill, clean up and reply. */
const SLACK_MS = 30_000;

export function stopLedger(engine: Engine, marks: StopMarks, clock: Clock): StopLedger {
  let pruning: Promise<void> | undefined;

  /**
   * Runs once per process, and only when there are many marks, because it lists every container. A mark is a hundred
   * bytes.
   */
  function prune(signal?: AbortSignal): Promise<void> {
    const existing = async (): Promise<Set<string>> =>
      new Set((await engine.containers.list({}, signal)).map(({ id }) => id));
    pruning ??= marks.prune(engine.place, existing).catch((error: unknown) => {
      pruning = undefined;
      throw error;
    });
    return pruning;
  }

  return {
    async record(container) {
      const { state, logFile: _logFile, ...rest } = container;
      const mark = state === 'running' || state === 'ended' ? await marks.read(container.id) : undefined;
      return { ...rest, status: statusOf(container, mark, clock.now()) };
    },
    async open(container, timeoutSeconds, signal) {
      await prune(signal);
      const until = clock.now().getTime() + timeoutSeconds * 1000 + SLACK_MS;
      await marks.write(engine.place, container.id, { run: runOf(container.startedAt), until });
    },
    cancel: (id) => marks.erase(id),
    async wasStopping(id, time) {
      const mark = await marks.read(id);
      return mark !== undefined && mark.run <= time.getTime() && time.getTime() < mark.until;
    },
    async stopped(id, startedAt) {
      const mark = await marks.read(id);
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
      // If its time has passed, the process that made the mark was killed.
      return ours && now.getTime() < mark.until ? 'stopping' : 'running';
    case 'ended':
      return ours ? 'stopped' : 'exited';
  }
}

/** In milliseconds, because engines print the same time with different precision. */
function runOf(startedAt: string | undefined): number {
  return startedAt === undefined ? 0 : Date.parse(startedAt);
}
