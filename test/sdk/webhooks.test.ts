import { readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import {
  createWebhooks,
  UnknownWebhookEventError,
  webhookEventTypes,
  WebhookVerificationError,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookOptions,
} from '../../sdk/src/webhooks.js';

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const at = new Date('2026-03-02T09:15:00Z');
const id = '9f4a5b6c-7d8e-4f90-9ba2-3c4d5e6f7013';
const event = {
  type: 'member.joined',
  id,
  org_id: 'b6d3a7c8-1e2f-4b5a-8c9d-3e4f5a6b7c03',
  occurred_at: '2026-03-02T09:15:00.000Z',
  data: { user_id: '3b0f6c1e-52a4-4c0e-8d6f-6a1f9c2f7b01', role: 'member' },
} as const;
const body = JSON.stringify(event);

/** The headers of a delivery, signed by the library of the specification. */
function headersOf(text: string, key = secret, sentAt = at): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(sentAt.getTime() / 1000),
    'webhook-signature': new Webhook(key).sign(id, sentAt, text),
  };
}

function parse(
  headers: WebhookHeaders,
  text: string | Uint8Array = body,
  options: Partial<WebhookOptions> = {},
): Promise<WebhookEvent> {
  return createWebhooks({ secret, now: () => at.getTime(), ...options }).parse(headers, text);
}

describe('a delivery with a valid signature', () => {
  it('is the event, whatever the form of its headers and body', async () => {
    const headers = headersOf(body);
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    const foreign = { get: (name: string) => new Headers(headers).get(name) }; // of another implementation
    for (const given of [headers, upper, new Headers(headers), foreign]) expect(await parse(given)).toEqual(event);
    expect(await parse(headers, Buffer.from(body))).toEqual(event);
  });

  it.each<[string, unknown]>([
    ['a parsed one', event],
    ['a parsed list', [event]],
    ['none', undefined],
    ['null', null],
  ])('needs the body as it arrived, and says so of %s', async (_what, wrong) => {
    const webhooks = createWebhooks({ secret, now: () => at.getTime() });
    const call: unknown = Reflect.apply(webhooks.parse, webhooks, [headersOf(body), wrong]);
    await expect(call).rejects.toThrow(TypeError);
    await expect(call).rejects.toThrow(
      'Give webhooks.parse the body as it arrived, as text or bytes, not a parsed value',
    );
  });

  it('narrows on its type', async () => {
    const parsed = await parse(headersOf(body));
    if (parsed.type !== 'member.joined') throw new Error('another event');
    expect(parsed.data.role satisfies 'owner' | 'admin' | 'member' | 'viewer').toBe('member');
  });

  it('may be signed with one of several secrets, or several times', async () => {
    expect(await parse(headersOf(body, other), body, { secret: [secret, other] })).toEqual(event);
    const both = `v1a,AAAA ${new Webhook(other).sign(id, at, body)} ${new Webhook(secret).sign(id, at, body)}`;
    expect(await parse({ ...headersOf(body), 'webhook-signature': both })).toEqual(event);
  });
});

describe('a delivery is refused', () => {
  const signed = headersOf(body);
  it.each<[string, () => Promise<unknown>, string]>([
    ['with another body', () => parse(signed, body.replace('member"', 'owner"')), 'no signature matches'],
    ['with another id', () => parse({ ...signed, 'webhook-id': 'x' }), 'no signature matches'],
    ['with another time', () => parse({ ...signed, 'webhook-timestamp': '1772442901' }), 'no signature matches'],
    ['signed with another secret', () => parse(headersOf(body, other)), 'no signature matches'],
    ['with a signature of another version', () => parse({ ...signed, 'webhook-signature': 'v2,AA==' }), 'no signature'],
    ['with a signature that is not base64', () => parse({ ...signed, 'webhook-signature': 'v1,%%' }), 'no signature'],
    ['with an empty signature', () => parse({ ...signed, 'webhook-signature': 'v1,' }), 'no signature matches'],
    ['without a signature', () => parse({ 'webhook-id': id, 'webhook-timestamp': '1' }), 'the headers are incomplete'],
    ['without a time', () => parse({ ...signed, 'webhook-timestamp': 'soon' }), 'the time is not a number'],
    ['that is older than 5 minutes', () => parse(headersOf(body, secret, new Date(at.getTime() - 301_000))), 'too old'],
    ['from the future', () => parse(headersOf(body, secret, new Date(at.getTime() + 301_000))), 'in the future'],
    ['that is signed but no JSON', () => parse(headersOf('{'), '{'), 'the body is not JSON'],
  ])('%s', async (_what, call, reason) => {
    const error: unknown = await call().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WebhookVerificationError);
    expect(String(error)).toContain(reason);
    expect(String(error)).not.toContain(secret);
  });

  it('later than a window that the caller sets', async () => {
    const old = headersOf(body, secret, new Date(at.getTime() - 301_000));
    expect(await parse(old, body, { toleranceSeconds: 400 })).toEqual(event);
  });
});

describe('a signed delivery that this version of the SDK does not know', () => {
  const signed = (payload: unknown): Promise<WebhookEvent> => {
    const text = JSON.stringify(payload);
    return parse(headersOf(text), text);
  };
  it.each<[string, unknown, string | null, string]>([
    ['another event', { ...event, type: 'repository.archived' }, 'repository.archived', 'lacks the event'],
    ['the name of an inherited property', { ...event, type: 'constructor' }, 'constructor', 'lacks the event'],
    ['no type', [event], null, 'has no type'],
    ['no data', { ...event, data: undefined }, 'member.joined', 'at /data'],
    ['another value', { ...event, data: { ...event.data, role: 'guest' } }, 'member.joined', 'at /data/role'],
    ['another type', { ...event, data: { ...event.data, user_id: 7 } }, 'member.joined', 'at /data/user_id'],
    ['an id of another form', { ...event, id: 'evt_1' }, 'member.joined', 'at /id'],
    ['a time of another form', { ...event, occurred_at: '2026-03-02' }, 'member.joined', 'at /occurred_at'],
    ['a list as data', { ...event, data: [] }, 'member.joined', 'at /data'],
  ])('has %s', async (_what, payload, type, reason) => {
    const error: unknown = await signed(payload).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnknownWebhookEventError);
    expect(error).not.toBeInstanceOf(WebhookVerificationError);
    expect(error).toMatchObject({ eventType: type, message: expect.stringContaining(reason) });
  });

  it('may have properties that are new', async () => {
    const newer = { ...event, data: { ...event.data, invited_by: null }, version: 2 };
    expect(await signed(newer)).toEqual(newer);
  });
});

it('Every example of the contract is accepted', async () => {
  const { webhooks } = JSON.parse(readFileSync('generated/platform/openapi.json', 'utf8')) as {
    webhooks: Record<string, { post: { requestBody: { content: { 'application/json': { example: unknown } } } } }>;
  };
  const examples = Object.values(webhooks).map(({ post }) => post.requestBody.content['application/json'].example);
  expect(examples.length).toBe(webhookEventTypes.length);
  for (const example of examples) {
    const text = JSON.stringify(example);
    expect(await parse(headersOf(text), text)).toEqual(example);
  }
});

it.each(['', 'secret', 'whsec_', 'whsec_%%%', `whsec_${Buffer.alloc(16).toString('base64')}`])(
  'The secret %j is refused, and not repeated',
  (wrong) => {
    expect(() => createWebhooks({ secret: wrong })).toThrow(
      new TypeError('A secret of a webhook has the form whsec_<base64>'),
    );
  },
);

it.each([Number.NaN, -1])('A replay window of %d seconds is refused', (toleranceSeconds) => {
  expect(() => createWebhooks({ secret, toleranceSeconds })).toThrow('toleranceSeconds must be a number');
});

it('At least one secret is needed', () => {
  expect(() => createWebhooks({ secret: [] })).toThrow('Set at least one secret');
});

it('The types of the events are values', () => {
  expect(webhookEventTypes).toContain('sync_run.finished');
});
