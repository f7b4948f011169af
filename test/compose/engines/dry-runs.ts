/** `--dry-run` on a real engine: the steps are printed, and nothing has changed afterwards. */
import { expect, it, onTestFinished } from 'vitest';
import { stateOf } from '../cli/dry-run-state.js';
import type { TestEngine } from '../../support/engines.js';
import { engineProject, type ComposeParts } from './engine-project.js';
import type { EnginePart } from './on-engine.js';

const builtImage = ({ image }: TestEngine): string => image.replace(/latest$/, 'built');

const project = (engine: TestEngine): ComposeParts => ({
  services: {
    web: { depends_on: { db: { condition: 'service_healthy' } }, volumes: ['data:/data'] },
    db: { healthcheck: { test: ['CMD', 'true'], interval: '1s' } },
    built: { image: builtImage(engine), build: { dockerfile_inline: `FROM ${engine.image}\n` } },
  },
  volumes: { data: {} },
});

const FRESH = [['up', '-d'], ['create'], ['build'], ['run', '--rm', 'web', 'true'], ['scale', 'web=2']];

const RUNNING = [
  ['up', '-d', '--force-recreate', '--build', '-V'],
  ['create', '--force-recreate'],
  ['scale', 'web=2'],
  ['stop', '-t', '1'],
  ['restart', '-t', '1'],
  ['kill'],
  ['pause'],
  ['rm', '-f', '-s', '-v'],
  ['down', '-v', '--rmi', 'all'],
  ['build'],
  ['pull'],
  ['push'],
  ['run', '--rm', 'web', 'true'],
  ['exec', 'web', 'touch', '/here'],
  ['cp', 'compose.yaml', 'web:/here'],
  ['commit', 'web', 'localhost/snapshot:1'],
];

const STOPPED = [['start'], ['up', '-d', '--wait'], ['rm', '-f']];

export const dryRuns: EnginePart = (engine) => {
  it('--dry-run of every command changes nothing', async () => {
    const { run, backend, name } = await engineProject(engine, project(engine));
    const labels = { 'com.docker.compose.project': name };
    const changesNothing = async (commands: readonly string[][]): Promise<void> => {
      const before = await stateOf(backend, labels);
      for (const words of commands) {
        const { code, stderr } = await run('--dry-run', ...words);
        expect({ words, code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('DRY-RUN MODE - ') });
        expect(await stateOf(backend, labels), words.join(' ')).toEqual(before);
      }
    };
    await changesNothing(FRESH);
    await run('up', '-d');
    onTestFinished(() => backend.images.remove(builtImage(engine), { force: true }));
    await changesNothing(RUNNING);
    expect(await run('exec', '-T', 'web', 'ls', '/here')).toMatchObject({ code: 1 });
    await run('stop');
    await changesNothing(STOPPED);
  });
};
