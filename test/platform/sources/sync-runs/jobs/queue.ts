import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import { executeHere } from '../../../../../src/platform/sources/sync-runs/jobs/execute-here.js';
import type { StartExecution } from '../../../../../src/platform/sources/sync-runs/jobs/sync-job.js';
import type { TestPlatform, TestUser } from '../../../../support/platform.js';
import { NOW } from '../../../../sync/harness.js';

/** The runs of one organization, as its owner sees them. */
export interface Queue {
  connect(provider: 'host_a' | 'host_b', baseUrl: string, token: string): Promise<string>;
  configure(config: Configuration): Promise<string>;
  /** @returns the id of the run */
  start(configId: string): Promise<string>;
  read(configId: string, runId: string): Promise<Run>;
  cancel(configId: string, runId: string): Promise<void>;
  /** Waits until the run is in this state, and gives it then. */
  until(configId: string, runId: string, status: Run['status']): Promise<Run>;
}

export interface Configuration {
  readonly provider?: 'host_a' | 'host_b' | 'local' | 'synthetic';
  readonly integration_id?: string;
  readonly targets?: readonly string[];
  readonly repositories: readonly string[];
}

export interface Run {
  readonly id: string;
  readonly status: 'pending' | 'running' | 'partial' | 'complete' | 'failed' | 'cancelled';
  readonly progress: {
    readonly repositories_total: number | null;
    readonly repositories_done: number;
    readonly repositories_failed: number;
    readonly records: number;
  };
  readonly error: string | null;
  readonly notes: readonly string[];
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

/** Expects what is not so yet: looks again and again, for as long as a busy machine may take. */
export function eventually<T>(look: () => T | Promise<T>): ReturnType<typeof expect.poll<T>> {
  return expect.poll(look, { timeout: 40_000 });
}

export function queueOf(platform: TestPlatform, owner: TestUser): Queue {
  const send = async (method: string, path: string, status: number, body?: unknown): Promise<Run> => {
    const reply = await platform.json(method, `/api/v1/admin/${path}`, { token: owner.accessToken, body });
    expect(reply.status, JSON.stringify(reply.body)).toBe(status);
    return reply.body;
  };
  const read: Queue['read'] = (configId, runId) => send('GET', `sync-configs/${configId}/runs/${runId}`, 200);
  return {
    read,
    connect: async (provider, baseUrl, token) =>
      (await send('POST', 'integrations', 201, { provider, name: randomUUID(), base_url: baseUrl, token })).id,
    configure: async (config) => {
      const body = { name: randomUUID(), provider: 'synthetic', targets: ['git'], ...config };
      return (await send('POST', 'sync-configs', 201, body)).id;
    },
    start: async (configId) => (await send('POST', `sync-configs/${configId}/runs`, 202)).id,
    cancel: async (configId, runId) => {
      await send('POST', `sync-configs/${configId}/runs/${runId}/cancel`, 200);
    },
    until: async (configId, runId, status) => {
      await eventually(async () => (await read(configId, runId)).status).toBe(status);
      return read(configId, runId);
    },
  };
}

/** Syncs in this process, at noon of a Wednesday, where what is slept takes no time. */
export const executeWithoutSleep: StartExecution = (job, report) => {
  let slept = 0;
  return executeHere(job, report, {
    now: () => NOW + slept,
    sleep: async (milliseconds, signal) => {
      signal.throwIfAborted();
      slept += milliseconds;
      await setImmediate();
    },
    random: () => 0.5,
    newId: randomUUID,
    environment: process.env,
  });
};

/** A sync that begins when it is let go, and ends at once when it is stopped. */
export interface HeldExecutions {
  readonly execute: StartExecution;
  /** How many are under way. */
  readonly underWay: () => number;
  /** How many have begun. */
  readonly begun: () => number;
  release(): void;
}

/** Keeps every sync from going on after its first page, until they are all released. */
export function holdExecutions(): HeldExecutions {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let begun = 0;
  let underWay = 0;
  return {
    begun: () => begun,
    underWay: () => underWay,
    release: () => {
      release();
    },
    execute: (job, report) => {
      begun += 1;
      underWay += 1;
      let stop: () => void = () => undefined;
      const stopped = new Promise<'stopped'>((resolve) => {
        stop = () => {
          resolve('stopped');
        };
      });
      const ended = Promise.race([released, stopped])
        .then((why) => (why === 'stopped' ? { kind: 'stopped' as const } : executeWithoutSleep(job, report).ended))
        .finally(() => (underWay -= 1));
      return { ended, stop, kill: stop };
    },
  };
}
