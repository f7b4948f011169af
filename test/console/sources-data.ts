import { expect } from 'vitest';
import type { TestPlatform, TestUser } from '../support/platform.js';

/** Code hosts and syncs in the states that the Sources page distinguishes. No worker processes the runs. */
export async function prepareSources(platform: TestPlatform, owner: TestUser): Promise<void> {
  const post = async (path: string, body?: unknown): Promise<string> => {
    const reply = await platform.json('POST', `/api/v1/admin/${path}`, { token: owner.accessToken, body });
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    return String(reply.body.id);
  };
  const { sql } = platform.database;
  const token = 'a-token';
  const github = await post('integrations', { provider: 'host_a', name: 'GitHub', token });
  const selfHosted = { provider: 'host_b', name: 'Our GitLab', token, base_url: 'http://127.0.0.1:9/api/v4' };
  await post(`integrations/${await post('integrations', selfHosted)}/test`);

  const configure = (name: string, config: object): Promise<string> =>
    post('sync-configs', { name, targets: ['git', 'prs'], ...config });
  const hosted = { provider: 'host_a', integration_id: github };
  const failing = await configure('All services', {
    ...hosted,
    repositories: ['example/api', 'example/web-*', 'example/mobile', 'example/infrastructure', 'example/docs'],
  });
  const running = await configure('Web', { ...hosted, repositories: ['example/web-*'] });
  const server = await configure('Server', { provider: 'synthetic', repositories: ['api'] });
  // The operator names this organization no more.
  await sql`update sync_configs set provider = 'local' where id = ${server}`;

  const before = await post(`sync-configs/${failing}/runs`);
  const notes = [
    'example/docs: its CODEOWNERS cannot be read, so teams stay as they are. Resource not accessible by personal access token',
    'example/api (git): only the latest 100 commits are read; changed files are read of the latest 50 commits only',
  ];
  const completed = { repositories_total: 5, repositories_done: 5, repositories_failed: 0, records: 40_112 };
  await sql`
    update sync_runs set status = 'complete', created_at = created_at - interval '1 day',
      started_at = created_at - interval '1 day', finished_at = created_at - interval '1 day' + interval '270 s',
      progress = ${sql.json(completed)}, notes = ${sql.typed.texts(notes)}
    where id = ${before}`;
  const refused =
    'example/api: The code host rejected the token. Connect it again with a token that may read the repositories.';
  const nothing = { repositories_total: 5, repositories_done: 0, repositories_failed: 5, records: 0 };
  await sql`
    update sync_runs set status = 'failed', started_at = created_at, finished_at = created_at + interval '3 s',
      progress = ${sql.json(nothing)}, error = ${refused}
    where id = ${await post(`sync-configs/${failing}/runs`)}`;
  const half = { repositories_total: 12, repositories_done: 5, repositories_failed: 1, records: 18_230 };
  await sql`
    update sync_runs set status = 'running', started_at = created_at, heartbeat_at = now() + interval '1 hour',
      progress = ${sql.json(half)}
    where id = ${await post(`sync-configs/${running}/runs`)}`;
}
