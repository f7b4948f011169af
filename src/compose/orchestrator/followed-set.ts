/**
 * The containers that a command follows: attached `up` and `logs --follow`. A container that starts later joins. The set
 * ends when all containers have ended for good, which one that is replaced or restarted has not.
 */
import { isRuntimeError, unlessNotFound } from '../runtime/errors.js';
import { hasEnded } from '../runtime/lifecycle.js';
import type { ContainerRecord, ExitRecord } from '../runtime/records.js';
import type { LogOptions } from '../runtime/runtime.js';
import { memberOf, type Member } from './actual-state.js';
import type { ContainerName } from './container-actions.js';
import { isOutgoing, LABELS } from './labels.js';
import type { Orchestration } from './orchestration.js';

const POLL_MS = 500;

export interface Followed {
  readonly container: ContainerName & Pick<ContainerRecord, 'startedAt'>;
  readonly service: string;
  /** The replica's number, from 1. A successor has the number of the container that it replaces. */
  readonly number: number;
}

/** The part of a container's log that is read. Nothing set: all of it. */
export type LogPart = Pick<LogOptions, 'since' | 'until' | 'tail'>;

/** `replaced`: has a successor, or will get one. `restarting`: runs again. */
export type Fate = 'ended' | 'replaced' | 'restarting';

export interface FollowedSetParts {
  readonly project: string;
  /** Whether the containers of a service join when they start. */
  readonly admits: (service: string) => boolean;
  /**
   * Follows a container until its run has ended. The set catches RuntimeError.notFound.
   *
   * @returns how the run ended, if that is known
   */
  readonly follow: (followed: Followed, part: LogPart) => Promise<ExitRecord | undefined>;
  /** Called, and awaited, when a run has ended. `exit` is unknown if the container was removed at once. */
  readonly ended?: (followed: Followed, exit: ExitRecord | undefined, fate: Fate) => Promise<void>;
  /** While true, containers that end are restarted. */
  readonly isRestarting?: () => boolean;
}

export class FollowedSet {
  /** Settles when nothing is left to follow; rejects with the first failure. */
  readonly over: Promise<void>;
  readonly #orchestration: Orchestration;
  readonly #parts: FollowedSetParts;
  /** The ids of containers whose output is being read. */
  readonly #reading = new Set<string>();
  /** When the latest run of a container ended, by its id. Undefined: unknown. */
  readonly #ends = new Map<string, string | undefined>();
  #open = 0;
  #isSealed = false;
  #settle: { resolve(): void; reject(error: unknown): void } = { resolve: () => undefined, reject: () => undefined };

  constructor(orchestration: Orchestration, parts: FollowedSetParts) {
    this.#orchestration = orchestration;
    this.#parts = parts;
    this.over = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    // The owner may leave before it waits for the end.
    this.over.catch(() => undefined);
  }

  /** Adds a container, unless it is followed already. */
  add(followed: Followed, part: LogPart): void {
    const { id } = followed.container;
    if (this.#reading.has(id)) return;
    this.#reading.add(id);
    this.#open += 1;
    this.#followOne(followed, part).then(
      () => {
        this.#open -= 1;
        this.#endIfDone();
      },
      (error: unknown) => {
        this.#settle.reject(error);
      },
    );
  }

  /** Called when all initial containers have been added. From then on, the set can end. */
  seal(): void {
    this.#isSealed = true;
    this.#endIfDone();
  }

  /** Adds the project's containers as they start, until the signal fires. */
  async admit(): Promise<void> {
    const { backend, signal } = this.#orchestration;
    try {
      const events = await backend.system.events({ labels: { [LABELS.project]: this.#parts.project }, signal });
      for await (const { type, id, time } of events) {
        if (type !== 'started' || this.#reading.has(id)) continue;
        const record = await unlessNotFound(backend.containers.inspect(id, { signal }));
        const [member] = record === undefined ? [] : memberOf(record);
        if (member === undefined || member.oneOff || !this.#parts.admits(member.service)) continue;
        // The event may arrive after the end of the run that it announces.
        const { status, finishedAt } = member.container;
        if (hasEnded(status) && this.#ends.get(id) === finishedAt) continue;
        this.#join(member, time);
      }
    } catch (error) {
      if (!signal.aborted) this.#settle.reject(error);
    }
  }

  /** A container that was not followed before is read whole, because its log begins with this run. */
  #join(member: Member, startedAt: string | undefined): void {
    const { id } = member.container;
    const since = this.#ends.has(id) ? (afterTime(this.#ends.get(id)) ?? dateOf(startedAt)) : undefined;
    this.add(member, since === undefined ? {} : { since });
  }

  async #followOne(followed: Followed, part: LogPart): Promise<void> {
    const { clock, signal } = this.#orchestration;
    const { id } = followed.container;
    const exit = await this.#follow(followed, part);
    this.#reading.delete(id);
    this.#ends.set(id, exit?.exitedAt);
    for (let isFirst = true; ; isFirst = false) {
      const { fate, running } = await this.#lookUp(followed, exit !== undefined);
      if (isFirst) await this.#parts.ended?.(followed, exit, fate);
      if (running !== undefined) this.#join(running, running.container.startedAt);
      // An event may have added it.
      if (fate === 'ended' || running !== undefined || this.#reading.has(id)) return;
      await clock.sleep(POLL_MS, signal);
    }
  }

  async #follow(followed: Followed, part: LogPart): Promise<ExitRecord | undefined> {
    try {
      return await this.#parts.follow(followed, part);
    } catch (error) {
      // A removed container has no more output.
      if (isRuntimeError(error, 'notFound')) return undefined;
      throw error;
    }
  }

  /**
   * Decides the fate of a container whose run has ended, and finds the container that already runs in its place. If only
   * its output is known to have ended, the same run may still be about to end.
   */
  async #lookUp(
    { container, service, number }: Followed,
    hasExited: boolean,
  ): Promise<{ fate: Fate; running?: Member }> {
    const { backend, signal } = this.#orchestration;
    const labels = { [LABELS.project]: this.#parts.project, [LABELS.service]: service };
    const members = (await backend.containers.list({ labels, signal }))
      .flatMap(memberOf)
      .filter((member) => member.number === number && !member.oneOff);
    const own = members.find((member) => member.container.id === container.id);
    const successor = members.find((member) => member !== own && !hasEnded(member.container.status));
    if (own?.container.finishedAt !== undefined) this.#ends.set(container.id, own.container.finishedAt);
    if (successor !== undefined) {
      return { fate: 'replaced', ...(isRunning(successor.container) && { running: successor }) };
    }
    if (own === undefined) return { fate: 'ended' };
    if (isOutgoing(own.container)) return { fate: 'replaced' };
    if (isRunning(own.container)) {
      const isNext = hasExited || own.container.startedAt !== container.startedAt;
      return { fate: 'restarting', ...(isNext && { running: own }) };
    }
    const restarts = isBroughtBack(own.container) || this.#parts.isRestarting?.() === true;
    return { fate: restarts ? 'restarting' : 'ended' };
  }

  #endIfDone(): void {
    if (this.#isSealed && this.#open === 0) this.#settle.resolve();
  }
}

function isRunning({ status, condition }: ContainerRecord): boolean {
  return status === 'running' && condition !== 'restarting';
}

/** Whether the engine will start it again. A stopped container is not restarted. */
function isBroughtBack({ status, condition, restart, exitCode, restartCount }: ContainerRecord): boolean {
  if (condition === 'restarting' || status === 'stopping') return true;
  if (restart === undefined || status === 'stopped') return false;
  if (restart.name !== 'on-failure') return restart.name !== 'no';
  return exitCode !== 0 && restartCount < (restart.maximumRetries ?? Infinity);
}

/** Engines record a run's start time only after its first lines, so the end of the previous run is used. */
export function afterTime(time: string | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(Date.parse(time) + 1);
}

function dateOf(time: string | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time);
}
