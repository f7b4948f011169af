import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inTurn, TurnTakenError } from '../../src/contract/in-turn.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-turn-'));
  path = join(folder, 'thing');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('Of many who want to work on a file, one at a time does, and all get to it', async () => {
  let atWork = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++atWork);
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    atWork--;
  };
  await Promise.all(Array.from({ length: 10 }, () => inTurn(path, work)));
  expect(most).toBe(1);
  expect(await readdir(folder)).toEqual([]);
});

test('A failure of the work is the caller’s, and ends the turn', async () => {
  await expect(inTurn(path, () => Promise.reject(new Error('spilt')))).rejects.toThrow('spilt');
  expect(await inTurn(path, () => Promise.resolve('mopped'))).toBe('mopped');
  expect(await readdir(folder)).toEqual([]);
});

test('The ticket of a process that was killed holds nobody up', async () => {
  const gone = spawn(process.execPath, ['-e', '']);
  await once(gone, 'exit');
  await writeFile(join(folder, `.thing.turn-${String(gone.pid)}-1`), '');
  expect(await inTurn(path, () => Promise.resolve('done'))).toBe('done');
  expect(await readdir(folder)).toEqual([]);
});

test('A process that keeps the turn is named, after many tries', async () => {
  const ticket = join(folder, `.thing.turn-${process.pid}-1`);
  await writeFile(ticket, '');
  let pauses = 0;
  const pause = (): Promise<void> => {
    pauses++;
    return Promise.resolve();
  };
  const refused = await inTurn(path, () => Promise.resolve(), pause).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(TurnTakenError);
  expect(refused).toMatchObject({ heldBy: ticket, message: expect.stringContaining(path) });
  expect(pauses).toBe(200);
});
