import { Webhook } from 'standardwebhooks';
import type { WebhookEvent } from '../../../../generated/platform/webhooks.js';
import { isRedirect, type OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import type { SecretBox } from '../../server/secrets/secret-box.js';
import { webhookSecretContext, type EventTarget } from './webhooks.store.js';

const timeoutMs = 10_000;

export interface SendParts {
  readonly secrets: SecretBox;
  readonly outbound: OutboundFetch;
}

/** Why an event was not accepted, in words for admins. */
export class NotAccepted extends Error {
  override readonly name = 'NotAccepted';
  /** null: there is no reply. */
  readonly reply: Response | null;

  constructor(message: string, reply: Response | null, options?: ErrorOptions) {
    super(message, options);
    this.reply = reply;
  }
}

/** The words for a failure of `sendEvent`. Reasons that reveal a network are only in the log. */
export function reasonOf(failure: unknown): string {
  return failure instanceof NotAccepted ? failure.message : 'The URL cannot be reached.';
}

/**
 * Sends an event to the URL of a webhook once, and waits up to 10 seconds for the status of the reply.
 *
 * @throws NotAccepted, or the failure of the call
 */
export async function sendEvent(
  target: EventTarget,
  event: WebhookEvent,
  { secrets, outbound }: SendParts,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  const body = JSON.stringify(event);
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'plumbline',
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signaturesOf(target, event.id, secrets, now, body),
  };
  // The status decides. A body could be endless.
  const request = { method: 'POST', headers, body, signal, timeoutMs, statusOnly: true };
  const reply = await outbound(target.url, request);
  const { ok, status } = reply;
  if (isRedirect(status)) throw new NotAccepted(`The URL redirects (${status}).`, reply);
  if (status === 410) throw new NotAccepted('The URL answered 410 (gone).', reply);
  if (!ok) throw new NotAccepted(`The URL answered ${status}.`, reply);
}

/** One signature by each secret, separated by spaces. */
function signaturesOf(target: EventTarget, eventId: string, secrets: SecretBox, now: Date, body: string): string {
  const previous = target.previous_sealed_secrets.map((each) => Buffer.from(each, 'base64'));
  return [target.sealed_secret, ...previous]
    .map((each) => new Webhook(secretOf(target, each, secrets)).sign(eventId, now, body))
    .join(' ');
}

function secretOf({ webhook_id: id }: EventTarget, sealed: Uint8Array, secrets: SecretBox): string {
  try {
    return secrets.open(sealed, webhookSecretContext(id));
  } catch (error) {
    throw new NotAccepted('The server cannot sign the event.', null, { cause: error });
  }
}
