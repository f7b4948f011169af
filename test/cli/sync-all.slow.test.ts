import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { initRepository, writeHistory } from '../support/git-history.js';
import { hostARepository, problem, startHostA } from '../support/hosts/host-a.js';
import { sqliteUri, temporaryDirectory } from '../sync/harness.js';
import { commits } from '../sync/host-a-fixture.js';
import type { SyncSummary } from '../../src/sync/summary.js';
import { runSyncProcess } from './sync-process.js';

/** The summaries of the targets, as `--json` prints them. */
function printed(stdout: string): SyncSummary[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as SyncSummary); // what the command prints
}

describe('plumbline sync all', { timeout: 120_000 }, () => {
  it('reads every target of a clone, with a summary for each', async () => {
    const path = join(temporaryDirectory(), 'project');
    initRepository(path);
    await writeHistory(path, 12);
    const args = ['all', '--provider', 'local', '--repo-path', path, '--db', sqliteUri(), '--prune', '--json'];
    const { exitCode, stdout, stderr } = await runSyncProcess(args);
    expect(exitCode, stderr).toBe(0);
    expect(
      printed(stdout).map(({ target, repositories }) => [target, repositories.map(({ status }) => status)]),
    ).toEqual(['git', 'prs', 'blame'].map((target) => [target, ['ok']]));
    for (const target of ['git', 'prs', 'blame'])
      expect(stderr).toContain(`sync ${target} from local: 1 repository done`);
  });

  it('reads every target of a host in one process, and ends with the exit code of the worst one', async () => {
    const host = await startHostA(hostARepository('acme/api', { commits: commits(3) }));
    host.fault = ({ path, body }) => {
      if (path.includes('/actions/runs')) return problem(403, 'Actions are disabled');
      return body.includes('deployments(') ? { status: 200, body: '<html>' } : undefined;
    };
    const args = ['all', '--provider', 'github', '--owner', 'acme', '--repo', 'api', '--host-a-url', host.url];
    const environment = { HOST_A_TOKEN: host.token };
    const { exitCode, stdout, stderr } = await runSyncProcess([...args, '--db', sqliteUri(), '--json'], {
      environment,
    });
    expect(printed(stdout).map(({ target, repositories }) => `${target} ${repositories[0]?.status}`)).toEqual([
      ...['git ok', 'prs ok', 'blame ok', 'cicd ok', 'deployments failed', 'incidents ok', 'issues ok'],
    ]);
    expect(exitCode, stderr).toBe(1);
    expect(stdout + stderr).not.toContain(host.token);
  });

  it('ends with the first target that cannot start', async () => {
    const file = join(temporaryDirectory(), 'not-a-database');
    writeFileSync(file, 'text '.repeat(1000));
    const args = ['all', '--provider', 'synthetic', '--db', `sqlite:${file}`, '--json'];
    const { exitCode, stdout } = await runSyncProcess(args);
    expect(exitCode).toBe(1);
    expect(printed(stdout).map(({ target }) => target)).toEqual(['git']);
  });

  it('lists each problem once', async () => {
    const { exitCode, stderr } = await runSyncProcess(['all', '--provider', 'nothing', '--batch-size', '0']);
    expect(exitCode).toBe(2);
    expect(stderr.split('--provider is "nothing"')).toHaveLength(2);
    expect(stderr).toContain('no database');
  });
});
