/** Commands on an engine that listens with `--tlsverify`: certificates that it and we accept, and all that we refuse. */
import { createHash } from 'node:crypto';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { chooseEngine } from '../../../src/compose/runtime/select.js';
import { createCertificates, missingOpenssl, type Certificate } from '../../support/certificates.js';
import { dockerEngineAt, type TestEngine } from '../../support/engines.js';
import { dockerdIsMissing, privateDockerd, type PrivateDockerd } from '../../support/private-dockerd.js';
import { folderWith } from '../model/project-folder.js';
import { logOf, missingBuildx, MOUNTED, SECRET, skipped, specOf, withPlugin } from './builds.js';
import { engineProject } from './engine-project.js';

const missing = missingOpenssl() ?? (await dockerdIsMissing());

if (missing !== undefined) {
  describe('an engine over TLS', () => {
    it.skip(`skipped: ${missing}`);
  });
} else {
  const certificates = await createCertificates();
  const authority = certificates.authority('engines');
  const strangers = certificates.authority('strangers');
  const client = certificates.issue(authority, 'client');
  const dockerd = await started(certificates.issue(authority, 'engine'));
  const local = await dockerEngineAt(dockerd.host);
  afterAll(async () => {
    await local.clean();
    await dockerd.remove();
    await certificates.remove();
  });

  async function started(server: Certificate): Promise<PrivateDockerd> {
    const engine = await privateDockerd({ authority, server });
    await engine.start();
    return engine;
  }

  /** A folder for DOCKER_CERT_PATH. */
  async function folderOf(ca?: Certificate, own?: Certificate): Promise<string> {
    const folder = await folderWith({ README: '' });
    if (ca !== undefined) await copyFile(ca.certFile, path.join(folder, 'ca.pem'));
    if (own !== undefined) {
      await copyFile(own.certFile, path.join(folder, 'cert.pem'));
      await copyFile(own.keyFile, path.join(folder, 'key.pem'));
    }
    return folder;
  }

  type Variables = Readonly<Record<string, string>>;

  const overTls = (folder: string, host = dockerd.tlsHost): Variables => ({
    DOCKER_HOST: host,
    DOCKER_TLS_VERIFY: '1',
    DOCKER_CERT_PATH: folder,
    PATH: process.env['PATH'] ?? '',
  });

  /** A Docker configuration whose current context is this engine. */
  async function inContext(folder: string | undefined, endpoint: object = {}): Promise<Variables> {
    const directory = await folderWith({ 'config.json': JSON.stringify({ currentContext: 'far' }) });
    const key = createHash('sha256').update('far').digest('hex');
    const meta = path.join(directory, 'contexts/meta', key);
    await mkdir(meta, { recursive: true });
    const docker = { Host: dockerd.tlsHost, SkipTLSVerify: false, ...endpoint };
    await writeFile(path.join(meta, 'meta.json'), JSON.stringify({ Name: 'far', Endpoints: { docker } }));
    const target = path.join(directory, 'contexts/tls', key, 'docker');
    await mkdir(target, { recursive: true });
    for (const file of folder === undefined ? [] : ['ca.pem', 'cert.pem', 'key.pem']) {
      await copyFile(path.join(folder ?? '', file), path.join(target, file)).catch(() => undefined);
    }
    return { DOCKER_CONFIG: directory, PATH: process.env['PATH'] ?? '' };
  }

  async function reached(environment: Variables): Promise<string> {
    const backend = await (await chooseEngine({ environment, sockets: [] })).open();
    return (await backend.system.version()).version;
  }

  /** The message with which the engine cannot be reached. */
  const refusal = (environment: Variables): Promise<unknown> =>
    reached(environment).then(
      () => expect.fail('the engine was reached'),
      (error: unknown) => (error instanceof Error ? error.message : error),
    );

  async function throughTls(environment: Variables): Promise<TestEngine> {
    const backend = await (await chooseEngine({ environment, sockets: [] })).open();
    return { ...local, environment: { ...environment, COMPOSE_BACKEND: 'bridge' }, backend };
  }

  describe('an engine over TLS', { timeout: 60_000 }, () => {
    const web = { services: { web: {} } };

    it.each([
      ['DOCKER_HOST', async () => overTls(await folderOf(authority, client)), /^Engine: .*\(TLS\).*DOCKER_HOST$/m],
      ['a context', async () => inContext(await folderOf(authority, client)), /^Engine: .*\(TLS\).*context 'far'/m],
    ])('runs projects through %s', async (_what, variables, named) => {
      const { run, spawn, name } = await engineProject(await throughTls(await variables()), web);
      expect(await (await spawn('up', '-d')).ended).toBe(0);
      expect((await run('ps', '--format', '{{.Name}} {{.State}}')).stdout).toBe(`${name}-web running\n`);
      const exec = await spawn('exec', '-T', 'web', 'sh', '-c', 'echo inside; exit 3');
      expect([await exec.ended, exec.printed()]).toEqual([3, 'inside\n']);
      expect((await run('logs', '--no-log-prefix', 'web')).stdout).toBe('ready\n');
      const version = await spawn('version');
      await version.ended;
      expect(version.printed()).toMatch(named);
      expect(await (await spawn('down')).ended).toBe(0);
      expect((await run('ps', '-a', '-q')).stdout).toBe('');
    });

    it.skipIf(missingBuildx !== undefined).each([
      ['DOCKER_HOST', async () => overTls(await folderOf(authority, client))],
      ['a context', async () => inContext(await folderOf(authority, client))],
      [
        'a context that skips the check',
        async () => inContext(await folderOf(strangers, client), { SkipTLSVerify: true }),
      ],
    ])(`builds with BuildKit through %s${skipped(missingBuildx)}`, async (_what, variables) => {
      const environment = { ...(await variables()), PATH: withPlugin(process.env['PATH'] ?? '') };
      const backend = await (await chooseEngine({ environment, sockets: [] })).openForCommand?.();
      expect(backend && (await logOf(backend, specOf(local, MOUNTED, SECRET)))).toContain('opened');
    });

    it('passes the end of the input to the process of an exec', async () => {
      const engine = await throughTls(overTls(await folderOf(authority, client)));
      const { run, shellOnTerminal } = await engineProject(engine, web);
      await run('up', '-d');
      const shown = await shellOnTerminal('printf "one\\ntwo\\n" | compose exec -T web wc -l');
      await shown.shows('2');
      expect(await shown.ended).toBe(0);
    });

    it('needs no certificate of a context that skips the check', async () => {
      const expected = await reached({ DOCKER_HOST: dockerd.host });
      const stranger = await folderOf(strangers, client);
      expect(await refusal(await inContext(stranger))).toMatch(/not signed by a known authority/);
      expect(await reached(await inContext(stranger, { SkipTLSVerify: true }))).toBe(expected);
    });

    it.each<[string, () => Promise<Variables>, RegExp]>([
      [
        'another authority than that of the engine',
        async () => overTls(await folderOf(strangers, client)),
        /^The certificate of the container engine was not signed by a known authority: check ca\.pem/,
      ],
      [
        'no authority, which leaves those of Node.js',
        async () => overTls(await folderOf(undefined, client)),
        /^The certificate of the container engine was not signed by a known authority: check ca\.pem/,
      ],
      [
        'no client certificate',
        async () => overTls(await folderOf(authority)),
        /^The container engine .* client certificate: cert\.pem and key\.pem are missing/,
      ],
      [
        'a client certificate of another authority',
        async () => overTls(await folderOf(authority, certificates.issue(strangers, 'stranger'))),
        /^The container engine .* client certificate: check that cert\.pem is signed by an authority .* not expired/,
      ],
      [
        'a client certificate that has expired',
        async () => overTls(await folderOf(authority, certificates.expired(authority, 'late'))),
        /^The container engine .* client certificate: check that cert\.pem is signed by an authority .* not expired/,
      ],
      [
        'no TLS at all',
        () => Promise.resolve({ DOCKER_HOST: dockerd.tlsHost }),
        /^The container engine wants TLS: set DOCKER_TLS_VERIFY=1 and DOCKER_CERT_PATH/,
      ],
      [
        'a context without TLS files',
        () => inContext(undefined),
        /^The container engine wants TLS: set DOCKER_TLS_VERIFY=1/,
      ],
    ])('refuses %s, and says so', async (_what, variables, message) => {
      expect(await refusal(await variables())).toMatch(message);
    });

    it.each<[string, (folder: string) => Promise<void>, RegExp]>([
      ['a certificate without its key', (folder) => rm(path.join(folder, 'key.pem')), /cert\.pem but no key\.pem/],
      [
        'a key of another certificate',
        (folder) => copyFile(certificates.issue(authority, 'other').keyFile, path.join(folder, 'key.pem')),
        /cert\.pem and key\.pem .* do not belong together/,
      ],
      [
        'an authority that is none',
        (folder) => writeFile(path.join(folder, 'ca.pem'), 'x'),
        /ca\.pem .*no certificate/,
      ],
      [
        'an authority that cannot be read',
        async (folder) => {
          await rm(path.join(folder, 'ca.pem'));
          await mkdir(path.join(folder, 'ca.pem'));
        },
        /ca\.pem in .* is a directory/,
      ],
    ])('refuses %s before it connects', async (_what, change, message) => {
      const folder = await folderOf(authority, client);
      await change(folder);
      expect(await refusal(overTls(folder))).toMatch(message);
    });

    it.each([
      ['has expired', () => certificates.expired(authority, 'engine'), /^The certificate of .* has expired: renew it/],
      [
        'is for another host',
        () => certificates.issue(authority, 'engine', 'DNS:engine.example'),
        /^The certificate of .* is for another host name/,
      ],
    ])('refuses an engine whose certificate %s', async (_what, server, message) => {
      const engine = await started(server());
      try {
        expect(await refusal(overTls(await folderOf(authority, client), engine.tlsHost))).toMatch(message);
      } finally {
        await engine.remove();
      }
    });
  });
}
