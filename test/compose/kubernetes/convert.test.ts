/** `compose bridge convert`. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { commandLine } from '../cli/command-line.js';
import { convertedProjects, ODD_FILE, SHOP_FILES } from './converted-projects.js';

const VALIDATOR = process.env['TEST_KUBERNETES_VALIDATE'] ?? '';
const REASON = existsSync(VALIDATOR) ? '' : ' (skipped: TEST_KUBERNETES_VALIDATE names no program)';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // Each test knows the kind that it looks at.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly [part: string]: any;
}

function manifestsIn(text: string): ReadonlyMap<string, Manifest> {
  const documents = parseAllDocuments(text, { version: '1.1' }).map((each): Manifest => each.toJS());
  return new Map(documents.map((each) => [`${each.kind} ${each.metadata.name}`, each]));
}

describe('bridge convert', () => {
  it('writes an object for each part of a project', async () => {
    const { run } = await commandLine(SHOP_FILES);
    const { code, stdout } = await run('bridge', 'convert');
    expect(code).toBe(0);
    expect([...manifestsIn(stdout).keys()]).toEqual([
      'Secret password',
      'ConfigMap settings',
      'PersistentVolumeClaim cache',
      'NetworkPolicy network-back',
      'NetworkPolicy network-front',
      'NetworkPolicy web-app-published',
      'Service db',
      'Service migrate',
      'Service web-app',
      'Service web-app-published',
      'Service worker',
      'StatefulSet db',
      'Job migrate',
      'ConfigMap web-app-file-0',
      'Deployment web-app',
      'DaemonSet worker',
    ]);
  });

  it('carries the settings of services', async () => {
    const { run } = await commandLine(SHOP_FILES);
    const manifests = manifestsIn((await run('bridge', 'convert')).stdout);

    const db = manifests.get('StatefulSet db')?.['spec'];
    expect(db.volumeClaimTemplates).toMatchObject([{ metadata: { name: 'data' } }]);
    expect(db.template.spec.securityContext).toEqual({ fsGroup: 998 });
    expect(db.template.spec.containers).toMatchObject([
      {
        env: [{ name: 'POSTGRES_PASSWORD_FILE', value: '/run/secrets/password' }],
        securityContext: { runAsUser: 999, runAsGroup: 998 },
        readinessProbe: { exec: { command: ['/bin/sh', '-c', 'pg_isready'] }, periodSeconds: 5, failureThreshold: 4 },
        startupProbe: { periodSeconds: 5, failureThreshold: 8 },
        volumeMounts: [
          { mountPath: '/run/secrets/password', subPath: 'content', readOnly: true },
          { name: 'data', mountPath: '/var/lib/postgresql/data' },
        ],
      },
    ]);
    expect(manifests.get('Secret password')?.['data']).toEqual({ content: 'ZXhhbXBsZQo=' });

    const migrate = manifests.get('Job migrate')?.['spec'];
    expect(migrate.backoffLimit).toBe(3);
    expect(migrate.template.spec.restartPolicy).toBe('OnFailure');
    // Kubernetes would replace a single dollar sign.
    expect(migrate.template.spec.containers[0].args).toEqual(['migrate', '--to', '$$(latest)']);

    const web = manifests.get('Deployment web-app')?.['spec'];
    expect(web).toMatchObject({
      replicas: 3,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } },
    });
    expect(web.template.spec.containers[0].resources).toEqual({ limits: { cpu: '500m', memory: '268435456' } });
    expect(web.template.spec.volumes).toMatchObject([
      { configMap: { name: 'settings', items: [{ key: 'content', path: 'content', mode: 0o440 }] } },
      { configMap: { name: 'web-app-file-0' } },
      { name: 'cache', persistentVolumeClaim: { claimName: 'cache' } },
      { emptyDir: {} },
    ]);
    expect(manifests.get('ConfigMap web-app-file-0')?.['data']).toEqual({ content: 'size = 1\n' });
    // A parser of YAML 1.1 must not read a boolean.
    expect(manifests.get('ConfigMap settings')?.['data']).toEqual({ content: 'mode: yes' });
    expect(manifests.get('Service web-app')?.['spec']).toMatchObject({
      clusterIP: 'None',
      ports: [{ port: 80 }, { port: 9000 }],
    });
    expect(manifests.get('Service web-app-published')?.['spec']).toMatchObject({
      type: 'LoadBalancer',
      ports: [{ port: 8080, targetPort: 80 }],
    });
  });

  it('names each key that it cannot carry', async () => {
    const { run } = await commandLine(SHOP_FILES);
    const { stderr } = await run('bridge', 'convert');
    expect(stderr.split('\n').filter(Boolean)).toEqual([
      'warning: services.db.environment.UNSET is left out: it is not set here.',
      'warning: services.migrate.depends_on.db is not awaited: the container restarts until it finds it.',
      "warning: services.web_app is named 'web-app', also in the cluster's DNS.",
      'warning: services.web_app.build is not part of a cluster: build the image and push it to a registry that the cluster reads.',
      'warning: services.web_app.depends_on.migrate is not awaited: the container restarts until it finds it.',
      "warning: services.web_app.ports are those of the load balancer 'web-app-published'.",
      expect.stringMatching(/services\.web_app\.volumes\[0\] is a copy of .*app\.ini, read-only\.$/),
      expect.stringMatching(/services\.web_app\.volumes\[1\] is left out: the cluster has no /),
      'warning: services.worker.ulimits has no counterpart.',
      'warning: volumes.cache is shared: it claims 1Gi of a storage class with ReadWriteMany.',
      'warning: volumes.data claims 1Gi, once per replica.',
    ]);
  });

  it('writes files that only their owner can read, and none in a dry run', async () => {
    const { run, folder } = await commandLine(SHOP_FILES);
    expect((await run('--dry-run', 'bridge', 'convert', '-o', 'out')).code).toBe(0);
    expect(existsSync(path.join(folder, 'out'))).toBe(false);
    expect((await run('bridge', 'convert', '-o', 'out')).stdout).toBe('');
    const files = await readdir(path.join(folder, 'out'));
    expect(files).toHaveLength(16);
    const secret = path.join(folder, 'out/password-secret.yaml');
    expect((await stat(secret)).mode & 0o777).toBe(0o600);
    expect(parse(await readFile(secret, 'utf8'))).toMatchObject({ kind: 'Secret', data: { content: 'ZXhhbXBsZQo=' } });
  });

  it('refuses a secret that is missing, and one that no cluster takes', async () => {
    const secret = (file: string): string =>
      `{ services: { a: { image: a, secrets: [s] } }, secrets: { s: { file: ${file} } } }`;
    const missing = await (await commandLine(secret('none.txt'))).run('bridge', 'convert');
    expect(missing).toMatchObject({ stdout: '', stderr: expect.stringContaining('none.txt') });
    expect(missing.code).not.toBe(0);
    const large = await commandLine({ 'compose.yaml': secret('s.txt'), 's.txt': 'x'.repeat(1_048_577) });
    expect(await large.run('bridge', 'convert')).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('a cluster stores at most 1 MiB in one object, and s has 1048577 bytes'),
    });
  });

  it.each(['daily', 'weekly', 'every_3h'])('pulls always for the pull policy %s, and says so', async (policy) => {
    const { run } = await commandLine(`services: { web: { image: a, pull_policy: ${policy} } }`);
    const { code, stdout, stderr } = await run('bridge', 'convert');
    expect(code).toBe(0);
    const template = manifestsIn(stdout).get('Deployment web')?.['spec'].template;
    expect(template.spec.containers[0].imagePullPolicy).toBe('Always');
    expect(stderr).toBe('warning: services.web.pull_policy is Always: a cluster has no interval for pulls.\n');
  });

  it('names a mount of an image', async () => {
    const { run } = await commandLine(
      'services: { web: { image: a, volumes: [{ type: image, source: b, target: /b }] } }',
    );
    const { code, stdout, stderr } = await run('bridge', 'convert');
    expect(code).toBe(0);
    expect(manifestsIn(stdout).get('Deployment web')?.['spec'].template.spec).not.toHaveProperty('volumes');
    expect(stderr).toBe('warning: services.web.volumes[0] is left out: it has the type image.\n');
  });

  it('leaves out what a cluster would refuse, and names it', async () => {
    const { run } = await commandLine(ODD_FILE, { environment: { TOKEN: 'x' } });
    const { code, stdout, stderr } = await run('bridge', 'convert');
    expect(code).toBe(0);
    for (const note of [
      '_under.score-.labels.a/b/c is left out: annotations cannot have this name',
      '_under.score-.annotations.spa ce is left out: annotations cannot have this name',
      '_under.score-.deploy.labels.bad key is left out: annotations cannot have this name',
      '_under.score-.environment.uni\u00e9 is left out: the name of a variable has ASCII characters only',
      '_under.score-.extra_hosts.some_host is left out: it is not the name of a host',
      '_under.score-.dns has its first 3 only',
      '_under.score- reserves no more memory than its limit allows',
      'Host reserves no more processors than its limit allows',
      'powerful.security_opt has no counterpart for no-new-privileges beside these privileges',
    ]) {
      expect(stderr).toContain(`warning: services.${note}.\n`);
    }
    const template = manifestsIn(stdout).get('StatefulSet under-score')?.['spec'].template;
    expect(template.metadata.annotations).toEqual({ 'good.example/x': 'z', 'UP/x': '1' });
    expect(template.spec.dnsConfig.nameservers).toEqual(['8.8.8.8', '1.1.1.1', '9.9.9.9']);
    expect(template.spec.containers[0].resources.requests.memory).toBe(String(100 * 1024 ** 2));
    expect(template.spec.containers[0].env.map(({ name }: { name: string }) => name)).toEqual([
      'WITH SPACE',
      '1ST',
      'dash-ed',
      'a.b',
    ]);
  });

  it.skipIf(REASON !== '')(`writes what the schemas of Kubernetes accept${REASON}`, async () => {
    const out = await mkdtemp(path.join(tmpdir(), 'plumbline-kubernetes-'));
    const converted = await convertedProjects();
    for (const [name, text] of converted) await writeFile(path.join(out, `${name}.yaml`), text);
    const files = [...converted.keys()].map((name) => path.join(out, `${name}.yaml`));
    const { stdout, stderr } = await promisify(execFile)(VALIDATOR, ['--strict', ...files], { maxBuffer: 1e8 });
    const lines = `${stdout}${stderr}`.split('\n').filter(Boolean);
    expect(lines.filter((line) => !line.startsWith('INFO'))).toEqual([]);
    console.info(`${lines.length} objects of ${converted.size} projects pass.`);
    expect(converted.size).toBeGreaterThanOrEqual(10);
    await rm(out, { recursive: true });
  });
});
