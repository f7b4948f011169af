import { randomUUID } from 'node:crypto';
import type { JsonReply, TestPlatform, TestUser } from '../../../support/platform.js';
import { exampleOf } from '../../service/send-example.js';

/** A valid request that creates something. */
export interface Creation {
  readonly path: string;
  readonly token: string;
  readonly body?: unknown;
  /** The same operation by the same caller, with another body or path; null: there is none. */
  readonly other: Pick<Creation, 'path' | 'body'> | null;
}

/** Makes a request that has not been sent yet, for each operation that takes an idempotency key. */
export const creations: Readonly<Record<string, (platform: TestPlatform, admin: TestUser) => Promise<Creation>>> = {
  onboard: async (platform) => {
    const path = '/api/v1/auth/onboard';
    const body = { action: 'create_org', org_name: 'Acme' };
    const { accessToken } = await platform.signUp({ organization: null });
    return { path, token: accessToken, body, other: { path, body: { ...body, org_name: 'Acme Works' } } };
  },
  acceptInvite: async (platform, admin) => {
    const path = '/api/v1/auth/accept-invite';
    const { email, accessToken } = await platform.signUp({ organization: null });
    const invite = { email, role: 'viewer' };
    await platform.json('POST', inOrganization(admin, 'invites'), { token: admin.accessToken, body: invite });
    const { token } = await platform.lastMail(email);
    return { path, token: accessToken, body: { token }, other: { path, body: { token: 'n'.repeat(43) } } };
  },
  acceptMyInvite: async (platform, admin) => {
    const { email, accessToken } = await platform.signUp({ organization: null });
    const invite = { token: admin.accessToken, body: { email, role: 'viewer' } };
    const { body } = await platform.json('POST', inOrganization(admin, 'invites'), invite);
    const path = (id: string): string => `/api/v1/auth/me/invites/${id}/accept`;
    return { path: path(String(body.id)), token: accessToken, other: { path: path(randomUUID()) } };
  },
  createInvite: (_platform, admin) =>
    creation(
      inOrganization(admin, 'invites'),
      admin,
      { email: `${randomUUID()}@example.com`, role: 'member' },
      {
        role: 'viewer',
      },
    ),
  createOrganization: async (platform) => {
    const creator = await platform.signUp(); // an account creates few organizations
    return creation('/api/v1/organizations', creator, { name: randomUUID() }, { name: randomUUID() });
  },
  createTeam: (_platform, admin) => {
    const body = { id: `team-${randomUUID()}`, name: 'Payments', members: [], repositories: ['acme/pay-*'] };
    return creation(inOrganization(admin, 'teams'), admin, body, { name: 'Billing' });
  },
  createView: (_platform, admin) => {
    const body = { ...Object(exampleOf('createView').body?.value), name: randomUUID() };
    return creation(inOrganization(admin, 'views'), admin, body, { name: randomUUID() });
  },
  createServiceToken: (_platform, admin) => {
    const body = { name: randomUUID(), scopes: ['views:read'], expires_in_days: 9 };
    return creation(inOrganization(admin, 'service-tokens'), admin, body, { expires_in_days: 8 });
  },
  rotateServiceToken: async (platform, admin) => {
    const path = inOrganization(admin, 'service-tokens');
    const body = { name: randomUUID(), scopes: ['views:read'], expires_in_days: 9 };
    const created = await platform.json('POST', path, { token: admin.accessToken, body });
    const rotate = `${path}/${String(created.body.service_token.id)}/rotate`;
    return creation(rotate, admin, { overlap_seconds: 60 }, { overlap_seconds: 0 });
  },
  createThreshold: async (platform) => {
    const admin = await platform.signUp(); // an organization has few thresholds
    const body = Object(exampleOf('createThreshold').body?.value);
    return creation(inOrganization(admin, 'thresholds'), admin, body, { name: 'Another' });
  },
  createWebhook: async (platform) => {
    const admin = await platform.signUp(); // as above
    const body = { url: 'https://hooks.example.com/', events: ['member.joined'] };
    return creation(inOrganization(admin, 'webhooks'), admin, body, { events: ['member.removed'] });
  },
  rotateWebhookSecret: async (platform) => {
    const admin = await platform.signUp(); // as above
    const path = inOrganization(admin, 'webhooks');
    const body = { url: 'https://hooks.example.com/', events: ['member.joined'] };
    const created = await platform.json('POST', path, { token: admin.accessToken, body });
    const rotate = `${path}/${String(created.body.webhook.id)}/rotate-secret`;
    return creation(rotate, admin, { overlap_seconds: 60 }, { overlap_seconds: 0 });
  },
  connectIntegration: (_platform, admin) => {
    const body = { provider: 'host_a', name: randomUUID(), token: 'example-access-token' };
    return creation('/api/v1/admin/integrations', admin, body, { token: 'another-access-token' });
  },
  createSyncConfig: (_platform, admin) =>
    creation('/api/v1/admin/sync-configs', admin, syncConfig(), { repositories: ['acme/*'] }),
  startSyncRun: async (platform, admin) => {
    const { accessToken: token } = admin;
    const configs: JsonReply[] = [];
    for (const body of [syncConfig(), syncConfig()]) {
      configs.push(await platform.json('POST', '/api/v1/admin/sync-configs', { token, body }));
    }
    const [path = '', other = ''] = configs.map(({ body }) => `/api/v1/admin/sync-configs/${String(body.id)}/runs`);
    return { path, token, other: { path: other } };
  },
  pushRecords: (_platform, admin) => {
    const issue = {
      repository: 'https://github.com/acme/shop',
      number: 1,
      title: 'One',
      created_at: '2026-03-01T10:00:00Z',
    };
    return creation(
      inOrganization(admin, 'records'),
      admin,
      { issues: [issue] },
      { issues: [{ ...issue, number: 2 }] },
    );
  },
  createDemoData: async (platform) => {
    const { accessToken: token } = await platform.signUp();
    return { path: '/api/v1/admin/demo-data', token, other: null };
  },
};

function creation(path: string, { accessToken }: TestUser, body: object, change: object): Promise<Creation> {
  return Promise.resolve({ path, token: accessToken, body, other: { path, body: { ...body, ...change } } });
}

function inOrganization({ orgId }: TestUser, what: string): string {
  return `/api/v1/organizations/${orgId}/${what}`;
}

function syncConfig(): object {
  return { name: randomUUID(), provider: 'synthetic', targets: ['git'], repositories: ['*'] };
}

/** Sends a creation with a key. */
export function sendKeyed(
  platform: TestPlatform,
  { path, token, body }: Pick<Creation, 'path' | 'token' | 'body'>,
  key: string,
): Promise<JsonReply> {
  return platform.json('POST', path, {
    token,
    headers: { 'Idempotency-Key': key },
    ...(body !== undefined && { body }),
  });
}
