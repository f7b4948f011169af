import type { Role } from './accounts.store.js';

/** Roles from the most to the least powerful. Each includes the permissions of those after it. */
const rolesByPower: readonly Role[] = ['owner', 'admin', 'member', 'viewer'];

/** Whether `role` includes the permissions of `needed`. */
export function reaches(role: Role, needed: Role): boolean {
  return rolesByPower.indexOf(role) <= rolesByPower.indexOf(needed);
}

const granted: Readonly<Record<Role, readonly string[]>> = {
  viewer: ['analytics:read', 'organization:read', 'members:read', 'teams:read', 'classification:read'],
  member: ['analytics:export', 'views:write'],
  admin: [
    'organization:write',
    'members:invite',
    'members:manage',
    'integrations:read',
    'integrations:write',
    'sync:read',
    'sync:run',
    'sync:write',
    'records:write',
    'demo:write',
    'teams:write',
    'classification:write',
    'audit:read',
    'setup:read',
    'service_tokens:manage',
    'webhooks:manage',
  ],
  owner: ['owners:manage'],
};

/** The permissions of a role, including those of lower roles, sorted. */
const cumulative = new Map(
  rolesByPower.map((role) => [
    role,
    rolesByPower
      .filter((each) => reaches(role, each))
      .flatMap((each) => granted[each])
      .sort(),
  ]),
);

/** What superusers may do, with or without an organization. */
const grantedToSuperusers: readonly string[] = ['users:manage'];

/** The permissions of an account (`resource:action`), for clients that decide what to show. */
export function permissionsOf({
  role,
  is_superuser: isSuperuser,
}: {
  readonly role: Role | null;
  readonly is_superuser: boolean;
}): string[] {
  const ofRole = role === null ? [] : (cumulative.get(role) ?? []);
  return isSuperuser ? [...ofRole, ...grantedToSuperusers].sort() : [...ofRole];
}
