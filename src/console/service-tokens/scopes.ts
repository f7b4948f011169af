import type { Schemas } from '@plumbline/sdk/platform';

type Scope = Schemas['ServiceTokenScope'];

/** What each scope allows a program to do. */
export const scopeMeanings: Readonly<Record<Scope, string>> = {
  'analytics:read': 'analytics:read – query figures and work units',
  'audit:read': 'audit:read – read the audit log',
  'classification:read': 'classification:read – read rules, corrections and authors',
  'classification:write': 'classification:write – change rules and authors, correct work units',
  'integrations:read': 'integrations:read – list code hosts and their repositories',
  'integrations:write': 'integrations:write – connect, test and disconnect code hosts',
  'members:read': 'members:read – list members',
  'records:write': 'records:write – push deployments, incidents, builds and issues',
  'scim:write': 'scim:write – manage members as an identity provider (owners only)',
  'setup:read': 'setup:read – read the state of the set-up',
  'sync:read': 'sync:read – read syncs and their runs',
  'sync:run': 'sync:run – start and cancel runs',
  'sync:write': 'sync:write – create, change and delete syncs',
  'teams:read': 'teams:read – read teams',
  'teams:write': 'teams:write – change teams',
  'views:read': 'views:read – read saved views',
  'views:write': 'views:write – change all saved views',
  'webhooks:read': 'webhooks:read – read webhooks and their deliveries',
  'webhooks:write': 'webhooks:write – create, change and delete webhooks',
};
