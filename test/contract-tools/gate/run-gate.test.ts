import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runGate, type GateOptions } from '../../../src/contract-tools/gate/run-gate.js';
import { createLibrary, requests, type Fault } from './library.js';

const contract = 'test/contract-tools/gate/library.yaml';
let folder: string;
let exceptions: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gate-'));
  exceptions = join(folder, 'exceptions.yaml');
  writeFileSync(join(folder, 'requests.mjs'), requests);
  writeFileSync(exceptions, '- unit: api > POST /books > 4XX > application/json\n  reason: The server accepts all.\n');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('a server that does what its contract documents passes', async () => {
  const { code, output } = await gate(null);
  expect(output).toContain('api: 6 of 7 documented units seen (85.7 %), 1 excepted');
  expect(output).toContain('The contract gate is green.');
  expect(code).toBe(0);
});

const faults: [Fault, string][] = [
  ['undocumented status', 'listBooks has no status 206'],
  ['undocumented operation', 'GET /v2/debug: requests that match no operation has no status 200'],
  ['undocumented property', '(secret)'],
  ['undocumented media type', 'application/vnd.book+json is not documented'],
  ['undocumented body', 'deleteBook has no status 200'],
  ['wrong type', '/0/title must be string'],
  ['null where not nullable', '/0/title must be string'],
  ['below an exclusive minimum', '/0/price must be > 0'],
  ['missing property', "must have required property 'id'"],
  ['missing header', 'the header X-Total is missing'],
  ['wrong header', 'the header X-Total is not as documented'],
  ['broken JSON', 'the body is not JSON'],
  ['reply that is never sent', 'missing: api > POST /books > 201 > application/json'],
];

test.each(faults)('reports: %s', async (fault, message) => {
  const { code, output } = await gate(fault);
  expect(output).toContain(message);
  expect(code).toBe(1);
});

test('writes JUnit and JSON', async () => {
  const [junit, json] = [join(folder, 'gate.xml'), join(folder, 'gate.json')];
  await gate('wrong type', { junit, json });
  const xml = readFileSync(junit, 'utf8');
  expect(xml).toMatch(
    /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites>\n<testsuite name="api" tests="\d+" failures="\d+">/,
  );
  expect(xml).toContain('<failure message="missing"/>');
  expect(xml).toContain('<skipped message="The server accepts all."/>');
  expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({ passed: false, surfaces: [{ name: 'api' }] });
});

test('records no credentials and no values', async () => {
  const observations = join(folder, 'seen');
  const { output } = await gate('wrong type', { observations });
  const recorded = readdirSync(join(observations, 'api')).map((file) =>
    readFileSync(join(observations, 'api', file), 'utf8'),
  );
  expect(recorded.join('')).toContain('deleteBook');
  expect(`${recorded.join('')}${output}`).not.toContain('hidden');
  expect(recorded.join('')).not.toContain('Emma');
});

test('judges the observations of earlier runs without a server', async () => {
  const observations = join(folder, 'seen');
  await gate(null, { observations });
  const lines: string[] = [];
  expect(await runGate(contract, { listen: '0', observations, exceptions }, (line) => lines.push(line))).toBe(0);
});

test('fails when the command fails', async () => {
  const { code, output } = await gate(null, { run: `node ${join(folder, 'requests.mjs')} && exit 3` });
  expect(output).toContain('The command failed.');
  expect(code).toBe(1);
});

test.each([
  ['an unreachable server', contract, { target: 'http://127.0.0.1:1' }, 'http://127.0.0.1:1 cannot be reached'],
  ['a wrong address', contract, { target: 'nowhere' }, 'nowhere is not an address of a server'],
  ['nothing to judge', contract, {}, 'Say with --target'],
  ['a missing contract', 'missing.yaml', {}, 'missing.yaml cannot be read'],
  ['a contract that is none', 'package.json', {}, 'package.json is not an OpenAPI 3 document'],
  ['an unreadable list', contract, { exceptions: 'missing.yaml' }, 'The exceptions cannot be read'],
])('refuses %s', async (_, path, options, message) => {
  await expect(runGate(path, { listen: '127.0.0.1:0', ...options }, () => undefined)).rejects.toThrow(message);
});

test.each([
  ['a file outside of the folder', '../outside.yaml', 'outside of'],
  ['another server', 'https://schemas.example/book.yaml', 'Save it below'],
])('a contract may not refer to %s', async (_, reference, message) => {
  writeFileSync(join(tmpdir(), 'outside.yaml'), 'type: string\n');
  const path = join(folder, 'contract.yaml');
  writeFileSync(path, `openapi: 3.1.0\npaths: { /x: { get: { responses: { '200': { $ref: '${reference}' } } } } }\n`);
  await expect(runGate(path, { listen: '0' }, () => undefined)).rejects.toThrow(message);
});

async function gate(
  fault: Fault | null,
  options: Partial<GateOptions> = {},
): Promise<{ code: number; output: string }> {
  const server = createLibrary(fault).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const lines: string[] = [];
  const code = await runGate(
    contract,
    {
      target: `http://127.0.0.1:${port}`,
      listen: '127.0.0.1:0',
      run: `node ${join(folder, 'requests.mjs')}`,
      exceptions,
      ...options,
    },
    (line) => lines.push(line),
  );
  server.close();
  server.closeAllConnections();
  return { code, output: lines.join('\n') };
}
