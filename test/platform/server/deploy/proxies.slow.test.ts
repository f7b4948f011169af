import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  createCertificates,
  missingOpenssl,
  type Certificate,
  type Certificates,
} from '../../../support/certificates.js';
import { freePort } from '../../../support/free-port.js';
import { startTestPlatform, testPassword, type TestPlatform } from '../../../support/platform.js';

interface Site {
  /** The address of the server. */
  readonly upstream: string;
  readonly port: number;
  readonly certFile: string;
  readonly keyFile: string;
  /** For the files of the proxy. */
  readonly folder: string;
}

interface Proxy {
  readonly name: string;
  /** undefined: it is not installed. */
  readonly program: string | undefined;
  /** Prepares the example for the site. @returns the arguments of the program */
  readonly prepare: (site: Site) => Promise<readonly string[]>;
}

const installed = (name: string): string | undefined =>
  [`/usr/sbin/${name}`, `/usr/bin/${name}`].find((file) => existsSync(file));

const proxies: readonly Proxy[] = [
  { name: 'nginx', program: installed('nginx'), prepare: prepareNginx },
  { name: 'Caddy', program: installed('caddy'), prepare: prepareCaddy },
];

async function prepareNginx({ upstream, port, certFile, keyFile, folder }: Site): Promise<readonly string[]> {
  const example = await readFile('src/platform/server/deploy/nginx.conf', 'utf8');
  const site = example
    .replace('127.0.0.1:8080', upstream)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('/etc/ssl/plumbline/fullchain.pem', certFile)
    .replace('/etc/ssl/plumbline/privkey.pem', keyFile);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = paths.map((name) => `${name}_temp_path ${join(folder, name)};`).join(' ');
  const user = process.getuid?.() === 0 ? 'user root;' : ''; // whose folder it is
  const file = join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; worker_processes 1; ${user} pid ${join(folder, 'pid')}; error_log ${join(folder, 'log')};
events {} http { access_log off; ${temporary} ${site} }`,
  );
  return ['-c', file, '-e', join(folder, 'log')];
}

async function prepareCaddy({ upstream, port, certFile, keyFile, folder }: Site): Promise<readonly string[]> {
  const example = await readFile('src/platform/server/deploy/Caddyfile', 'utf8');
  const site = example
    .replace('127.0.0.1:8080', upstream)
    .replace('plumbline.example.com {', `https://:${port} {\n\ttls ${certFile} ${keyFile}`);
  const file = join(folder, 'Caddyfile');
  const options = 'admin off\n\tauto_https disable_redirects\n\tdefault_sni plumbline.example.com';
  await writeFile(file, `{\n\t${options}\n}\n${site}`);
  return ['run', '--config', file, '--adapter', 'caddyfile'];
}

describe.each(proxies)('The example for $name', ({ name, program, prepare }) => {
  const reason = program === undefined ? `${name} is not installed` : missingOpenssl();
  const skipped = reason === null ? '' : ` (skipped: ${reason})`;
  describe.skipIf(skipped !== '')(`as a proxy${skipped}`, () => {
    let platform: TestPlatform;
    let certificates: Certificates;
    let authority: Certificate;
    let folder: string;
    let port: number;
    let proxy: ChildProcess;

    beforeAll(async () => {
      platform = await startTestPlatform({
        environment: { TRUSTED_PROXIES: '127.0.0.1', AUTH_LOGIN_IP_LIMIT: '2/hour' },
      });
      certificates = await createCertificates();
      authority = certificates.authority(name);
      const { certFile, keyFile } = certificates.issue(authority, 'plumbline.example.com');
      folder = await mkdtemp(join(tmpdir(), 'plumbline-proxy-'));
      port = await freePort();
      const args = await prepare({ upstream: new URL(platform.url).host, port, certFile, keyFile, folder });
      const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
      proxy = spawn(program ?? '', args, { stdio: 'ignore', env });
      await vi.waitFor(
        async () => {
          expect((await get('/health/live')).status).toBe(200);
        },
        { timeout: 15_000 },
      );
    });

    afterAll(async () => {
      const ended = new Promise((resolve) => proxy.once('close', resolve));
      proxy.kill('SIGTERM');
      await ended;
      await platform.stop();
      await certificates.remove();
      await rm(folder, { recursive: true, force: true });
    });

    test('serves over TLS, with HSTS and the headers of the server', async () => {
      const { status, headers } = await get('/docs');
      expect(status).toBe(200);
      expect(headers['strict-transport-security']).toBe('max-age=31536000');
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['x-request-id']).toBeTruthy();
    });

    test('passes compressed replies on as they are', async () => {
      const { headers, body } = await get('/openapi.json', { headers: { 'Accept-Encoding': 'br' } });
      expect([headers['content-encoding'], headers['content-length']]).toEqual(['br', String(body.length)]);
    });

    test('hides /metrics, which only answers on the machine itself', async () => {
      expect((await get('/metrics')).status).toBe(401);
    });

    test('tells the address of the caller, and drops one that the caller makes up', async () => {
      const statuses: number[] = [];
      for (let made = 1; made <= 3; made++) {
        const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': `192.0.2.${made}` };
        const body = JSON.stringify({ email: `nobody${made}@example.com`, password: testPassword });
        statuses.push((await get('/api/v1/auth/login', { method: 'POST', headers, body })).status);
      }
      expect(statuses).toEqual([401, 401, 429]);
    });

    test('refuses a body that the server would refuse', async () => {
      const headers = { 'Content-Type': 'application/json' };
      const body = JSON.stringify({ email: 'x'.repeat(2_000_000) });
      expect((await get('/api/v1/auth/login', { method: 'POST', headers, body })).status).toBe(413);
    });

    interface Options {
      readonly method?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
    type Reply = { status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer };

    function get(path: string, { body = '', ...options }: Options = {}): Promise<Reply> {
      return new Promise((resolve, reject) => {
        const url = `https://127.0.0.1:${port}${path}`;
        const sent = request(url, { ...options, ca: authority.cert }, (response) => {
          buffer(response).then((content) => {
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: content });
          }, reject);
        });
        sent.once('error', reject);
        sent.end(body);
      });
    }
  });
});
