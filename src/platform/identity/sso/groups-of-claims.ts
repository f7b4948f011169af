import type { SsoConnection } from './sso-connections.store.js';

/**
 * The groups that a provider names: the claim is a list, or one group. A missing claim does not say that there are no
 * groups: Entra leaves it out above 200 groups, and other providers when somebody turns a setting off.
 *
 * @returns null: groups decide nothing, or are unknown
 */
export function groupsOf(
  { groups_claim: name }: Pick<SsoConnection, 'groups_claim'>,
  claims: Readonly<Record<string, unknown>>,
): ReadonlySet<unknown> | null {
  if (name === null) return null;
  const claim = claims[name] ?? null; // null is a claim that the provider should have left out (Core, section 5.3.2)
  if (claim === null) return null;
  return new Set<unknown>(Array.isArray(claim) ? claim : [claim]);
}
