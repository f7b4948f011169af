/**
 * An API server of Kubernetes on the loopback interface, with etcd and without nodes. TEST_KUBERNETES_API names the
 * folder of both programs; `.ci/kubernetes-api` builds them.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import { vi } from 'vitest';
import { objectOf, objectsOf, textOf, type Json } from '../../src/compose/runtime/json.js';
import { freePort } from './free-port.js';

const programs = process.env['TEST_KUBERNETES_API'] ?? '';

/** Why there can be none here; undefined: there can. */
export const kubernetesIsMissing = existsSync(join(programs, 'kube-apiserver'))
  ? undefined
  : 'TEST_KUBERNETES_API names no folder with a kube-apiserver';

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

export interface KubernetesApi {
  createNamespace(name: string): Promise<void>;
  /**
   * Server-side apply, in which unknown fields are errors.
   *
   * @returns the object as it is then kept, with the server's defaults
   * @throws Error with the server's message
   */
  apply(namespace: string, object: KubernetesObject, options?: { readonly dryRun?: boolean }): Promise<Json>;
  stop(): Promise<void>;
}

export async function startKubernetesApi(): Promise<KubernetesApi> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-kubernetes-api-'));
  const [client, peer, port] = [await freePort(), await freePort(), await freePort()];
  const token = randomBytes(16).toString('hex');
  const key = join(folder, 'accounts.key');
  const tokens = join(folder, 'tokens.csv');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(key, privateKey.export({ type: 'pkcs1', format: 'pem' }));
  await writeFile(tokens, `${token},admin,admin,"system:masters"\n`);
  const database = `http://127.0.0.1:${client}`;
  const member = `http://127.0.0.1:${peer}`;
  const etcd = start('etcd', {
    'data-dir': join(folder, 'etcd'),
    'listen-client-urls': database,
    'advertise-client-urls': database,
    'listen-peer-urls': member,
    'initial-advertise-peer-urls': member,
    'initial-cluster': `default=${member}`,
    'unsafe-no-fsync': 'true',
  });
  const server = start('kube-apiserver', {
    'etcd-servers': database,
    'bind-address': '127.0.0.1',
    'secure-port': String(port),
    'cert-dir': join(folder, 'certificates'),
    'service-account-issuer': 'https://kubernetes.test',
    'service-account-key-file': key,
    'service-account-signing-key-file': key,
    'service-cluster-ip-range': '10.0.0.0/24',
    'token-auth-file': tokens,
    'authorization-mode': 'RBAC',
    // There is no controller that would make the accounts of pods.
    'disable-admission-plugins': 'ServiceAccount',
    'allow-privileged': 'true',
    'endpoint-reconciler-type': 'none',
  });

  let dispatcher: Agent | undefined;
  const send = async (method: string, path: string, object?: object): Promise<{ status: number; body: Json }> => {
    dispatcher ??= new Agent({
      connect: { ca: await readFile(join(folder, 'certificates/apiserver.crt')), servername: 'kubernetes' },
    });
    const type = method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json';
    const reply = await fetch(`https://127.0.0.1:${port}${path}`, {
      method,
      dispatcher,
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
      ...(object && { body: JSON.stringify(object) }),
    });
    const text = await reply.text();
    return { status: reply.status, body: text.startsWith('{') ? objectOf(JSON.parse(text)) : { text } };
  };
  const isReady = (): Promise<boolean> =>
    send('GET', '/readyz').then(
      ({ status }) => status === 200,
      () => false,
    );
  await vi.waitUntil(isReady, { timeout: 60_000, interval: 100 });

  const resources = new Map<string, Promise<string>>();
  /** The place of a kind, as the server itself tells it. */
  const resourceOf = ({ apiVersion, kind }: KubernetesObject): Promise<string> => {
    const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const known = resources.get(`${group} ${kind}`);
    if (known !== undefined) return known;
    const asked = send('GET', group).then(({ body }) => {
      const found = objectsOf(body['resources']).find((each) => each['kind'] === kind);
      if (found === undefined) throw new Error(`the server has no ${kind} in ${apiVersion}`);
      return `${group}/namespaces/NAMESPACE/${textOf(found['name'])}`;
    });
    resources.set(`${group} ${kind}`, asked);
    return asked;
  };
  return {
    async createNamespace(name) {
      const { status, body } = await send('POST', '/api/v1/namespaces', { metadata: { name } });
      if (status !== 201) throw new Error(textOf(body['message']));
    },
    async apply(namespace, object, { dryRun = false } = {}) {
      const place = (await resourceOf(object)).replace('NAMESPACE', namespace);
      const query = `fieldManager=test&fieldValidation=Strict${dryRun ? '&dryRun=All' : ''}`;
      const { status, body } = await send('PATCH', `${place}/${object.metadata.name}?${query}`, object);
      if (status !== 200 && status !== 201) throw new Error(textOf(body['message']) || `status ${status}`);
      return body;
    },
    async stop() {
      await dispatcher?.close();
      await end(server);
      await end(etcd);
      await rm(folder, { recursive: true });
    },
  };
}

function start(program: string, flags: Readonly<Record<string, string>>): ChildProcess {
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  return spawn(join(programs, program), args, { stdio: 'ignore' });
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close');
  // Nothing is kept, and a server that ends in order waits for requests that it has sent to itself.
  child.kill('SIGKILL');
  await ended;
}
