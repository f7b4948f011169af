import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readSettings, settingDescriptions } from '../../../../src/platform/server/settings.js';

const text = await readFile('src/platform/server/deploy/kubernetes.yaml', 'utf8');
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- documents of any shape, which the types check
const manifests: any[] = parseAllDocuments(text).map((document) => document.toJS());
/** The module of `kubernetes-types` with the type of each kind. */
const modules = {
  ConfigMap: 'core/v1',
  Job: 'batch/v1',
  Deployment: 'apps/v1',
  Service: 'core/v1',
  PodDisruptionBudget: 'policy/v1',
};
type Kind = keyof typeof modules;
const manifestOf = (kind: Kind) => manifests.find((each) => each.kind === kind);

describe('The Kubernetes manifests', () => {
  test('have the apiVersion and the fields of their kinds', async () => {
    for (const { kind, apiVersion } of manifests) expect(`core/${apiVersion}`).toContain(modules[kind as Kind]);
    expect(await typeErrors(manifests)).toEqual([]);
  }, 60_000);

  test('are checked for field names and types', async () => {
    const wrong = structuredClone(manifests);
    const deployment = wrong.find(({ kind }) => kind === 'Deployment');
    deployment.spec.replicaz = 2;
    wrong.find(({ kind }) => kind === 'Job').metadata.labels = 'wrong';
    wrong.find(({ kind }) => kind === 'Service').spec.ports[0].port = '8080';
    expect(await typeErrors(wrong)).toEqual([
      expect.stringContaining("'string' is not assignable to type '{"),
      expect.stringContaining('replicaz'),
      expect.stringContaining("'string' is not assignable to type 'number'"),
    ]);
  }, 60_000);

  test('have no other kinds', () => {
    expect(manifests.map(({ kind }) => kind).sort()).toEqual(Object.keys(modules).sort());
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

/** The types reject unknown fields where an object is written as a literal. */
async function typeErrors(documents: readonly { kind: string }[]): Promise<string[]> {
  const folder = join('node_modules/.cache', `plumbline-manifests-${process.pid}`);
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'manifests.mts');
  const lines = documents.map((document, index) => {
    const { kind } = document;
    const value = JSON.stringify(document);
    return `export const m${index}: import('kubernetes-types/${modules[kind as Kind]}').${kind} = ${value};`;
  });
  await writeFile(file, lines.join('\n'));
  try {
    const options = {
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      types: [],
    };
    return ts
      .getPreEmitDiagnostics(ts.createProgram([file], options))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
  } finally {
    await rm(folder, { recursive: true });
  }
}
