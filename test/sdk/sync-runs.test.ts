import { expect, it } from 'vitest';
import { PlumblineError } from '../../sdk/src/index.js';
import { createPlatformClient, followSyncRun, waitForSyncRun, type Schemas } from '../../sdk/src/platform.js';
import { problem, recordedTiming, reply, startScript } from './scripted-server.js';

const params = {
  sync_config_id: '6c1f0f0e-8f0e-4a56-9f8b-0d8f2f9f3a10',
  run_id: 'e3c4d5f6-a7b8-4c9d-8e0f-2a3b4c5d6e07',
};

function run(status: Schemas['SyncRunStatus'], records: number): Schemas['SyncRun'] {
  return {
    id: params.run_id,
    sync_config_id: params.sync_config_id,
    status,
    progress: { repositories_total: 1, repositories_done: 0, repositories_failed: 0, records },
    error: null,
    notes: [],
    requested_by: null,
    created_at: '2026-03-02T09:00:00.000Z',
    started_at: null,
    finished_at: null,
  };
}

const looks = (...runs: Schemas['SyncRun'][]) => startScript(...runs.map((each) => reply(200, each)));

it('yields each change of a run once, until it has ended', async () => {
  const states = [run('pending', 0), run('pending', 0), run('running', 5), run('running', 9), run('complete', 9)];
  const { url, requests } = await looks(...states);
  const timing = recordedTiming();
  const seen: string[] = [];
  for await (const { status, progress } of followSyncRun(createPlatformClient({ baseUrl: url }), params, { timing })) {
    seen.push(`${status} ${progress.records}`);
  }
  expect(seen).toEqual(['pending 0', 'running 5', 'running 9', 'complete 9']);
  expect(requests.map((each) => each.url)).toEqual(
    Array(5).fill(`/api/v1/admin/sync-configs/${params.sync_config_id}/runs/${params.run_id}`),
  );
});

it('polls less often while nothing changes, and more often after a change', async () => {
  const quiet = Array.from({ length: 5 }, () => run('running', 1));
  const { url } = await looks(...quiet, run('running', 2), run('failed', 2));
  const timing = recordedTiming();
  const options = { timing, intervalMs: 100, maxIntervalMs: 300 };
  expect((await waitForSyncRun(createPlatformClient({ baseUrl: url }), params, options)).status).toBe('failed');
  expect(timing.slept).toEqual([100, 150, 225, 300, 300, 100]);
});

it('ends when the caller leaves, and when aborted', async () => {
  const { url, requests } = await looks(run('running', 1));
  const client = createPlatformClient({ baseUrl: url });
  for await (const each of followSyncRun(client, params)) {
    expect(each.status).toBe('running');
    break;
  }
  expect(requests).toHaveLength(1);
  const reason = new Error('enough');
  const stop = new AbortController();
  const waiting = waitForSyncRun(client, params, { signal: stop.signal, intervalMs: 60_000 });
  await expect.poll(() => requests.length).toBe(2);
  stop.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});

it('throws the problem when a poll is refused', async () => {
  const { url } = await startScript(problem(404, 'sync-run-not-found'));
  const refused = waitForSyncRun(createPlatformClient({ baseUrl: url }), params);
  await expect(refused).rejects.toBeInstanceOf(PlumblineError);
});
