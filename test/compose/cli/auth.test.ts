import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCertificates, missingOpenssl, type Certificate, type Certificates } from '../../support/certificates.js';
import { commandLine } from './command-line.js';

const missing = missingOpenssl();
describe.skipIf(missing !== null)(`compose auth${missing === null ? '' : ` (${missing})`}`, () => {
  let certificates: Certificates;
  let robin: Certificate;
  beforeAll(async () => {
    certificates = await createCertificates();
    robin = certificates.authority('robin');
  });
  afterAll(() => certificates.remove());

  it('adds, lists and removes clients', async () => {
    const { run, folder } = await commandLine({});
    const store = ['--auth-store', 'clients.json'];
    expect(await run('auth', 'list', ...store)).toMatchObject({
      code: 0,
      stdout: 'NAME   ADDED   FINGERPRINT (SHA-256)\n',
    });
    expect(await run('auth', 'add', 'robin', '--cert', robin.certFile, ...store)).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect((await stat(join(folder, 'clients.json'))).mode & 0o777).toBe(0o600);
    const listed = await run('auth', 'list', '--format', 'json', ...store);
    expect(JSON.parse(listed.stdout)).toEqual([
      {
        name: 'robin',
        fingerprint256: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
        created_at: expect.any(String),
      },
    ]);
    expect(await run('auth', 'remove', 'robin', ...store)).toEqual({
      code: 0,
      stdout: "Removed 'robin'\n",
      stderr: '',
    });
    expect(await readFile(join(folder, 'clients.json'), 'utf8')).toBe('[]\n');
  });

  it('keeps the store in the place that COMPOSE_AUTH_STORE or PLUMBLINE_HOME names', async () => {
    const named = await commandLine({}, { environment: { COMPOSE_AUTH_STORE: 'there.json', PLUMBLINE_HOME: 'home' } });
    await named.run('auth', 'add', 'robin', '--cert', robin.certFile);
    expect(await readFile(join(named.folder, 'there.json'), 'utf8')).toContain('robin');
    const home = await commandLine({}, { environment: { PLUMBLINE_HOME: 'home' } });
    await home.run('auth', 'add', 'robin', '--cert', robin.certFile);
    expect(await readFile(join(home.folder, 'home/compose/clients.json'), 'utf8')).toContain('robin');
  });

  it('exits with 1 if the store refuses a change', async () => {
    const { run, folder } = await commandLine({});
    const store = ['--auth-store', 'clients.json'];
    await run('auth', 'add', 'robin', '--cert', robin.certFile, ...store);
    expect(await run('auth', 'add', 'kim', '--cert', robin.certFile, ...store)).toEqual({
      code: 1,
      stdout: '',
      stderr: "Clients 'robin' and 'kim' have the same certificate; certificates must be unique.\n",
    });
    expect(await run('auth', 'remove', 'kim', ...store)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("No client 'kim'"),
    });
    await writeFile(join(folder, 'loose.json'), '[]', { mode: 0o644 });
    expect(await run('auth', 'list', '--auth-store', 'loose.json')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('chmod 600'),
    });
  });

  it('exits with 2 for wrong usage', async () => {
    const { run } = await commandLine({ 'key.pem': robin.key });
    expect(await run('auth', 'add', 'robin')).toMatchObject({ code: 2, stderr: expect.stringContaining('--cert') });
    expect(await run('auth', 'add', 'robin', '--cert', 'none.pem')).toMatchObject({
      code: 2,
      stderr: "--cert: 'none.pem' does not exist.\n",
    });
    expect(await run('auth', 'add', 'robin', '--cert', 'key.pem')).toMatchObject({
      code: 2,
      stderr: 'The file does not contain an X.509 certificate in PEM or DER.\n',
    });
  });
});
