import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openChdb } from '../../../src/analytics/clickhouse/chdb.js';
import type { ClickHouseEngine } from '../../../src/analytics/clickhouse/engine.js';
import { chdbMissing, importConnector } from '../../support/chdb.js';

const importChdb = (): Promise<unknown> => importConnector('chdb');

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'plumbline-chdb-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return join(directory, 'store');
}

async function open(path: string): Promise<ClickHouseEngine> {
  const engine = await openChdb(path, importChdb);
  onTestFinished(() => engine.close());
  return engine;
}

it('names the command that installs the missing package, and can be called again', async () => {
  const missing = (): Promise<unknown> => Promise.reject(new Error('Cannot find package'));
  for (const path of [newDirectory(), newDirectory()]) {
    await expect(openChdb(path, missing)).rejects.toThrow('Run: npm install chdb');
  }
});

describe.skipIf(chdbMissing !== null)(`a directory of chDB ${chdbMissing ?? ''}`, () => {
  it('is one engine for all its users in a process, until the last of them closes it', async () => {
    const path = newDirectory();
    const [one, other] = await Promise.all([openChdb(path, importChdb), open(path)]);
    await one.command('create table t (a UInt8) engine = MergeTree order by a');
    await one.insert('t', [{ a: 7 }]);
    await one.close();
    expect(await other.query('select a from t where a > {a:UInt8}', { a: 1 })).toEqual([[7]]);
  });

  it('leaves threads of the process to others, however many statements its users run', async () => {
    const path = newDirectory();
    const engines = await Promise.all(Array.from({ length: 6 }, () => open(path)));
    let answered = 0;
    const statements = engines.map(async (engine) => {
      await engine.command('select sleep(1)');
      answered += 1;
    });
    await readFile(import.meta.filename);
    expect(answered).toBe(0);
    await Promise.all(statements);
  });

  it('prevents another directory from being opened in the process until it is closed', async () => {
    const [first, second] = [newDirectory(), newDirectory()];
    const engine = await openChdb(first, importChdb);
    await expect(openChdb(second, importChdb)).rejects.toThrow(`this process has ${first} open`);
    await engine.close();
    expect(await (await open(second)).query('select {a:UInt8}', { a: 1 })).toEqual([[1]]);
  });

  it('in use by another process is refused with the id of that process', async () => {
    const path = newDirectory();
    const script = fileURLToPath(new URL('hold-directory.ts', import.meta.url));
    const child = spawn(process.execPath, ['--conditions=@plumbline/source', '--import', 'tsx', script, path], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      await expect(openChdb(path, importChdb)).rejects.toThrow(`process ${child.pid} has it open`);
    } finally {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    }
    // A lock does not survive a killed process.
    expect(await (await open(path)).query('select {a:UInt8}', { a: 1 })).toEqual([[1]]);
  });
});
