import type { TestPlatform, TestUser } from '../support/platform.js';
import { createServiceToken } from '../support/service-token.js';
import { noFilters } from '../platform/figures/views/definition.js';

/** Nothing listens there, so each delivery fails. */
export const deadUrl = 'http://127.0.0.1:9/plumbline';

const filters = { ...noFilters, teams: ['web'], themes: ['quality'] };

/** Webhooks that are active, in an overlap and inactive, deliveries that wait and that have failed, and thresholds. */
export async function prepareWebhooks(platform: TestPlatform, owner: TestUser): Promise<void> {
  const { sql } = platform.database;
  const path = `/api/v1/organizations/${owner.orgId}`;
  const send = async (method: string, below: string, body: object): Promise<string> => {
    const reply = await platform.json(method, `${path}${below}`, { token: owner.accessToken, body });
    if (reply.status >= 300) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
    return String((reply.body.webhook ?? reply.body).id);
  };
  const inactive = await send('POST', '/webhooks', {
    url: `${deadUrl}/before`,
    events: ['invite.accepted', 'member.joined', 'member.removed'],
  });
  await send('PATCH', `/webhooks/${inactive}`, { is_active: false });
  const active = await send('POST', '/webhooks', {
    url: deadUrl,
    events: ['analytics.threshold_crossed', 'service_token.created'],
    description: 'Tells the chat about new tokens.',
  });
  await send('POST', `/webhooks/${active}/rotate-secret`, { overlap_seconds: 86_400 });
  await createServiceToken(platform, owner, ['setup:read'], { name: 'Status screen' });
  await platform.running.webhooks.drain();
  await sql`update webhook_deliveries set failed_at = created_at, attempts = 16 where webhook_id = ${active}`;
  await createServiceToken(platform, owner, ['sync:run'], { name: 'Release script' });
  await platform.running.webhooks.drain();

  const slow = { measure: 'cycle_time_hours', direction: 'above', value: 72, window_days: 30, filters };
  const crossed = await send('POST', '/thresholds', { name: 'Slow reviews', definition: slow });
  await sql`update analytics_thresholds set is_crossed = true, last_value = 80.5, evaluated_at = created_at where id = ${crossed}`;
  await send('POST', '/thresholds', { name: 'Busy week', definition: { ...slow, measure: 'count', window_days: 7 } });
}
