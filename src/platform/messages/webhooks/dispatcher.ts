import type { Log } from '@plumbline/contract/contract-types';
import type { OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import { inSpan } from '@plumbline/contract/system/tracing';
import { serverDelay } from '../../../sync/http/server-delay.js';
import { after, nextAttempt, type Backoff } from '../../clock.js';
import { startConcurrentRounds } from '../../server/concurrent-rounds.js';
import type { Rounds } from '../../server/rounds.js';
import { deactivateByItself, type DeactivationParts } from './deactivation.js';
import {
  acceptDelivery,
  eventOf,
  giveUpSurplus,
  noteDeliveryFailure,
  takeDueDeliveries,
  type DueDelivery,
  type Outdated,
} from './deliveries.store.js';
import { NotAccepted, reasonOf, sendEvent } from './send-event.js';
import { noteFailingSince } from './webhooks.store.js';

/** Delivers events from the outbox to the URLs of webhooks, in the background. */
export type WebhookDispatcher = Rounds;

export interface WebhookDispatcherOptions extends DeactivationParts {
  readonly outbound: OutboundFetch;
  readonly log: Log;
}

const pollMs = 2000;
/** Each goes to another webhook. */
const mostInFlight = 100;
/** Silent URLs of one organization must not use up what can be in flight. */
const mostOfOrganization = 4;
/** Longer than an attempt, so that no event is delivered twice concurrently. */
const leaseSeconds = 60;
/** With the delays below, delivery is attempted for about a day. */
const maxAttempts = 16;
const backoff: Backoff = { first: 5, longest: 21_600 };
/** About as long as a delivery is attempted. One that has waited longer is given up with the one that it waits for. */
const mostWaitSeconds = 86_400;
/** A webhook whose URL has accepted nothing for as long is deactivated when a delivery is given up. */
const failingSeconds = 3 * 86_400;
/** The limit for one webhook. A receiver that accepts fewer events than occur must not fill the database. */
const mostWaiting = 10_000;

/**
 * Starts the dispatcher. An event is removed from the outbox only after the URL has accepted it, so each is delivered at
 * least once, and events of one subject in their order.
 */
export function startWebhookDispatcher(options: WebhookDispatcherOptions): WebhookDispatcher {
  const { sql, clock, log } = options;
  return startConcurrentRounds<DueDelivery>({
    pollMs,
    most: mostInFlight,
    take: (count, inFlight) => {
      const limits = { leaseSeconds, count, perOrganization: mostOfOrganization };
      return takeDueDeliveries(sql, clock.now(), inFlight, limits);
    },
    perform: (due, signal) => deliver(due, options, signal),
    notTaken: (error) => {
      log.warn({ err: error }, 'the webhook outbox cannot be read; will retry');
    },
    notPerformed: (error) => {
      log.warn({ err: error }, 'the outcome of a delivery cannot be stored; it becomes due again');
    },
  });
}

async function deliver(due: DueDelivery, options: WebhookDispatcherOptions, signal: AbortSignal): Promise<void> {
  const { sql, clock } = options;
  try {
    const attributes = { 'plumbline.webhook.event': due.event, 'plumbline.webhook.attempt': due.attempts };
    const send = (): Promise<void> => sendEvent(due, eventOf(due), options, clock.now(), signal);
    // A new trace: the request that caused the event has ended.
    await inSpan('deliver event', { kind: 'client', attributes }, send, null);
  } catch (error) {
    if (signal.aborted) return; // this server stops; the event becomes due again
    await noteFailure(due, error, options);
    await limitWaiting(due, options);
    return;
  }
  await acceptDelivery(sql, due, clock.now());
  await limitWaiting(due, options);
}

async function noteFailure(due: DueDelivery, error: unknown, options: WebhookDispatcherOptions): Promise<void> {
  const { sql, clock, log } = options;
  const { webhook_id: id, url, event, attempts } = due;
  const now = clock.now();
  const reply = error instanceof NotAccepted ? error.reply : null;
  const isGone = reply?.status === 410;
  const gaveUp = isGone || attempts >= maxAttempts;
  const retryAt = gaveUp ? null : retryTime(due, reply, now);
  await noteFailingSince(sql, id, url, now);
  const isDeactivated = isGone
    ? await deactivateByItself({ id, url, reason: 'gone' }, null, options)
    : gaveUp && (await deactivateByItself({ id, url, reason: 'failing' }, after(now, -failingSeconds), options));
  await noteDeliveryFailure(sql, due, reasonOf(error), now, retryAt, followersOf(now));
  const fields = { err: error, webhook_id: id, event, attempts };
  if (gaveUp) log.error(fields, 'event dropped after the last attempt');
  else log.warn(fields, 'event not accepted; will retry');
  if (isDeactivated) log.warn({ webhook_id: id, is_gone: isGone }, 'webhook deactivated');
}

/** The next attempt, or a later one if the receiver asks for that (RFC 9110, section 10.2.3). */
function retryTime({ attempts }: DueDelivery, reply: Response | null, now: Date): Date {
  const next = nextAttempt(now, attempts, backoff);
  const delay = reply?.status === 429 || reply?.status === 503 ? serverDelay(reply.headers, now.getTime()) : undefined;
  const wanted = after(now, Math.min((delay ?? 0) / 1000, backoff.longest));
  return wanted > next ? wanted : next;
}

function followersOf(now: Date): Outdated {
  const error = 'An earlier event of the subject was given up, and this one had waited for more than a day.';
  return { dueBefore: after(now, -mostWaitSeconds), error };
}

/** After each attempt, since only a webhook that is attempted gets events. */
async function limitWaiting({ webhook_id: id }: DueDelivery, { sql, clock }: WebhookDispatcherOptions): Promise<void> {
  const error = `More than ${mostWaiting} deliveries of the webhook waited.`;
  await giveUpSurplus(sql, id, { most: mostWaiting, error }, clock.now());
}
