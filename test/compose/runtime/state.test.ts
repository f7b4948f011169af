import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RuntimeError } from '../../../src/compose/runtime/errors.js';
import { durableStopMarks } from '../../../src/compose/runtime/state.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plt-state-'));
});
afterEach(async () => {
  await chmod(directory, 0o700);
  await rm(directory, { recursive: true });
});

const mark = { run: 1000, until: 2000 };

async function filesBelow(path: string): Promise<string[]> {
  const found = await readdir(path, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe('durable stop marks', () => {
  it('are read back by another process', async () => {
    await durableStopMarks(directory).write('engine', 'abc', mark);
    expect(await durableStopMarks(directory).read('abc')).toEqual(mark);
  });

  it('are separate for each container, and independent of the address of its engine', async () => {
    const marks = durableStopMarks(directory);
    await marks.write('engine', 'abc', mark);
    expect(await marks.read('abd')).toBeUndefined();
    await marks.write('the same engine elsewhere', 'abc', { run: 7, until: 8 });
    expect(await marks.read('abc')).toEqual({ run: 7, until: 8 });
  });

  it('are files and directories that only their owner can access', async () => {
    await durableStopMarks(join(directory, 'deep')).write('engine', 'abc', mark);
    const [file = ''] = await filesBelow(directory);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o700);
  });

  it('are all stored when a hundred are written at once, without temporary files left', async () => {
    const marks = durableStopMarks(directory);
    const ids = Array.from({ length: 100 }, (_, number) => `id${number}`);
    await Promise.all(ids.map((id, run) => marks.write('engine', id, { run, until: 0 })));
    const read = await Promise.all(ids.map((id) => marks.read(id)));
    expect(read.map((one) => one?.run)).toEqual(ids.map((_, run) => run));
    expect(await filesBelow(directory)).toHaveLength(100);
  });

  it('are complete when one is written many times at once', async () => {
    const marks = durableStopMarks(directory);
    const runs = Array.from({ length: 50 }, (_, run) => run);
    await Promise.all(runs.map((run) => marks.write('engine', 'abc', { run, until: run })));
    const read = await marks.read('abc');
    expect(runs).toContain(read?.run);
    expect(read?.until).toBe(read?.run);
  });

  it('are erased, and pruned when their containers no longer exist', async () => {
    const marks = durableStopMarks(directory);
    const many = Array.from({ length: 200 }, (_, index) => `more${index}`);
    await Promise.all(['one', 'two', 'three', ...many].map((id) => marks.write('engine', id, mark)));
    await marks.write('other', 'four', mark);
    await marks.erase('one');
    await marks.erase('one');
    await marks.prune('engine', () => Promise.resolve(new Set(['three'])));
    expect(await marks.read('one')).toBeUndefined();
    expect(await marks.read('two')).toBeUndefined();
    expect(await marks.read('three')).toEqual(mark);
    expect(await marks.read('four')).toEqual(mark);
  });

  it('are pruned only when there are many, because pruning lists every container', async () => {
    const marks = durableStopMarks(directory);
    await marks.write('engine', 'one', mark);
    await marks.prune('engine', () => Promise.reject(new Error('asked')));
    await marks.prune('unknown', () => Promise.reject(new Error('asked')));
    expect(await marks.read('one')).toEqual(mark);
  });

  it('can be written during a pruning', async () => {
    const marks = durableStopMarks(directory);
    const old = Array.from({ length: 200 }, (_, index) => `old${index}`);
    await Promise.all(old.map((id) => marks.write('engine', id, mark)));
    const fresh = Array.from({ length: 200 }, (_, index) => `new${index}`);
    await Promise.all([
      ...fresh.map((id) => marks.write('engine', id, mark)),
      marks.prune('engine', () => Promise.resolve(new Set(fresh))),
    ]);
    for (const id of fresh) expect(await marks.read(id)).toEqual(mark);
  });

  it('are ignored if the file is truncated or of another program', async () => {
    const marks = durableStopMarks(directory);
    await marks.write('engine', 'abc', mark);
    const [file = ''] = await filesBelow(directory);
    for (const content of ['', '{"run": 1', '[]', '{"run":"1","until":2}', 'null']) {
      await writeFile(file, content);
      expect(await marks.read('abc')).toBeUndefined();
    }
  });

  it('stay inside their directory for any id', async () => {
    const marks = durableStopMarks(join(directory, 'inner'));
    await marks.write('engine', '../../outside', mark);
    expect(await marks.read('../../outside')).toEqual(mark);
    expect(await readdir(directory)).toEqual(['inner']);
  });

  it('that cannot be written are a persistenceFailure with the reason and without a path', async () => {
    const blocked = join(directory, 'file');
    await writeFile(blocked, '');
    const error = await durableStopMarks(join(blocked, 'below'))
      .write('engine', 'abc', mark)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RuntimeError);
    expect((error as RuntimeError).failure).toEqual({
      case: 'persistenceFailure',
      message: 'The state of a stop could not be written (ENOTDIR).',
    });
  });

  it('that exist but cannot be read are a persistenceFailure', async () => {
    const marks = durableStopMarks(directory);
    await marks.write('engine', 'abc', mark);
    const [file = ''] = await filesBelow(directory);
    await rm(file);
    await mkdir(file);
    await expect(marks.read('abc')).rejects.toMatchObject({ failure: { case: 'persistenceFailure' } });
  });
});
