import type { WorkUnit } from '../../src/analytics/work-unit.js';
import { unit } from '../analytics/graphql/served.js';

const HOUR = 3_600_000;

function request(id: string, day: string, given: Partial<WorkUnit> = {}): WorkUnit {
  return unit({ id, workType: 'pull_request', day, ...given });
}

/**
 * The delivery of November 2025, checked by hand: four deployments, of which one failed; one incident; two merged requests
 * of core, of which one was reviewed; and a request of web that stayed open.
 */
export const deliveredWork: readonly WorkUnit[] = [
  ...['03', '10', '17', '24'].map((day) =>
    unit({ id: `deployment-${day}`, workType: 'deployment', day: `2025-11-${day}`, changeFailed: day === '10' }),
  ),
  unit({
    id: 'incident',
    workType: 'incident',
    day: '2025-11-11',
    startedAt: Date.parse('2025-11-11T06:00:00Z'),
    completedAt: Date.parse('2025-11-11T09:00:00Z'),
  }),
  request('reviewed', '2025-11-12', {
    churnLoc: 60,
    phases: { coding: 5 * HOUR, pickup: 2 * HOUR, review: HOUR, merge: HOUR, deploy: 21 * HOUR, lead: 30 * HOUR },
    reviewers: [{ reviewer: 'web/lee', team: 'web', reviews: 2 }],
  }),
  request('not reviewed', '2025-11-13', { churnLoc: 5, phases: { lead: 40 * HOUR }, reviewers: [] }),
  request('open', '2025-11-20', {
    team: 'web',
    repo: 'example/web',
    completedAt: null,
    openness: { openedAt: Date.parse('2025-11-20T00:00:00Z'), closedAt: null },
  }),
];
