import type { WebhookEvent } from '../../../../generated/platform/webhooks.js';
import type { JsonReply, TestPlatform, TestUser } from '../../../support/platform.js';
import type { WebhookReceiver } from '../../../support/webhook-receiver.js';

export type EventType = WebhookEvent['type'];

/** The path of the webhooks of an organization, or of something below it. */
export function webhooksPath({ orgId }: TestUser, below = ''): string {
  return `/api/v1/organizations/${orgId}/webhooks${below}`;
}

/** Creates a webhook that sends to a receiver. */
export async function subscribe(
  platform: TestPlatform,
  admin: TestUser,
  receiver: WebhookReceiver,
  events: readonly EventType[],
): Promise<JsonReply> {
  const { accessToken: token } = admin;
  const reply = await platform.json('POST', webhooksPath(admin), { token, body: { url: receiver.url, events } });
  if (reply.status !== 201) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
  receiver.secret = String(reply.body.secret);
  return reply;
}

/** Logs in again, because the access token has expired. */
export async function loggedInAgain(platform: TestPlatform, user: TestUser): Promise<TestUser> {
  const { email, password } = user;
  const reply = await platform.json('POST', '/api/v1/auth/login', { body: { email, password } });
  if (reply.status !== 200) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
  return { ...user, accessToken: String(reply.body.access_token), refreshToken: String(reply.body.refresh_token) };
}
