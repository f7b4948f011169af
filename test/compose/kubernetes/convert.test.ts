/** `compose bridge convert`. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { commandLine } from '../cli/command-line.js';

const FIXTURES = path.resolve('test/compose/model/fixtures');
const VALIDATOR = process.env['TEST_KUBERNETES_VALIDATE'] ?? '';
const REASON = existsSync(VALIDATOR) ? '' : ' (skipped: TEST_KUBERNETES_VALIDATE names no program)';

const FILES = {
  'compose.yaml': `
name: shop
services:
  db:
    image: postgres
    user: "999:998"
    volumes: [data:/var/lib/postgresql/data]
    environment: { POSTGRES_PASSWORD_FILE: /run/secrets/password, UNSET: }
    secrets: [password]
    healthcheck: { test: pg_isready, interval: 5s, retries: 4, start_period: 20s }
    networks: [back]
  migrate:
    image: shop/migrate
    command: [migrate, --to, "$$(latest)"]
    restart: on-failure:3
    depends_on: { db: { condition: service_healthy } }
    networks: [back]
  web_app:
    build: .
    image: shop/web
    scale: 3
    ports: ["8080:80"]
    expose: [9000]
    configs: [{ source: settings, target: /etc/settings, mode: 0440 }]
    volumes: ["./app.ini:/etc/app.ini", "./:/source", "cache:/cache", /scratch]
    deploy: { update_config: { parallelism: 2, order: start-first }, resources: { limits: { cpus: "0.5", memory: 256M } } }
    depends_on: { migrate: { condition: service_completed_successfully } }
    networks: [front, back]
  worker:
    image: shop/worker
    deploy: { mode: global }
    volumes: ["cache:/cache"]
    ulimits: { nofile: 1000 }
    networks: [back]
networks: { front: {}, back: {} }
volumes: { data: {}, cache: {} }
secrets: { password: { file: password.txt } }
configs: { settings: { content: "mode: yes" } }
`,
  'app.ini': 'size = 1\n',
  'password.txt': 'example\n',
};

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
    const { run } = await commandLine(FILES);
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
    const { run } = await commandLine(FILES);
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
    const { run } = await commandLine(FILES);
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
    const { run, folder } = await commandLine(FILES);
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

  it.skipIf(REASON !== '')(`writes what the schemas of Kubernetes accept${REASON}`, async () => {
    const out = await mkdtemp(path.join(tmpdir(), 'plumbline-kubernetes-'));
    const converted: string[] = [];
    const convert = async (name: string, run: (...args: string[]) => Promise<{ code: number; stdout: string }>) => {
      const { code, stdout } = await run('bridge', 'convert');
      if (code !== 0) return;
      converted.push(name);
      await writeFile(path.join(out, `${name}.yaml`), stdout);
    };
    await convert('shop', (await commandLine(FILES)).run);
    for (const name of readdirSync(FIXTURES)) {
      const { run } = await commandLine({ 'compose.yaml': 'services: {}' });
      await convert(name, (...args) => run('-f', path.join(FIXTURES, name, 'compose.yaml'), ...args));
    }
    const files = converted.map((name) => path.join(out, `${name}.yaml`));
    const { stdout, stderr } = await promisify(execFile)(VALIDATOR, ['--strict', ...files], { maxBuffer: 1e8 });
    const lines = `${stdout}${stderr}`.split('\n').filter(Boolean);
    expect(lines.filter((line) => !line.startsWith('INFO'))).toEqual([]);
    console.info(`${lines.length} objects of ${converted.length} projects pass.`);
    expect(converted.length).toBeGreaterThanOrEqual(10);
    await rm(out, { recursive: true });
  });
});
