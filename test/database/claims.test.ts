import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { claimCluster } from '../../src/database/embedded/claims.js';

it('the last release of a cluster is not disturbed by a claim that ends while it looks', async () => {
  const cluster = await mkdtemp(join(tmpdir(), 'plumbline-claims-'));
  onTestFinished(() => rm(cluster, { recursive: true }));
  const [first, second] = [claimCluster(cluster), claimCluster(cluster)];
  expect(first.release()).toBe(false);
  // A name that is listed and cannot be read, of a process that runs: as if it were removed in between.
  await symlink(join(cluster, 'nothing'), join(cluster, 'clients', `${process.pid}-0123456789ab`));
  expect(second.release()).toBe(true);
});
