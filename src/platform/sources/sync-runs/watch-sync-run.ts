import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerSentEvent } from '@plumbline/contract/contract-types';
import type { Schemas, WatchSyncRunHandler } from '../../../../generated/platform/operations.js';
import { tooManyStreams } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import type { OrganizationPrincipal } from '../../identity/accounts/actor.js';
import { after } from '../../clock.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { noSuchRun } from './not-found.js';
import { findSyncRun, syncRunOf, type SyncRunKey, type SyncRunRow } from './sync-runs.store.js';

/** The limit for one caller on one server. */
export const mostStreams = 10;
/** The limit for all callers of one organization on one server: each stream makes a query a second. */
export const mostStreamsOfOrganization = 50;
const lookMs = 1000;
/** Looks between checks of the caller's authorization while the run does not change. */
const looksPerCheck = 5;
const longestSeconds = 300;

export const watchSyncRun: WatchSyncRunHandler<PlatformDependencies> = async (
  { params, headers, principal, context },
  { sql, streams, organizationStreams, closing, clock },
) => {
  const key = { orgId: principal.org_id, configId: params.sync_config_id, runId: params.run_id };
  const row = await findSyncRun(sql, key);
  if (row === null) return noSuchRun(sql, key);
  const seen = headers['last-event-id'];
  if (hasEnded(row) && eventOf(row).id === seen) return { status: 204 };

  const closeCallers = streams.open(callerOf(principal));
  if (closeCallers === null) {
    return tooManyStreams({ message: `You have ${mostStreams} open streams to this server. Close one first.` });
  }
  const closeOrganizations = organizationStreams.open(principal.org_id);
  if (closeOrganizations === null) {
    closeCallers();
    const most = mostStreamsOfOrganization;
    return tooManyStreams({ message: `Your organization has ${most} open streams to this server. Close one first.` });
  }
  const close = (): void => {
    closeCallers();
    closeOrganizations();
  };
  // A generator that never starts runs no `finally`.
  context.signal.addEventListener('abort', close, { once: true });
  if (context.signal.aborted) close();
  const end = AbortSignal.any([context.signal, closing]);
  const endsAt = after(clock.now(), longestSeconds);
  const isOver = (): boolean => end.aborted || clock.now() >= endsAt;
  const isAuthorized = (): Promise<boolean> => context.isStillAuthorized();
  return { status: 200, body: changesOf(sql, key, { row, seen, end, isOver, isAuthorized, close }) };
};

/** Yields a run now and after each change, until it has ended, is gone, or the caller's time or authorization ends. */
async function* changesOf(
  sql: Sql,
  key: SyncRunKey,
  watch: {
    readonly row: SyncRunRow;
    /** The id of the latest event that the caller has. */
    readonly seen: string | undefined;
    /** Ends the wait for the next look. */
    readonly end: AbortSignal;
    isOver(): boolean;
    isAuthorized(): Promise<boolean>;
    close(): void;
  },
): AsyncGenerator<ServerSentEvent<Schemas['SyncRun']>> {
  let row: SyncRunRow | null = watch.row;
  let { seen } = watch;
  try {
    for (let look = 0; row !== null; look += 1) {
      const event = eventOf(row);
      const isNew = event.id !== seen;
      // The request itself authorized the first look.
      const isCheck = look > 0 && (isNew || look % looksPerCheck === 0);
      if (isCheck && !(await watch.isAuthorized())) return;
      if (isNew) yield event;
      seen = event.id;
      if (hasEnded(row)) return;
      await sleep(lookMs, undefined, { signal: watch.end, ref: false }).catch(() => undefined);
      if (watch.isOver()) return;
      row = await findSyncRun(sql, key);
    }
  } finally {
    watch.close();
  }
}

/** The state of a run. Equal states have the same id, on every server. */
function eventOf(row: SyncRunRow): ServerSentEvent<Schemas['SyncRun']> {
  const data = syncRunOf(row);
  const id = createHash('sha256').update(JSON.stringify(data)).digest('base64url').slice(0, 22);
  return { id, data };
}

function hasEnded({ status }: SyncRunRow): boolean {
  return status !== 'pending' && status !== 'running';
}

function callerOf(principal: OrganizationPrincipal): string {
  return 'service_token_id' in principal ? principal.service_token_id : principal.user_id;
}
