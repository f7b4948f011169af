import { describe, expect, it } from 'vitest';
import { exitCodeOf } from '../../src/sync/summary.js';
import { hostARepository, problem, startHostA } from '../support/hosts/host-a.js';
import { hostBProject, refusal, startHostB } from '../support/hosts/host-b.js';
import { commits } from './host-a-fixture.js';
import { noted, sqliteUri, sync } from './harness.js';

const note = (status: number): string =>
  `not read: the host answers with status ${status}, so it is disabled for this repository, or hidden from the token`;

async function fromHostA(target: string, fault: ReturnType<typeof problem>) {
  const host = await startHostA(hostARepository('acme/api', { commits: commits(3) }));
  host.fault = ({ path }) => (/\/(actions\/runs|issues|commits)/.test(path) ? fault : undefined);
  const wanted = { target, provider: 'host_a', owner: 'acme', repo: 'api' };
  return sync({ ...wanted, db: sqliteUri(), hostAUrl: host.url, auth: host.token }, noted().dependencies);
}

async function fromHostB(target: string, fault: ReturnType<typeof refusal>) {
  const host = await startHostB(hostBProject(7, 'group/api'));
  host.fault = ({ path }) => (/\/(pipelines|deployments|issues|merge_requests)/.test(path) ? fault : undefined);
  const wanted = { target, provider: 'host_b', projectId: '7' };
  return sync({ ...wanted, db: sqliteUri(), hostBUrl: host.url, auth: host.token }, noted().dependencies);
}

describe('a part of a repository that the host refuses', () => {
  const byHost = [
    ...[403, 404, 410, 451].flatMap((status) =>
      ['cicd', 'incidents'].map((target) => ['host_a', status, target, fromHostA, problem] as const),
    ),
    ...[403, 404, 451].flatMap((status) =>
      ['prs', 'cicd', 'deployments', 'incidents', 'issues'].map(
        (target) => ['host_b', status, target, fromHostB, refusal] as const,
      ),
    ),
  ];
  it.each(byHost)('by %s with %i is a note of %s, and no failure', async (_host, status, target, from, refuse) => {
    const summary = await from(target, refuse(status, 'This feature is disabled'));
    expect(summary.repositories).toMatchObject([{ status: 'ok', error: null, notes: [note(status)] }]);
    expect(exitCodeOf(summary)).toBe(0);
  });

  it.each([
    'Resource not accessible by personal access token',
    'Resource protected by organization SAML enforcement.',
    'Must have admin rights to Repository.',
  ])('because of the token (%s) is a failure', async (message) => {
    const { repositories } = await fromHostA('cicd', problem(403, message));
    expect(repositories[0]?.error).toMatchObject({ code: 'unauthorized', message: expect.stringContaining(message) });
  });

  it('is a failure if it is the history', async () => {
    const { repositories } = await fromHostA('git', problem(403, 'Repository access blocked'));
    expect(repositories[0]).toMatchObject({ status: 'failed', error: { code: 'unauthorized' } });
  });
});
