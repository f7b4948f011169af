import { PEOPLE } from '../../sync/providers/synthetic/vocabulary.js';
import type { Team } from '../../sync/work-units/teams/teams-file.js';

/** The repositories of the demo, all of them made up. */
export const demoRepositories = ['acme/api', 'acme/mobile-app', 'acme/payments', 'acme/web-shop'] as const;

/** No team has the payments: work there that is nobody's commit shows as unassigned, as in real life. */
const ownership: readonly { readonly id: string; readonly repositories: readonly string[] }[] = [
  { id: 'web', repositories: ['acme/web-shop', 'acme/mobile-app'] },
  { id: 'api', repositories: ['acme/api'] },
  { id: 'platform', repositories: [] },
  { id: 'operations', repositories: [] },
];

/** The teams of an organization that has none of its own: each of the people who are made up belongs to one. */
export const demoTeams: readonly Team[] = ownership.map(({ id, repositories }, index) => {
  const members = PEOPLE.slice(4 * index, 4 * index + 4).map(({ email }) => email);
  return { id, name: id, members, repositories };
});
