import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { Deployment } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service } from 'kubernetes-models/v1';
import { parseAllDocuments } from 'yaml';
import { readSettings, settingDescriptions } from '../../../src/platform/settings.js';

const text = await readFile('src/platform/deploy/kubernetes.yaml', 'utf8');
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- documents of any shape, which the schemas check
const manifests: any[] = parseAllDocuments(text).map((document) => document.toJS());
const models = { ConfigMap, Job, Deployment, Service, PodDisruptionBudget };
const manifestOf = (kind: keyof typeof models) => manifests.find((each) => each.kind === kind);

describe('The Kubernetes manifests', () => {
  test.each(Object.keys(models) as (keyof typeof models)[])('follow the schema of Kubernetes: %s', (kind) => {
    const manifest = manifestOf(kind);
    const Model = models[kind];
    expect(manifest.apiVersion).toBe(new Model(manifest).apiVersion);
    expect(() => {
      new Model(manifest).validate();
    }).not.toThrow();
    expect(() => {
      new Model({ ...manifest, metadata: { ...manifest.metadata, labels: 'wrong' } }).validate();
    }).toThrow();
  });

  test('have no field that Kubernetes does not know', async () => {
    expect(await typeErrors(manifests)).toEqual([]);
    const misspelt = structuredClone(manifests);
    misspelt.find(({ kind }) => kind === 'Deployment').spec.replicaz = 2;
    expect(await typeErrors(misspelt)).toEqual([expect.stringContaining('replicaz')]);
  }, 60_000);

  test('have no other kinds', () => {
    expect(manifests.map(({ kind }) => kind).sort()).toEqual(Object.keys(models).sort());
  });

  test('run both workloads without privileges, in what the Dockerfile makes', async () => {
    const dockerfile = await readFile('Dockerfile', 'utf8');
    const user = Number(/^USER (\d+):/m.exec(dockerfile)?.[1]);
    for (const kind of ['Job', 'Deployment'] as const) {
      const { spec } = manifestOf(kind).spec.template;
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: user });
      for (const { securityContext, resources } of spec.containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(resources.requests).toHaveProperty('memory');
      }
    }
    const [{ ports, volumeMounts }] = manifestOf('Deployment').spec.template.spec.containers;
    expect(dockerfile).toContain(`EXPOSE ${ports[0].containerPort}\n`);
    expect(dockerfile).toContain(`VOLUME ${volumeMounts[0].mountPath}\n`);
  });

  test('set valid settings only, and leave the server time to drain', () => {
    const { data } = manifestOf('ConfigMap');
    const names = settingDescriptions.map(({ name }) => name);
    for (const name of Object.keys(data)) expect(names).toContain(name);
    const { shutdownDrainSeconds, shutdownDeadlineSeconds } = readSettings(data);
    const { terminationGracePeriodSeconds } = manifestOf('Deployment').spec.template.spec;
    expect(terminationGracePeriodSeconds).toBeGreaterThan(shutdownDrainSeconds + shutdownDeadlineSeconds);
  });

  test('probe paths of the contract', async () => {
    const { paths } = JSON.parse(await readFile('generated/platform/openapi.json', 'utf8'));
    const [container] = manifestOf('Deployment').spec.template.spec.containers;
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      expect(paths).toHaveProperty([container[probe].httpGet.path]);
    }
  });
});

/** The schemas let unknown fields pass; the types made from them do not, where an object is written as a literal. */
async function typeErrors(documents: readonly { apiVersion: string; kind: string }[]): Promise<string[]> {
  const folder = join('node_modules/.cache', `plumbline-manifests-${process.pid}`);
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'manifests.mts');
  const lines = documents.map((document, index) => {
    const { apiVersion, kind } = document;
    const value = JSON.stringify(document);
    return `export const m${index}: import('kubernetes-models/${apiVersion}').I${kind} = ${value};`;
  });
  await writeFile(file, lines.join('\n'));
  try {
    const options = { noEmit: true, strict: true, skipLibCheck: true, module: ts.ModuleKind.NodeNext, types: [] };
    return ts
      .getPreEmitDiagnostics(ts.createProgram([file], options))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
  } finally {
    await rm(folder, { recursive: true });
  }
}
