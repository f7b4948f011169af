import type { SsoConnection } from './sso-connections.store.js';

/** The groups that a provider names: the claim is a list, or one group. @returns null: groups decide nothing */
export function groupsOf(
  { groups_claim: name }: Pick<SsoConnection, 'groups_claim'>,
  claims: Readonly<Record<string, unknown>>,
): ReadonlySet<unknown> | null {
  if (name === null) return null;
  const claim = claims[name];
  return new Set<unknown>(Array.isArray(claim) ? claim : [claim]);
}
