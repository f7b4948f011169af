import type { Schemas } from '@plumbline/sdk/platform';

export type Role = Schemas['Role'];

/** The roles from the most to the least powerful; each includes those after it. */
const byPower: readonly Role[] = ['owner', 'admin', 'member', 'viewer'];

/** What each role may do. */
export const roleMeanings: Readonly<Record<Role, string>> = {
  owner: 'everything, and makes other owners',
  admin: 'manages sources and people',
  member: 'reads and exports charts',
  viewer: 'reads charts',
};

/** Whether `role` includes what needs `needed`. */
export function reaches(role: Role, needed: Role): boolean {
  return byPower.indexOf(role) <= byPower.indexOf(needed);
}

/** The roles that somebody with `role` can grant: all up to that role. */
export function grantable(role: Role): Readonly<Partial<Record<Role, string>>> {
  return Object.fromEntries(byPower.filter((each) => reaches(role, each)).map((each) => [each, each]));
}
