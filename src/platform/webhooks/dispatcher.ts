import { Webhook } from 'standardwebhooks';
import type { Log } from '../../../generated/contract.js';
import type { Sql } from '../../database/connection.js';
import type { OutboundFetch } from '../../outbound/outbound-fetch.js';
import { inSpan } from '../../system/tracing.js';
import { after, type Clock } from '../clock.js';
import { startRounds, type Rounds } from '../rounds.js';
import type { SecretBox } from '../secrets/secret-box.js';
import {
  deleteDelivery,
  eventOf,
  noteDeliveryFailure,
  takeDueDeliveries,
  type DueDelivery,
} from './deliveries.store.js';
import { webhookSecretContext } from './webhooks.store.js';

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
/** Deliveries at a time, each to another webhook. */
const batchSize = 20;
const timeoutMs = 10_000;
/** Longer than the timeout, so that no event is delivered twice concurrently. */
const leaseSeconds = 60;
/** With the delays below, delivery is attempted for about a day. */
const maxAttempts = 16;
const firstDelaySeconds = 5;
const maxDelaySeconds = 21_600;
const largestReply = 65_536;

/**
 * Starts the dispatcher. An event is removed from the outbox only after the URL has accepted it, so each is delivered at
 * least once, and events of one subject in their order.
 */
export function startWebhookDispatcher(options: WebhookDispatcherOptions): WebhookDispatcher {
  const stopping = new AbortController();
  const rounds = startRounds({
    pollMs,
    round: async (_again, isStopped) => {
      for (;;) {
        const due = await takeDueDeliveries(options.sql, options.clock.now(), leaseSeconds, batchSize);
        await Promise.all(due.map((each) => deliver(each, options, stopping.signal)));
        if (due.length === 0 || isStopped()) return;
      }
    },
    failed: (error) => {
      options.log.warn({ err: error }, 'the webhook outbox cannot be read; will retry');
    },
  });
  return {
    ...rounds,
    stop: () => {
      stopping.abort();
      return rounds.stop();
    },
  };
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
    const gaveUp = due.attempts >= maxAttempts;
    const delay = Math.min(firstDelaySeconds * 2 ** (due.attempts - 1), maxDelaySeconds);
    const now = clock.now();
    const reason = error instanceof RefusedEvent ? error.message : 'The URL cannot be reached.';
    await noteDeliveryFailure(sql, due.id, reason, now, gaveUp ? null : after(now, delay));
    if (gaveUp) log.error({ ...fields, err: error }, 'event dropped after the last attempt');
    else log.warn({ ...fields, err: error }, 'event not accepted; will retry');
    return;
  }
  await deleteDelivery(sql, due.id);
}

/** The URL answered, but not with 2xx. */
class RefusedEvent extends Error {
  override readonly name = 'RefusedEvent';
}

/** @throws RefusedEvent, or the failure of the call */
async function send(
  due: DueDelivery,
  { secrets, outbound, clock }: WebhookDispatcherOptions,
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now();
  const body = JSON.stringify(eventOf(due));
  const secret = secrets.open(due.sealed_secret, webhookSecretContext(due.webhook_id));
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'plumbline',
    'webhook-id': due.event_id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(due.event_id, now, body),
  };
  const request = { method: 'POST', headers, body, signal, timeoutMs, maxBytes: largestReply };
  const { ok, status } = await outbound(due.url, request);
  if (!ok) throw new RefusedEvent(`The URL answered ${status}.`);
}
