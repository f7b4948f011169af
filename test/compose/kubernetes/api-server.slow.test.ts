/** What `bridge convert` writes, and the manifests of the Platform, are applied to an API server of Kubernetes. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { objectOf } from '../../../src/compose/runtime/json.js';
import {
  kubernetesIsMissing,
  startKubernetesApi,
  type KubernetesApi,
  type KubernetesObject,
} from '../../support/kubernetes-api.js';
import { convertedProjects, convertedShop } from './converted-projects.js';

const title = `an API server of Kubernetes${kubernetesIsMissing ? ` (skipped: ${kubernetesIsMissing})` : ''}`;

describe.skipIf(kubernetesIsMissing !== undefined)(title, { timeout: 120_000 }, () => {
  let api: KubernetesApi;
  beforeAll(async () => {
    api = await startKubernetesApi();
  }, 120_000);
  afterAll(() => api.stop());

  const objectsOf = (text: string): KubernetesObject[] =>
    parseAllDocuments(text, { version: '1.1' }).map((each): KubernetesObject => each.toJS());

  it('accepts the objects of all projects, without an unknown field', async () => {
    const projects = await convertedProjects();
    const refused: string[] = [];
    let applied = 0;
    for (const [name, text] of projects) {
      for (const object of objectsOf(text)) {
        applied += 1;
        await api.apply('default', object, { dryRun: true }).catch((error: unknown) => {
          refused.push(`${name}: ${object.kind} ${object.metadata.name}: ${String(error)}`);
        });
      }
    }
    expect(refused).toEqual([]);
    console.info(`${applied} objects of ${projects.size} projects are accepted.`);
    expect(projects.size).toBeGreaterThanOrEqual(10);
  });

  it('keeps the objects of a project in a namespace, and accepts them again', async () => {
    await api.createNamespace('shop');
    const kept = new Map<string, unknown>();
    for (const object of objectsOf(await convertedShop())) {
      const first = objectOf((await api.apply('shop', object))['metadata']);
      const again = objectOf((await api.apply('shop', object))['metadata']);
      expect(again['generation']).toBe(first['generation']);
      expect(again['uid']).toBe(first['uid']);
      kept.set(`${object.kind} ${object.metadata.name}`, first['namespace']);
    }
    expect(kept.size).toBe(16);
    expect(new Set(kept.values())).toEqual(new Set(['shop']));
  });

  it('keeps the manifests that deploy the Platform', async () => {
    await api.createNamespace('platform');
    const manifests = objectsOf(await readFile('src/platform/server/deploy/kubernetes.yaml', 'utf8'));
    const kept: string[] = [];
    for (const object of manifests) kept.push(String((await api.apply('platform', object))['kind']));
    expect(kept.sort()).toEqual(['ConfigMap', 'Deployment', 'Job', 'PodDisruptionBudget', 'Service']);
  });

  it('refuses an object with an unknown field, so that the above proves something', async () => {
    const wrong = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'wrong' }, unknown: 1 };
    await expect(api.apply('default', wrong, { dryRun: true })).rejects.toThrow('unknown');
  });
});
