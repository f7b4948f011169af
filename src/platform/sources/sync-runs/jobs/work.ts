import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@plumbline/contract/contract-types';
import type { Schemas } from '../../../../../generated/platform/operations.js';
import type { DatabaseSql } from '../../../../database/connection.js';
import { isTransient } from '../../../../database/failures.js';
import { withoutSecrets } from '../../../../sync/failures.js';
import { after, type Clock } from '../../../clock.js';
import type { InstallationTokens } from '../../app-installations/installation-tokens.js';
import { prepareJob, secretsOf, type JobSettings } from './prepare-job.js';
import { withNote } from './run-notes.js';
import { mostAttempts, settlementOf, type Settlement } from './settlement.js';
import {
  endedRun,
  stepKey,
  type EndedRun,
  type JobToken,
  type StartExecution,
  type StepResult,
  type SyncJob,
} from './sync-job.js';
import { putBack, storeEnd, storeHeartbeat, type RunState, type TakenRun } from './sync-jobs.store.js';

export interface WorkOptions extends JobSettings {
  readonly sql: DatabaseSql;
  readonly clock: Clock;
  readonly log: Log;
  readonly execute: StartExecution;
  readonly installationTokens: Pick<InstallationTokens, 'fresh'>;
  /** Time limit of an attempt in seconds. After that the attempt and the run are ended. */
  readonly runDeadlineSeconds: number;
  /** Called for each run that ended here. */
  readonly ended?: (run: EndedRun) => void;
}

/** A run in progress. */
export interface RunInWork {
  /** Resolves when its outcome is stored, or it no longer belongs to this worker. */
  readonly done: Promise<void>;
  /** The server stops: put the run back into the queue after its current page. */
  stop(): void;
  /** The server's shutdown deadline has passed. */
  kill(): void;
  /** Checks immediately whether the run must continue. */
  recheck(): void;
}

const heartbeatMs = 2000;
/** The time for finishing a page after the run was ended by another process. */
const graceMs = 10_000;
/** The delay before a failed store is retried. */
const retryStoreMs = 500;
const deadTooOften = 'The sync process died repeatedly.';

/** Runs a taken run and stores its outcome. */
export function workOn(run: TakenRun, worker: string, options: WorkOptions): RunInWork {
  const prepared = prepareJob(run, options);
  if ('refusal' in prepared) return refuse(run, worker, prepared.refusal, options);
  if (run.attempts > mostAttempts) return refuse(run, worker, deadTooOften, options);
  return execute(run, worker, prepared.job, options);
}

/** Ends a run that cannot be executed. If the end cannot be stored, the run is taken again later. */
function refuse(run: TakenRun, worker: string, error: string, { sql, clock, log, ended }: WorkOptions): RunInWork {
  const store = async (): Promise<void> => {
    const key = { runId: run.id, worker };
    const now = clock.now();
    const state = { progress: run.progress, steps: null, notes: run.notes };
    const isOurs = await storeEnd(sql, key, state, { status: 'failed', error }, now);
    if (isOurs) ended?.(endedRun(run.provider, 'failed', run.started_at, now));
    log.warn({ run_id: run.id, org_id: run.org_id, error }, 'sync run failed');
  };
  const nothing = (): void => undefined;
  return { done: store(), stop: nothing, kill: nothing, recheck: nothing };
}

function execute(run: TakenRun, worker: string, job: SyncJob, options: WorkOptions): RunInWork {
  const { sql, clock, log } = options;
  const key = { runId: run.id, worker };
  const state = startState(run);
  const secrets = secretsOf(job);
  const fields = { run_id: run.id, org_id: run.org_id, attempt: run.attempts };
  let isStopping = false;
  let overdue: string | null = null;
  const deadline = after(clock.now(), options.runDeadlineSeconds);
  let outOfTime = false;

  log.info({ ...fields, provider: run.provider, targets: run.targets }, 'sync run started');
  const execution = options.execute(job, {
    progress: (progress) => (state.progress = progress),
    step: (step) => {
      state.steps.set(stepKey(step), step);
      state.hasNewSteps = true;
    },
    note: (text) => (state.notes = withNote(state.notes, text, secrets)),
    freshToken: async (used) => {
      const answer = await freshToken(run, used, options);
      if ('token' in answer) secrets.push(answer.token);
      return answer;
    },
  });
  const end = (): void => {
    execution.stop();
    setTimeout(execution.kill, graceMs).unref();
  };
  const heart = startHeart(async () => {
    try {
      if (overdue === null && clock.now() >= deadline) {
        overdue = overdueText(options.runDeadlineSeconds);
        log.warn({ ...fields, seconds: options.runDeadlineSeconds }, 'sync run has reached SYNC_RUN_DEADLINE');
        end();
      }
      const changes = changesOf(state);
      if (await storeHeartbeat(sql, key, changes, clock.now())) return true;
      log.info(fields, 'sync run was ended elsewhere');
      end();
      return false;
    } catch (error) {
      state.hasNewSteps = true; // the previous write may have failed
      log.warn({ ...fields, err: error }, 'the heartbeat of a sync run cannot be stored; will retry');
      return true;
    }
  });

  const finish = async (): Promise<void> => {
    const end = await execution.ended;
    if (!(await heart.stop())) return;
    const { attempts } = run;
    const settled = { attempts, steps: [...state.steps.values()], isStopping, overdue, secrets };
    const settlement = settlementOf(end, settled, clock.now());
    if (end.kind === 'died') {
      log.error({ ...fields, reason: withoutSecrets(end.reason, secrets) }, 'the process of a sync run died');
    }
    const isOurs = await insist(() => store(settlement));
    if (isOurs && settlement.kind === 'end')
      options.ended?.(endedRun(run.provider, settlement.status, run.started_at, clock.now()));
    log.info({ ...fields, settlement }, isOurs ? saidOf(settlement) : 'sync run was ended elsewhere');
  };

  const store = (settlement: Settlement): Promise<boolean> => {
    const final = { progress: state.progress, steps: [...state.steps.values()], notes: state.notes };
    return settlement.kind === 'end'
      ? storeEnd(sql, key, final, settlement, clock.now())
      : putBack(sql, key, final, settlement);
  };

  /** Retries while the server has time, so that a run is not lost to a short database outage or a conflict. */
  const insist = async (attempt: () => Promise<boolean>): Promise<boolean> => {
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (!isTransient(error) || outOfTime) throw error;
        await sleep(retryStoreMs);
      }
    }
  };

  return {
    done: finish(),
    stop: () => {
      isStopping = true;
      execution.stop();
    },
    kill: () => {
      isStopping = true;
      outOfTime = true;
      execution.kill();
    },
    recheck: heart.beat,
  };
}

/** The next token of the installation that a run reads through. */
async function freshToken(
  { id, org_id: orgId, integration_id: integrationId }: TakenRun,
  used: string,
  { installationTokens, log }: WorkOptions,
): Promise<JobToken> {
  try {
    if (integrationId === null) return { failure: 'The integration was disconnected.', isPassing: false };
    const fresh = await installationTokens.fresh({ orgId, id: integrationId }, (token) => token !== used);
    return 'token' in fresh ? { token: fresh.token, expiresAt: fresh.expiresAt.getTime() } : fresh;
  } catch (error) {
    log.warn({ err: error, run_id: id, org_id: orgId }, 'a token of an installation cannot be renewed');
    return { failure: 'The server cannot renew the token. Try again later.', isPassing: true };
  }
}

function overdueText(seconds: number): string {
  return `The run was ended because it took more than ${seconds} seconds. The data read so far is kept, and the next run resumes from there.`;
}

/** Calls `beat` repeatedly, one call at a time, until it returns false or is stopped. */
function startHeart(beat: () => Promise<boolean>): { beat(): void; stop(): Promise<boolean> } {
  let isBeating = true;
  let pending: Promise<void> | null = null;
  const beatOnce = (): void => {
    if (!isBeating) return;
    pending ??= beat().then((succeeded) => {
      isBeating = succeeded;
      pending = null;
    });
  };
  const timer = setInterval(beatOnce, heartbeatMs);
  return {
    beat: beatOnce,
    /** @returns whether the last beat succeeded */
    stop: async () => {
      clearInterval(timer);
      await pending;
      return isBeating;
    },
  };
}

function saidOf(settlement: Settlement): string {
  if (settlement.kind === 'end') return 'sync run ended';
  return settlement.counts ? 'sync run will be retried' : 'sync run returned to the queue';
}

interface State {
  progress: Partial<Schemas['SyncProgress']>;
  readonly steps: Map<string, StepResult>;
  hasNewSteps: boolean;
  notes: readonly string[];
}

function startState({ progress, result, notes }: TakenRun): State {
  const steps = new Map((result?.steps ?? []).map((step) => [stepKey(step), step]));
  return { progress, steps, hasNewSteps: false, notes };
}

/**
 * The changes since the last write, because the steps of a thousand repositories must not be written every other
 * second.
 */
function changesOf(state: State): RunState {
  const { progress, steps, hasNewSteps, notes } = state;
  state.hasNewSteps = false;
  return { progress, steps: hasNewSteps ? [...steps.values()] : null, notes };
}
