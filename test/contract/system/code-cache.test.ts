/** The code cache of commands, in separate processes: it is written when a process exits. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codeCacheFolder } from '../../../src/contract/system/code-cache.js';

const run = promisify(execFile);

/** Runs the bundle, and prints what it exports and whether V8 took the cache. */
const RUNNER = `
import vm from 'node:vm';
import { runCached } from './code-cache.js';
const [file, folder, command] = process.argv.slice(2);
let taken;
const { Script } = vm;
vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options);
    taken = options.cachedData !== undefined && this.cachedDataRejected === false;
  }
};
const { exports, keep } = runCached({ file, folder: folder === '' ? undefined : folder });
keep(command);
console.log(JSON.stringify({ answer: exports.answer(), taken }));
`;

const bundle = (hash: string, answer: number): string =>
  `// ${hash}\n(function (exports, require, module, __filename, __dirname) {\nexports.answer = () => ${answer};\n})`;

describe('the code cache', () => {
  let root = '';
  let cache = '';
  let file = '';

  beforeAll(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'plumbline-code-cache-'));
    const common = { format: 'esm', platform: 'node', logLevel: 'warning' } as const;
    await build({
      ...common,
      entryPoints: ['src/contract/system/code-cache.ts'],
      outfile: path.join(root, 'code-cache.js'),
    });
    await writeFile(path.join(root, 'package.json'), '{"type":"module"}');
    await writeFile(path.join(root, 'run.js'), RUNNER);
  });

  beforeEach(async () => {
    cache = path.join(await mkdtemp(path.join(root, 'home-')), 'code-cache');
    file = path.join(root, 'bundle.cjs');
    await writeFile(file, bundle('0123456789abcdef', 42));
  });

  afterAll(() => rm(root, { recursive: true }));

  async function answered(command = 'ps', folder = cache): Promise<unknown> {
    const { stdout } = await run(process.execPath, [path.join(root, 'run.js'), file, folder, command]);
    return JSON.parse(stdout);
  }

  async function cacheFile(): Promise<string> {
    const [name = ''] = await readdir(cache);
    return path.join(cache, name);
  }

  const fresh = { answer: 42, taken: false };
  const cached = { answer: 42, taken: true };

  it('is used by the second run, and only this user can read or write it', async () => {
    expect(await answered()).toStrictEqual(fresh);
    expect(await answered()).toStrictEqual(cached);
    expect((await stat(cache)).mode & 0o777).toBe(0o700);
    expect((await stat(await cacheFile())).mode & 0o777).toBe(0o600);
  });

  it('is extended by each further command, once', async () => {
    await answered('ps');
    await answered('up');
    const { mtimeMs } = await stat(await cacheFile());
    await answered('ps');
    expect((await readFile(await cacheFile(), 'latin1')).split('\n', 1)).toStrictEqual(['ps up']);
    expect((await stat(await cacheFile())).mtimeMs).toBe(mtimeMs);
    expect(await readdir(cache)).toHaveLength(1);
  });

  it('is not used for another bundle, even one of the same length', async () => {
    await answered();
    await writeFile(file, bundle('fedcba9876543210', 43));
    expect(await answered()).toStrictEqual({ answer: 43, taken: false });
    expect(await answered()).toStrictEqual({ answer: 43, taken: true });
  });

  it('is replaced if V8 refuses it, for example after a change of Node.js', async () => {
    await answered();
    await writeFile(await cacheFile(), 'ps\nnot for this V8');
    expect(await answered()).toStrictEqual(fresh);
    expect(await answered()).toStrictEqual(cached);
  });

  it('is replaced if it is truncated', async () => {
    await answered();
    const whole = await readFile(await cacheFile());
    await writeFile(await cacheFile(), whole.subarray(0, whole.length - 100));
    expect(await answered()).toStrictEqual(fresh);
    expect(await answered()).toStrictEqual(cached);
  });

  it('is not used when others can write the file or its folder', async () => {
    await answered();
    await chmod(await cacheFile(), 0o666);
    expect(await answered()).toStrictEqual(fresh);
    expect(await answered()).toStrictEqual(cached);
    await chmod(cache, 0o777);
    expect(await answered()).toStrictEqual(fresh);
  });

  it('is skipped if it cannot be written', async () => {
    await mkdir(path.dirname(cache), { recursive: true });
    await writeFile(cache, 'a file in the place of the folder');
    expect(await answered()).toStrictEqual(fresh);
    expect(await answered('ps', '')).toStrictEqual(fresh);
  });

  it('is stored below PLUMBLINE_HOME, else in the cache directory of the user', () => {
    expect(codeCacheFolder({ PLUMBLINE_HOME: '/data' })).toBe('/data/code-cache');
    expect(codeCacheFolder({ XDG_CACHE_HOME: '/caches', HOME: '/home/a' })).toBe('/caches/plumbline');
    expect(codeCacheFolder({ XDG_CACHE_HOME: 'relative', HOME: '/home/a' })).toBe('/home/a/.cache/plumbline');
    expect(codeCacheFolder({ HOME: '/home/a', NODE_DISABLE_COMPILE_CACHE: '1' })).toBeUndefined();
  });
});
