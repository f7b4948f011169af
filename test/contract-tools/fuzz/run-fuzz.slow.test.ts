import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runFuzz, type FuzzOptions } from '../../../src/contract-tools/fuzz/run-fuzz.js';
import { closeServer, listen } from '../../../src/contract-tools/listen.js';
import { createShop, type Fault } from './shop.js';

const run = promisify(execFile);
const contract = 'test/contract-tools/shop.yaml';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('finds nothing in a server that does what its contract says', async () => {
  const { code, output, seen } = await fuzz(null);
  expect(output).toMatch(/\d+ requests, 0 findings\.$/);
  expect(output).toMatch(/^✓ createItem {2}allowed: 201 \(\d+\)$/m);
  expect(output).toMatch(/^✓ createItem {2}forbidden: 401 \(\d+\), 422 \(\d+\); \d+ rules not tried$/m);
  expect(code).toBe(0);
  expect(seen.length).toBeGreaterThan(200);
});

const faults: [Fault, string, string, string][] = [
  ['fails at a character beyond ASCII', 'createItem', 'createItem: server error 500', '--data-binary'],
  ['accepts a price of 0', 'createItem', 'accepted with 201, though the body /price must be > 0', '"price":0'],
  [
    'accepts unknown properties',
    'createItem',
    'accepted with 201, though the body must NOT have additional properties',
    'undocumented_member',
  ],
  ['accepts names that are too long', 'createItem', 'the body /name must NOT have more than 40 characters', 'aaa'],
  ['accepts nested items without a name', 'createItem', 'the body /like', '"like"'],
  [
    'accepts a limit beyond the maximum',
    'listItems',
    'accepted with 200, though the query parameter limit is not as documented',
    '?limit=101',
  ],
  ['accepts broken JSON', 'createItem', 'accepted with 201, though the body is not JSON', '--data-binary'],
  [
    'accepts another media type',
    'createItem',
    'though the media type of the body is not documented',
    'application/x-undocumented',
  ],
  [
    'accepts requests without credentials',
    'deleteItem',
    'deleteItem: accepted with 204, though there are no credentials',
    'DELETE',
  ],
  [
    'accepts an undocumented method',
    'listItems',
    '/items: accepted with 200, though the contract has no such method here',
    '-X PATCH',
  ],
  ['sends an undocumented status', 'readItem', 'readItem: not as documented: readItem has no status 206', '/items/'],
  ['refuses with an undocumented status', 'listItems', 'listItems has no status 422', '/items'],
  ['sends a body that breaks its schema', 'readItem', '/name must NOT have fewer than 1 characters', '/items/'],
  ['sends no required header', 'listItems', 'the header X-Total is missing', '/items'],
  ['closes the connection', 'readItem', 'readItem: no reply:', '/items/7'],
];

test.each(faults)('finds a server that %s', async (fault, operation, message, reproduction) => {
  const { code, output } = await fuzz(fault, { tag: [], operation: [operation] });
  expect(output).toContain(message);
  const command = output.split('\n').find((_, index, lines) => lines[index - 1]?.includes(message) === true);
  expect(command).toContain('curl -i');
  expect(command).toContain(reproduction);
  expect(code).toBe(1);
});

test('prints the smallest request that shows a fault, as a command that shows it', async () => {
  const shop = createShop('accepts a price of 0');
  const { origin } = await listen(shop, { host: '127.0.0.1', port: 0 });
  const lines: string[] = [];
  await runFuzz(contract, origin, { ...common, operation: ['createItem'] }, (line) => lines.push(line));
  const command = /curl .*/.exec(lines.join('\n'))?.[0] ?? '';
  // One character is the shortest name.
  expect(command).toMatch(/--data-binary '\{"name":".{1,6}","price":0\}'$/u);
  const { stdout } = await run('bash', ['-c', command], { env: { ...process.env, X_KEY: 'secret-key' } });
  expect(stdout).toContain('201 Created');
  await closeServer(shop);
});

test('sends equal requests for equal seeds, also to one operation alone', async () => {
  const few = { requests: '5' };
  const [one, other] = [await fuzz(null, few), await fuzz(null, few)];
  const another = await fuzz(null, { ...few, seed: '6' });
  expect(other.seen).toEqual(one.seen);
  expect(another.seen).not.toEqual(one.seen);
  const alone = await fuzz(null, { ...few, tag: [], operation: ['createItem'] });
  const creations = (seen: readonly string[]): string[] => seen.filter((each) => each.startsWith('POST /shop/items {'));
  expect(creations(alone.seen)).toEqual(creations(one.seen));
});

test('calls only operations that read, where it is asked to', async () => {
  const { output, seen } = await fuzz(null, { safeOnly: true });
  expect(output).toContain('2 operations that change data are left out.');
  expect(seen.filter((each) => !each.startsWith('GET '))).toEqual([]);
});

test('sends given values of parameters in allowed requests, and skips operations', async () => {
  const { seen, output } = await fuzz(null, {
    parameter: ['id=3'],
    skip: ['createItem'],
    safeOnly: true,
    requests: '5',
  });
  expect(output).toContain('readItem  allowed: 200 (6)');
  expect(seen.filter((each) => each === 'GET /shop/items/3 ').length).toBeGreaterThanOrEqual(5);
  expect(seen.filter((each) => each.startsWith('POST '))).toEqual([]);
});

test('marks and counts what it could not try, in every report', async () => {
  const [junit, json] = [join(folder, 'fuzz.xml'), join(folder, 'fuzz.json')];
  const uploads = join(folder, 'uploads.json');
  writeFileSync(uploads, JSON.stringify(uploadContract));
  const shop = createShop(null);
  const { origin } = await listen(shop, { host: '127.0.0.1', port: 0 });
  const lines: string[] = [];
  const code = await runFuzz(uploads, origin, { seed: '1', requests: '5', junit, json }, (line) => lines.push(line));
  await closeServer(shop);
  const output = lines.join('\n');
  expect(output).toMatch(/^○ upload {2}allowed: not tried$/m);
  expect(output).toMatch(/^○ \/files {2}undocumented method: not tried$/m);
  expect(output).toMatch(/^\d+ requests, 0 findings, 3 not tried\.$/m);
  expect(output).not.toContain('✓ upload  allowed');
  expect(readFileSync(junit, 'utf8')).toContain('name="upload &gt; allowed"><skipped message="not tried');
  const { results } = JSON.parse(readFileSync(json, 'utf8'));
  expect(results).toContainEqual(expect.objectContaining({ name: 'upload', kind: 'allowed', tried: false }));
  expect(code).toBe(0);
});

test('counts the operations that a stopped server left untried', async () => {
  const shop = createShop('closes the connection');
  shop.on('request', () => shop.close());
  const { origin } = await listen(shop, { host: '127.0.0.1', port: 0 });
  const lines: string[] = [];
  const code = await runFuzz(contract, origin, { ...common, operation: [], parameter: ['id=7'] }, (line) => {
    lines.push(line);
  });
  const untried = lines.filter((line) => line.startsWith('○'));
  expect(untried.length).toBeGreaterThan(0);
  expect(lines.at(-1)).toContain(`, ${untried.length} not tried.`);
  expect(code).toBe(1);
});

const uploadContract = {
  openapi: '3.1.0',
  info: { title: 'Uploads', version: '1' },
  paths: {
    '/files': {
      post: {
        operationId: 'upload',
        requestBody: {
          required: true,
          content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
        },
        responses: { 200: { description: 'Stored.' }, '4XX': { description: 'Refused.' } },
      },
    },
  },
};

test('writes JUnit and JSON, and prints no credential', async () => {
  const [junit, json] = [join(folder, 'fuzz.xml'), join(folder, 'fuzz.json')];
  const { output } = await fuzz('accepts a price of 0', { junit, json });
  const xml = readFileSync(junit, 'utf8');
  expect(xml).toMatch(/<testsuite name="fuzz" tests="\d+" failures="[12]">/);
  expect(xml).toContain('<failure message="accepted with 201, though the body /price must be &gt; 0">curl -i');
  expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({ passed: false, seed: 5 });
  expect(output).toContain('-H "X-Key: $X_KEY"');
  expect(`${output}${xml}${readFileSync(json, 'utf8')}`).not.toContain('secret-key');
});

test.each([
  ['an unreachable server', 'http://127.0.0.1:1', {}, 'http://127.0.0.1:1 cannot be reached'],
  ['a wrong address', 'nowhere', {}, 'nowhere is not an address of a server'],
  ['an unknown operation', 'http://127.0.0.1:1', { operation: ['nothing'] }, 'no operation or tag nothing'],
  ['a wrong seed', 'http://127.0.0.1:1', { seed: 'x' }, '--seed must be'],
  ['a wrong number', 'http://127.0.0.1:1', { requests: '0' }, '--requests must be'],
  ['a wrong parameter', 'http://127.0.0.1:1', { parameter: ['id'] }, 'not of the form name=value'],
  ['a wrong header', 'http://127.0.0.1:1', { header: ['nothing'] }, '--header needs'],
  ['a contradiction', 'http://127.0.0.1:1', { safeOnly: true, unsafe: true }, 'exclude each other'],
  ['nothing to call', 'http://127.0.0.1:1', { safeOnly: true, operation: ['deleteItem'] }, 'no operation to call'],
])('refuses %s', async (_, server, options, message) => {
  await expect(runFuzz(contract, server, { requests: '1', ...options }, () => undefined)).rejects.toThrow(message);
});

test('leaves out operations that change data of a server elsewhere, unless --unsafe is given', async () => {
  const lines: string[] = [];
  const server = 'http://shop.invalid';
  await expect(runFuzz(contract, server, common, (line) => lines.push(line))).rejects.toThrow('cannot be reached');
  expect(lines).toEqual(['2 operations that change data are left out; --unsafe includes them.']);
  const unsafe = { ...common, unsafe: true };
  await expect(runFuzz(contract, server, unsafe, (line) => lines.push(line))).rejects.toThrow('cannot be reached');
  expect(lines).toHaveLength(1);
});

const common: FuzzOptions = {
  seed: '5',
  requests: '40',
  header: ['X-Key: secret-key'],
  tag: ['items'],
  operation: ['deleteItem'],
};

async function fuzz(
  fault: Fault | null,
  options: Partial<FuzzOptions> = {},
): Promise<{ code: number; output: string; seen: string[] }> {
  const seen: string[] = [];
  const server = createShop(fault, seen);
  const { origin } = await listen(server, { host: '127.0.0.1', port: 0 });
  const lines: string[] = [];
  try {
    const code = await runFuzz(contract, origin, { ...common, ...options }, (line) => lines.push(line));
    return { code, output: lines.join('\n'), seen };
  } finally {
    await closeServer(server);
  }
}
