/** Receives webhooks: what a server needs that is called by the Platform. */
import { webhookSchemas } from './generated/platform/webhook-schemas.js';
import type { WebhookEvent } from './generated/platform/webhooks.js';
import { faultOf } from './webhook-payload.js';

export * from './generated/platform/webhooks.js';

export interface WebhookOptions {
  /** The secret of the webhook (`whsec_…`), or several, of which one must match. */
  readonly secret: string | readonly string[];
  /** How old or how far in the future a delivery may be, in seconds (default 300). */
  readonly toleranceSeconds?: number | undefined;
  /** Milliseconds since the epoch, for tests. */
  readonly now?: (() => number) | undefined;
}

/** Verifies what webhooks send. */
export interface Webhooks {
  /**
   * Verifies a delivery by the Standard Webhooks specification, and returns its event, which narrows on `type`.
   *
   * A delivery can arrive more than once: ignore an event whose `id` you have handled.
   *
   * @param headers `Headers`, or the headers of a Node request
   * @param body the body as it arrived, before any parser
   * @throws TypeError when the body has been parsed
   * @throws WebhookVerificationError when the delivery is forged, too old or damaged
   * @throws UnknownWebhookEventError when it is genuine, and this version of the SDK does not know its event or form
   */
  parse(headers: WebhookHeaders, body: string | Uint8Array): Promise<WebhookEvent>;
}

/** `Headers` of any implementation, or the headers of a Node request. */
export type WebhookHeaders = Pick<Headers, 'get'> | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The delivery does not come from the server that knows the secret, or is too old. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/**
 * The delivery is genuine, but a newer server has sent it: its event is unknown, or its payload has another form. Answer
 * it with a 2xx to drop it, or with a 5xx to receive it again after an update of the SDK, for about a day.
 */
export class UnknownWebhookEventError extends Error {
  override readonly name = 'UnknownWebhookEventError';
  /** The `type` of the event; null when it has none. */
  readonly eventType: string | null;

  constructor(message: string, eventType: string | null) {
    super(message);
    this.eventType = eventType;
  }
}

/**
 * Creates the receiver of webhooks with a secret.
 *
 * @throws TypeError when a secret is not one, or there is none, or when `toleranceSeconds` is not a number of at least 0
 */
export function createWebhooks({ secret, toleranceSeconds = 300, now = Date.now }: WebhookOptions): Webhooks {
  const secrets = [secret].flat().map(bytesOfSecret);
  if (secrets.length === 0) throw new TypeError('Set at least one secret');
  if (!(toleranceSeconds >= 0)) throw new TypeError('toleranceSeconds must be a number of at least 0');
  return {
    parse: async (headers, body) => {
      const text = textOf(body);
      const id = headerOf(headers, 'webhook-id');
      const sentAt = headerOf(headers, 'webhook-timestamp');
      const signatures = headerOf(headers, 'webhook-signature');
      if (id === null || sentAt === null || signatures === null) throw invalid('the headers are incomplete');
      if (!/^\d{1,12}$/.test(sentAt)) throw invalid('the time is not a number');
      if (Math.abs(now() / 1000 - Number(sentAt)) > toleranceSeconds) throw invalid('it is too old or in the future');
      const signed = new TextEncoder().encode(`${id}.${sentAt}.${text}`);
      if (!(await isSigned(signed, signatures, secrets))) throw invalid('no signature matches');
      return eventOf(text);
    },
  };
}

/** JavaScript and values of the type any, such as `req.body` in Express, may bring what the type excludes. */
function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) return new TextDecoder().decode(body);
  throw new TypeError(
    'Give webhooks.parse the body as it arrived, as text or bytes, not a parsed value: the signature covers its bytes. In Express, use express.raw({ type: "application/json" }) on this route',
  );
}

/** `crypto.subtle.verify` compares in constant time. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  field: string,
  secrets: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  const signatures = field.split(' ').flatMap((each) => (each.startsWith('v1,') ? bytesOf(each.slice(3)) : null) ?? []);
  for (const secret of secrets) {
    const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const signature of signatures) if (await crypto.subtle.verify('HMAC', key, signature, signed)) return true;
  }
  return false;
}

/** @throws UnknownWebhookEventError */
function eventOf(text: string): WebhookEvent {
  const event = valueOf(text);
  const type: unknown = typeof event === 'object' && event !== null ? Reflect.get(event, 'type') : undefined;
  if (typeof type !== 'string') throw new UnknownWebhookEventError('The event has no type', null);
  if (!isKnown(type)) throw new UnknownWebhookEventError(`This version of the SDK lacks the event ${type}`, type);
  const fault = faultOf(event, webhookSchemas[type]);
  if (fault === null) return event as WebhookEvent; // it has the schema that its type is generated from
  throw new UnknownWebhookEventError(
    `This version of the SDK does not know the form of ${type} at ${fault || '/'}`,
    type,
  );
}

function isKnown(type: string): type is WebhookEvent['type'] {
  return Object.hasOwn(webhookSchemas, type);
}

/** @throws WebhookVerificationError when a text that was signed is not JSON */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid('the body is not JSON');
  }
}

function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (isHeaders(headers)) return headers.get(name);
  const [, value] = Object.entries(headers).find(([each]) => each.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : null;
}

function isHeaders(headers: WebhookHeaders): headers is Pick<Headers, 'get'> {
  return 'get' in headers && typeof headers.get === 'function';
}

function bytesOfSecret(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = secret.startsWith('whsec_') ? bytesOf(secret.slice(6)) : null;
  // The message omits the value, which is a secret.
  if (bytes === null || bytes.length < 24) throw new TypeError('A secret of a webhook has the form whsec_<base64>');
  return bytes;
}

/** null: not base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[0-9A-Za-z+/]*={0,2}$/.test(base64)) return null;
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}

function invalid(reason: string): WebhookVerificationError {
  return new WebhookVerificationError(`The webhook delivery is refused: ${reason}`);
}
