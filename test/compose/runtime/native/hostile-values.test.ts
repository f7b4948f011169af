/** What podman itself makes of values that it could read as several, or as its own settings. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ContainerRecord } from '../../../../src/compose/runtime/records.js';
import type { ContainerSpec } from '../../../../src/compose/runtime/spec.js';
import { testEngine } from '../../../support/engines.js';

const engine = await testEngine('native/podman');

if ('reason' in engine) {
  describe('podman', () => {
    it.skip(`skipped: ${engine.reason}`);
  });
} else {
  const { backend, image, labels } = engine;
  afterAll(() => engine.clean(), 120_000);

  let number = 0;
  const created = async (more: Partial<ContainerSpec>): Promise<ContainerRecord> => {
    const name = `plt-hostile-${process.pid}-${number++}`;
    const { id } = await backend.containers.create({
      name,
      image,
      command: ['true'],
      ...more,
      labels: { ...labels, ...more.labels },
    });
    onTestFinished(() => backend.containers.remove(id, { force: true }));
    return backend.containers.inspect(id);
  };

  describe('podman', { timeout: 60_000 }, () => {
    it('does not pass its environment variables to a container', async () => {
      vi.stubEnv('PLT_HOSTILE_SECRET', 'of the server');
      onTestFinished(() => void vi.unstubAllEnvs());
      const environment = { 'PLT_HOSTILE*': 'theirs', PLT_HOSTILE_BLANK: ' a, b=c "d" ' };
      const record = await created({ environment });
      expect(record.environment).toMatchObject({ PLT_HOSTILE_BLANK: ' a, b=c "d" ' });
      expect(JSON.stringify(record.environment)).not.toContain('of the server');
    });

    it('keeps a label with commas, quotation marks and equals signs intact', async () => {
      const record = await created({ labels: { 'plt.odd': 'a,com.docker.compose.project=other,"b"' } });
      expect(record.labels['plt.odd']).toBe('a,com.docker.compose.project=other,"b"');
      expect(record.labels['com.docker.compose.project']).toBeUndefined();
    });

    it('mounts a directory with a comma in its name, and nothing else', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'plt,src=etc,'));
      onTestFinished(() => rm(folder, { recursive: true }));
      const { mounts } = await created({ mounts: [{ type: 'bind', source: folder, target: '/d', readOnly: true }] });
      expect(mounts).toMatchObject([{ type: 'bind', source: folder, target: '/d', readOnly: true }]);
    });

    it('receives no value that it would split', async () => {
      const refused: Partial<ContainerSpec>[] = [
        { logging: { driver: 'k8s-file', options: { tag: 'x,path=/tmp/plt-hostile' } } },
        { groups: ['"keep-groups"'] },
        { networks: [{ network: 'podman', aliases: ['a,ip=10.88.0.77'] }] },
        { mounts: [{ type: 'volume', target: '/etc:/host' }] },
        { mounts: [{ type: 'volume', source: 'v', target: '/v', subpath: 'a,src=/etc' }] },
      ];
      for (const more of refused) {
        await expect(created(more)).rejects.toMatchObject({ failure: { case: 'notSupported' } });
      }
    });
  });
}
