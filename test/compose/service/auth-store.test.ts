import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addClient, removeClient } from '../../../src/compose/service/auth-store-edits.js';
import { openAuthStore, readAuthStore } from '../../../src/compose/service/auth-store.js';
import { systemClock } from '../../../src/compose/runtime/clock.js';
import { createCertificates, missingOpenssl, type Certificate, type Certificates } from '../../support/certificates.js';
import { captureLog } from '../../support/captured-log.js';

const robins = 'AA:'.repeat(31) + 'AA';
const kims = 'BB:'.repeat(31) + 'BB';
const at = '2026-01-31T10:00:00Z';
const robin = { name: 'robin', fingerprint256: robins, created_at: at };
const kim = { name: 'kim', fingerprint256: kims, created_at: at };

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-store-'));
  path = join(folder, 'clients.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const store = (content: unknown, mode = 0o600): Promise<void> =>
  writeFile(path, typeof content === 'string' ? content : JSON.stringify(content), { mode });

describe('reading the auth store', () => {
  it('returns the clients', async () => {
    await store([robin, kim]);
    expect(await readAuthStore(path)).toEqual([robin, kim]);
  });

  it('also accepts a fingerprint as other tools print it', async () => {
    await store([{ ...robin, fingerprint256: robins.replaceAll(':', '').toLowerCase() }]);
    expect(await readAuthStore(path)).toEqual([robin]);
  });

  it('finds no clients without a file', async () => {
    expect(await readAuthStore(path)).toEqual([]);
  });

  it('refuses two clients with one name', async () => {
    await store([robin, { ...kim, name: 'robin' }]);
    await expect(readAuthStore(path)).rejects.toMatchObject({
      error: 'AuthStoreError',
      case: 'duplicateName',
      fields: { name: 'robin' },
    });
  });

  it('refuses two clients with one certificate', async () => {
    await store([robin, { ...kim, fingerprint256: robins.toLowerCase() }]);
    await expect(readAuthStore(path)).rejects.toMatchObject({
      error: 'AuthStoreError',
      case: 'duplicateFingerprint',
      fields: { name: 'kim', other: 'robin' },
    });
  });

  it.each([
    ['', 'it is not JSON'],
    ['[{"name": "robin",', 'it is not JSON'],
    ['{}', 'it is not a JSON array'],
    ['null', 'it is not a JSON array'],
    ['["robin"]', 'entry 1 is not an object'],
    [[robin, null], 'entry 2 is not an object'],
    [[{ ...robin, name: '' }], 'entry 1 has no name'],
    [[{ ...robin, name: 'rob\u001bin' }], 'entry 1 has no name'],
    [[{ ...robin, name: 7 }], 'entry 1 has no name'],
    [[{ ...robin, fingerprint256: 'AA:BB' }], 'entry 1 has no SHA-256 fingerprint'],
    [[{ name: 'robin', created_at: at }], 'entry 1 has no SHA-256 fingerprint'],
    [[{ ...robin, created_at: 'yesterday' }], 'entry 1 has no created_at'],
    [[{ ...robin, created_at: '2026-02-45T10:00:00Z' }], 'entry 1 has no created_at'],
    [[{ ...robin, role: 'admin' }], 'entry 1 has an unknown member'],
  ])('refuses a file that cannot be decoded: %j', async (content, reason) => {
    await store(content);
    await expect(readAuthStore(path)).rejects.toMatchObject({
      error: 'AuthStoreError',
      case: 'malformedFile',
      fields: { path, reason: expect.stringContaining(reason) },
    });
  });

  it('refuses a folder', async () => {
    await expect(readAuthStore(folder)).rejects.toMatchObject({ error: 'AuthStoreError' });
  });

  it.each([0o640, 0o604, 0o660, 0o666, 0o610])(
    'refuses a file with mode %o, which others can access, and says what to do',
    async (mode) => {
      await store([robin]);
      await chmod(path, mode);
      await expect(readAuthStore(path)).rejects.toMatchObject({
        case: 'loosePermissions',
        message: expect.stringMatching(/mode 0\d{3}.*chmod 600/),
      });
    },
  );

  it('never quotes the content of the file', async () => {
    await store('[{"name":"robin","fingerprint256":"hunter2"}] hunter2');
    const error: unknown = await readAuthStore(path).catch((thrown: unknown) => thrown);
    expect(String(error)).not.toContain('hunter2');
  });
});

describe('the auth store of a running server', () => {
  it('finds a client by its certificate, and no other', async () => {
    await store([robin]);
    const open = await openAuthStore(path, captureLog().log);
    expect(await open.find(robins)).toEqual(robin);
    expect(await open.find(kims)).toBeNull();
  });

  it('does not open without a file', async () => {
    await expect(openAuthStore(path, captureLog().log)).rejects.toMatchObject({ case: 'malformedFile' });
  });

  it('sees added and removed clients at once', async () => {
    await store([robin]);
    const open = await openAuthStore(path, captureLog().log);
    await store([kim]);
    expect([await open.find(robins), await open.find(kims)]).toEqual([null, kim]);
    await rm(path);
    await store([robin]);
    expect([await open.find(robins), await open.find(kims)]).toEqual([robin, null]);
  });

  it.each([
    ['can no longer be decoded', () => store('[')],
    ['others may read by now', () => chmod(path, 0o644)],
    ['is gone', () => rm(path)],
  ])('refuses all clients while the file %s, logs it once, and recovers', async (_, spoil) => {
    await store([robin]);
    const { log, lines } = captureLog();
    const open = await openAuthStore(path, log);
    await spoil();
    expect([await open.find(robins), await open.find(robins)]).toEqual([null, null]);
    expect(lines.filter((line) => line.includes('"level":50'))).toHaveLength(1);
    await rm(path, { force: true });
    await store([robin]);
    expect(await open.find(robins)).toEqual(robin);
  });
});

const missing = missingOpenssl();
describe.skipIf(missing !== null)(`editing the auth store${missing === null ? '' : ` (${missing})`}`, () => {
  let certificates: Certificates;
  let one: Certificate;
  beforeAll(async () => {
    certificates = await createCertificates();
    one = certificates.authority('one');
  });
  afterAll(() => certificates.remove());

  const add = (name: string, { cert }: Certificate): Promise<unknown> =>
    addClient(path, { name, certificate: Buffer.from(cert) }, systemClock);

  it('creates the file and its folders with access for the owner only', async () => {
    path = join(folder, 'new', 'clients.json');
    await add('robin', one);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'new'))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(folder, 'new'))).toEqual(['clients.json']);
  });

  it('does not change the store if the name or the certificate exists', async () => {
    await add('robin', one);
    const before = await readFile(path, 'utf8');
    await expect(add('robin', certificates.authority('two'))).rejects.toMatchObject({ case: 'duplicateName' });
    await expect(add('kim', one)).rejects.toMatchObject({ case: 'duplicateFingerprint' });
    expect(await readFile(path, 'utf8')).toBe(before);
    expect(await readdir(folder)).toEqual(['clients.json']);
  });

  it('refuses a file that is not a certificate, such as a key, and an invalid name', async () => {
    const key = { ...one, cert: one.key };
    await expect(add('robin', key)).rejects.toMatchObject({ name: 'InvalidClient' });
    await expect(add(' ', one)).rejects.toMatchObject({ name: 'InvalidClient' });
    expect(await readdir(folder)).toEqual([]);
  });

  it('removes a client, and reports an unknown name', async () => {
    await add('robin', one);
    await removeClient(path, 'robin', systemClock);
    expect(await readAuthStore(path)).toEqual([]);
    await expect(removeClient(path, 'robin', systemClock)).rejects.toMatchObject({ case: 'clientNotFound' });
  });

  it('does not overwrite a store that is malformed or that others can access', async () => {
    await store('[');
    await expect(add('robin', one)).rejects.toMatchObject({ case: 'malformedFile' });
    await store([]);
    await chmod(path, 0o644);
    await expect(add('robin', one)).rejects.toMatchObject({ case: 'loosePermissions' });
    expect(await readFile(path, 'utf8')).toBe('[]');
  });

  it('edits the file that a symbolic link leads to, not the link', async () => {
    await store([]);
    await symlink(path, join(folder, 'link.json'));
    await addClient(join(folder, 'link.json'), { name: 'robin', certificate: Buffer.from(one.cert) }, systemClock);
    expect(await readAuthStore(path)).toHaveLength(1);
  });

  it('loses no change of simultaneous edits', { timeout: 60_000 }, async () => {
    const all = Array.from({ length: 12 }, (_, index) => certificates.authority(`client ${index}`));
    await add('robin', one);
    await Promise.all([
      ...all.map((each, index) => add(`client ${index}`, each)),
      removeClient(path, 'robin', systemClock),
    ]);
    const names = (await readAuthStore(path)).map(({ name }) => name);
    expect(names.sort()).toEqual(all.map((_, index) => `client ${index}`).sort());
    expect(await readdir(folder)).toEqual(['clients.json']);
  });

  it('resumes after a command was killed', async () => {
    const gone = spawn(process.execPath, ['-e', '']);
    await once(gone, 'exit');
    await writeFile(join(folder, `.clients.json.lock-${String(gone.pid)}-x`), '');
    await add('robin', one);
    expect(await readdir(folder)).toEqual(['clients.json']);
  });

  it('gives up with the name of the lock file if another command never ends', async () => {
    const lockFile = join(folder, `.clients.json.lock-${process.pid}-x`);
    await writeFile(lockFile, '');
    const clock = { now: () => new Date(), sleep: () => Promise.resolve() };
    const adding = addClient(path, { name: 'robin', certificate: Buffer.from(one.cert) }, clock);
    await expect(adding).rejects.toMatchObject({ case: 'locked', message: expect.stringContaining(lockFile) });
  });
});
