import { PEOPLE } from '../../../sync/providers/synthetic/vocabulary.js';
import type { Team } from '../../../sync/work-units/teams/teams-file.js';

/** The fictional repositories of the demo. */
export const demoRepositories = ['acme/api', 'acme/mobile-app', 'acme/payments', 'acme/web-shop'] as const;

/** No team owns the payments repository, so that some work is shown as unassigned, as in real data. */
const ownership: readonly { readonly id: string; readonly repositories: readonly string[] }[] = [
  { id: 'web', repositories: ['acme/web-shop', 'acme/mobile-app'] },
  { id: 'api', repositories: ['acme/api'] },
  { id: 'platform', repositories: [] },
  { id: 'operations', repositories: [] },
];

/** The teams for an organization without teams. Each fictional person belongs to one. */
export const demoTeams: readonly Team[] = ownership.map(({ id, repositories }, index) => {
  const members = PEOPLE.slice(4 * index, 4 * index + 4).map(({ email }) => email);
  return { id, name: id, members, repositories };
});
