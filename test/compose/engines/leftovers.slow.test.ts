/** A run of these tests that was killed leaves nothing that the next one does not remove. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { engineNames, TEST_LABEL, testEngine } from '../../support/engines.js';

const script = fileURLToPath(new URL('killed-run.ts', import.meta.url));

describe('the resources of a killed test run', () => {
  it.for(engineNames)('are removed by the next run: %s', async (name, { skip }) => {
    const before = await testEngine(name);
    if ('reason' in before) return skip(before.reason);
    await before.clean();
    const run = spawn(process.execPath, ['--conditions=@plumbline/source', '--import', 'tsx', script, name], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [label] = (await once(createInterface(run.stdout), 'line')) as [string];
    const labelled = { labels: { [TEST_LABEL]: label } };
    expect(await before.backend.containers.list(labelled)).toHaveLength(1);
    run.kill('SIGKILL');
    await once(run, 'close');
    const next = await testEngine(name);
    if ('reason' in next) throw new Error(next.reason);
    await next.clean();
    const { backend } = before;
    const left = [
      ...(await backend.containers.list(labelled)),
      ...(await backend.internal.networks.list(labelled)),
      ...(await backend.volumes.list(labelled)),
      ...(await backend.images.list(labelled)),
    ];
    expect(left).toEqual([]);
  });
});
