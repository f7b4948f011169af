import { expect } from 'vitest';
import { fill, unit } from '../../analytics/graphql/served.js';
import type { JsonReply, TestPlatform, TestUser } from '../../support/platform.js';
import { createServiceToken } from '../../support/service-token.js';
import { exampleDefinition } from '../figures/views/definition.js';
import { exampleOf } from './send-example.js';

/** One organization with something of everything. */
export interface Tenant {
  readonly owner: TestUser;
  /** For the operations that only service tokens can call. */
  readonly serviceToken: string;
  /** By the name of the path parameter. */
  readonly ids: Readonly<Record<string, string>>;
  /** Names, addresses and ids that no other organization may ever see. */
  readonly marks: readonly string[];
}

/** The names of the parameters of a path. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
}

/** The value of a path parameter. */
export function idOf(tenant: Tenant, name: string): string {
  const id = tenant.ids[name];
  if (id === undefined) throw new Error(`A tenant of this test has no ${name}`);
  return id;
}

/** Creates an organization that has something of everything, all with `mark` in its name. */
export async function createTenant(platform: TestPlatform, mark: string): Promise<Tenant> {
  const owner = await platform.signUp({ email: `owner@${mark}.example.com`, organization: `${mark} organization` });
  const member = await platform.signUp({ email: `member@${mark}.example.com`, invitedBy: owner });
  const create = async (path: string, body?: unknown): Promise<JsonReply['body']> => {
    const reply = await platform.json('POST', path, { token: owner.accessToken, body });
    if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const invited = { email: `invited@${mark}.example.com`, role: 'viewer' };
  const invite = await create(`/api/v1/organizations/${owner.orgId}/invites`, invited);
  const credential = {
    provider: 'host_a',
    name: `${mark} host`,
    token: `${mark}-secret`,
    base_url: 'http://127.0.0.1:9',
  };
  const integration = await create('/api/v1/admin/integrations', credential);
  const config = await create('/api/v1/admin/sync-configs', { ...syncConfig(mark), integration_id: integration.id });
  const run = await create(`/api/v1/admin/sync-configs/${config.id}/runs`);
  const team = await create(`/api/v1/organizations/${owner.orgId}/teams`, { id: mark, members: [`${mark}-member`] });
  const unitId = `${mark}-repo:commit:a`;
  await fill(platform.databaseUri, owner.orgId, [unit({ id: unitId })]);
  const corrected = await platform.json('PUT', `/api/v1/organizations/${owner.orgId}/corrections/${unitId}`, {
    ...{ token: owner.accessToken, body: { subcategory: 'quality.bugfix' } },
  });
  expect(corrected.status).toBe(200);
  const view = await create(`/api/v1/organizations/${owner.orgId}/views`, {
    name: `${mark} view`,
    definition: exampleDefinition,
  });
  const webhook = { url: `https://${mark}.example.com/events`, events: ['service_token.created'] };
  const webhooks = `/api/v1/organizations/${owner.orgId}/webhooks`;
  const webhookId = String((await create(webhooks, webhook)).webhook.id);
  const watched = {
    name: `${mark} threshold`,
    definition: Object(exampleOf('createThreshold').body?.value).definition,
  };
  const threshold = await create(`/api/v1/organizations/${owner.orgId}/thresholds`, watched);
  const scopes = ['setup:read', 'scim:write'] as const;
  const machine = await createServiceToken(platform, owner, scopes, { name: `${mark} machine` });
  // One, of the event that the token has caused.
  const deliveries = await platform.json('GET', `${webhooks}/${webhookId}/deliveries`, { token: owner.accessToken });
  const [identity] = await platform.database.sql<{ id: string }[]>`
    insert into user_identities (user_id, provider, issuer, subject, email, linked_at)
    values (${owner.userId}, 'oidc', 'https://issuer.example', ${mark}, ${owner.email}, now()) returning id`;
  const domain = `sso.${mark}.example`;
  await platform.database.sql`
    insert into sso_domains (org_id, domain, challenge, created_at)
    values (${owner.orgId}, ${domain}, ${`plumbline=${mark}`}, now())`;
  const [passkey] = await platform.database.sql<{ id: string }[]>`
    insert into passkeys (id, user_id, name, credential_id, public_key, counter, created_at)
    values (gen_random_uuid(), ${member.userId}, ${mark}, ${mark}, '', 0, now()) returning id`;
  const sessions = await platform.json('GET', '/api/v1/auth/sessions', { token: owner.accessToken });
  const headers = { 'Content-Type': 'application/scim+json' };
  const group = { displayName: `${mark} group`, members: [{ value: member.userId }] };
  const provisioned = await platform.json('POST', '/scim/v2/Groups', { token: machine.token, headers, body: group });
  expect(provisioned.status).toBe(201);
  const ids = {
    scim_group_id: String(provisioned.body.id),
    org_id: owner.orgId,
    sso_org_id: owner.orgId,
    domain,
    user_id: member.userId,
    scim_user_id: member.userId,
    invite_id: String(invite.id),
    integration_id: String(integration.id),
    sync_config_id: String(config.id),
    run_id: String(run.id),
    team_id: String(team.id),
    unit_id: unitId,
    view_id: String(view.id),
    service_token_id: machine.id,
    identity_id: String(identity?.id),
    passkey_id: String(passkey?.id),
    session_id: String(sessions.body.items[0].id),
    webhook_id: webhookId,
    threshold_id: String(threshold.id),
    delivery_id: String(deliveries.body.items[0].id),
  };
  const { token: serviceToken } = machine;
  return { owner, serviceToken, ids, marks: [mark, owner.userId, ...Object.values(ids)] };
}

/** A sync configuration of a code host. */
export function syncConfig(name: string): {
  name: string;
  provider: string;
  targets: string[];
  repositories: string[];
} {
  return { name: `${name} configuration`, provider: 'host_a', targets: ['git'], repositories: [`${name}/*`] };
}
