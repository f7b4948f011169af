import { Webhook } from 'standardwebhooks';
import type { Log } from '@plumbline/contract/contract-types';
import type { Sql } from '../../../database/connection.js';
import { isRedirect, type OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import { inSpan } from '@plumbline/contract/system/tracing';
import { serverDelay } from '../../../sync/http/server-delay.js';
import { after, nextAttempt, type Backoff, type Clock } from '../../clock.js';
import { startConcurrentRounds } from '../../server/concurrent-rounds.js';
import type { Rounds } from '../../server/rounds.js';
import type { SecretBox } from '../../server/secrets/secret-box.js';
import {
  deleteDelivery,
  eventOf,
  giveUpSurplus,
  noteDeliveryFailure,
  takeDueDeliveries,
  type DueDelivery,
  type Outdated,
} from './deliveries.store.js';
import { deactivateWebhook, webhookSecretContext } from './webhooks.store.js';

/** Delivers events from the outbox to the URLs of webhooks, in the background. */
export type WebhookDispatcher = Rounds;

export interface WebhookDispatcherOptions {
  readonly sql: Sql;
  readonly secrets: SecretBox;
  readonly outbound: OutboundFetch;
  readonly clock: Clock;
  readonly log: Log;
}

const pollMs = 2000;
/** Each goes to another webhook. */
const mostInFlight = 100;
/** Silent URLs of one organization must not use up what can be in flight. */
const mostOfOrganization = 4;
const timeoutMs = 10_000;
/** Longer than the timeout, so that no event is delivered twice concurrently. */
const leaseSeconds = 60;
/** With the delays below, delivery is attempted for about a day. */
const maxAttempts = 16;
const backoff: Backoff = { first: 5, longest: 21_600 };
/** About as long as a delivery is attempted. One that has waited longer is given up with the one that it waits for. */
const mostWaitSeconds = 86_400;
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
  const { sql, clock, log } = options;
  const fields = { webhook_id: due.webhook_id, event: due.event, attempts: due.attempts };
  try {
    const attributes = { 'plumbline.webhook.event': due.event, 'plumbline.webhook.attempt': due.attempts };
    // A new trace: the request that caused the event has ended.
    await inSpan('deliver event', { kind: 'client', attributes }, () => send(due, options, signal), null);
  } catch (error) {
    if (signal.aborted) return; // this server stops; the event becomes due again
    const now = clock.now();
    const refusal = error instanceof NotAccepted ? error : null;
    const reason = refusal?.message ?? 'The URL cannot be reached.';
    const isGone = refusal?.reply?.status === 410;
    const gaveUp = isGone || due.attempts >= maxAttempts;
    const retryAt = gaveUp ? null : retryTime(due, refusal?.reply ?? null, now);
    if (isGone) await deactivateWebhook(sql, due.webhook_id, due.url, now);
    await noteDeliveryFailure(sql, due, reason, now, retryAt, followersOf(now));
    if (isGone) log.warn({ ...fields, err: error }, 'webhook deactivated: its URL is gone');
    else if (gaveUp) log.error({ ...fields, err: error }, 'event dropped after the last attempt');
    else log.warn({ ...fields, err: error }, 'event not accepted; will retry');
    await limitWaiting(due, options);
    return;
  }
  await deleteDelivery(sql, due);
  await limitWaiting(due, options);
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

/** Why an event was not accepted, in words for admins. */
class NotAccepted extends Error {
  override readonly name = 'NotAccepted';
  /** null: there is no reply. */
  readonly reply: Response | null;

  constructor(message: string, reply: Response | null, options?: ErrorOptions) {
    super(message, options);
    this.reply = reply;
  }
}

/** @throws NotAccepted, or the failure of the call */
async function send(
  due: DueDelivery,
  { secrets, outbound, clock }: WebhookDispatcherOptions,
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now();
  const body = JSON.stringify(eventOf(due));
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'plumbline',
    'webhook-id': due.event_id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signaturesOf(due, secrets, now, body),
  };
  // The status decides. A body could be endless.
  const request = { method: 'POST', headers, body, signal, timeoutMs, statusOnly: true };
  const reply = await outbound(due.url, request);
  const { ok, status } = reply;
  if (isRedirect(status)) throw new NotAccepted(`The URL redirects (${status}).`, reply);
  if (status === 410) throw new NotAccepted('The URL answered 410 (gone), so the webhook was deactivated.', reply);
  if (!ok) throw new NotAccepted(`The URL answered ${status}.`, reply);
}

/** One signature by each secret, separated by spaces. */
function signaturesOf(due: DueDelivery, secrets: SecretBox, now: Date, body: string): string {
  const previous = due.previous_sealed_secrets.map((each) => Buffer.from(each, 'base64'));
  return [due.sealed_secret, ...previous]
    .map((each) => new Webhook(secretOf(due, each, secrets)).sign(due.event_id, now, body))
    .join(' ');
}

function secretOf(due: DueDelivery, sealed: Uint8Array, secrets: SecretBox): string {
  try {
    return secrets.open(sealed, webhookSecretContext(due.webhook_id));
  } catch (error) {
    throw new NotAccepted('The server cannot sign the event.', null, { cause: error });
  }
}
