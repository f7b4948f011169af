import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { runFuzz } from '../../src/contract-tools/fuzz/run-fuzz.js';
import { runGate } from '../../src/contract-tools/gate/run-gate.js';
import { petstoreContract, startPetstore, withoutPetstore, type Change, type Reply } from './petstore.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'petstore-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe.skipIf(withoutPetstore !== '')(`A server and a contract that others wrote${withoutPetstore}`, () => {
  test('differ: media types, and errors without the required properties', async () => {
    const { gate, fuzz } = await judge();
    for (const output of [gate, fuzz])
      expect(output).toContain('findPets 400: the media type text/plain is not documented (application/json)');
    expect(gate).toContain('addPet 201: the media type text/plain is not documented (application/json)');
    expect(gate).toContain('The contract gate is RED.');
  });

  test('agree once replies are repaired', async () => {
    const { gate, fuzz } = await judge(repaired);
    expect(gate).toContain('api: 8 of 8 documented units seen (100 %)');
    expect(gate).toContain('The contract gate is green.');
    expect(fuzz).toMatch(/ 0 findings\.$/);
  });

  const json = (body: unknown, status = 200): Reply => ({
    status,
    type: 'application/json',
    body: JSON.stringify(body),
  });
  const inReplies: [string, Change, string, string][] = [
    [
      'another status',
      (reply, { method }) => (method === 'DELETE' && reply.status === 204 ? { ...reply, status: 205 } : reply),
      'deletePet 205',
      'deletePet 205',
    ],
    [
      'another media type',
      (reply) => (reply.type === undefined ? reply : { ...reply, type: 'application/xml' }),
      'the media type application/xml is not documented',
      'the media type application/xml is not documented',
    ],
    [
      'a body without a required property',
      (reply, { method }) => (method === 'POST' && reply.status === 200 ? json({ name: 'a' }) : reply),
      "must have required property 'id'",
      "must have required property 'id'",
    ],
    [
      'an error without a required property',
      (reply) => (reply.status >= 400 ? json({ message: 'no' }, reply.status) : reply),
      "must have required property 'code'",
      "must have required property 'code'",
    ],
    [
      'no check of requests',
      (reply, { method, url }) => (method === 'GET' && url.includes('?') && reply.status === 400 ? json([]) : reply),
      'missing: api > findPets > default',
      'findPets: accepted with 200, though the query parameter limit is not as documented',
    ],
    [
      'server errors for tags beyond ASCII',
      (reply, { url }) => (/%[C-F]/.test(url) ? json({ code: 500, message: 'no' }, 500) : reply),
      // The gate sees what the tests ask for.
      'The contract gate is green.',
      'server error 500',
    ],
  ];
  test.each(inReplies)('A fault in replies is found: %s', async (_, change, seenByGate, seenByFuzz) => {
    const { gate, fuzz } = await judge((reply, asked) => change(repaired(reply, asked), asked));
    expect(gate).toContain(seenByGate);
    expect(fuzz).toContain(seenByFuzz);
  });

  const inContract: [string, (paths: Paths) => void, string, string][] = [
    [
      'a default that is not documented',
      (paths) => delete paths['/pets/{id}']?.['get']?.responses['default'],
      'findPetByID has no status 404',
      'findPetByID has no status 400',
    ],
    [
      'a status that is never sent',
      (paths) => (responsesOf(paths, '/pets', 'post')['409'] = { description: 'It exists.' }),
      'missing: api > addPet > 409',
      // The fuzzer does not look for what is never sent.
      ' 0 findings.',
    ],
    [
      'an operation that the server does not have',
      (paths) => (paths['/owners'] = { get: { responses: { '200': { description: 'The owners.' } } } }),
      'missing: api > GET /owners > 200',
      'GET /owners has no status 400',
    ],
    [
      'an operation that is not documented',
      (paths) => delete paths['/pets/{id}']?.['delete'],
      'DELETE /pets/1000: requests that match no operation has no status 204',
      '/pets/{id}: accepted with 204, though the contract has no such method here',
    ],
  ];
  test.each(inContract)('A fault in the contract is found: %s', async (_, change, seenByGate, seenByFuzz) => {
    const { gate, fuzz } = await judge(repaired, change);
    expect(gate).toContain(seenByGate);
    expect(fuzz).toContain(seenByFuzz);
  });
});

interface Operation {
  readonly responses: Record<string, unknown>;
}
type Paths = Record<string, Record<string, Operation>>;

function responsesOf(paths: Paths, path: string, method: string): Record<string, unknown> {
  const operation = paths[path]?.[method];
  if (operation === undefined) throw new Error(`no ${method} ${path}`);
  return operation.responses;
}

/** As the contract documents them: JSON by its name, created pets as 200, an empty list, errors as objects. */
const repaired: Change = ({ status, type, body }, { method }) => {
  if (type === undefined) return { status, type, body };
  const isJson = /^[[{n]/.test(body);
  const repairedBody = isJson ? body.replace(/^null\s*$/, '[]') : JSON.stringify({ code: status, message: body });
  return { status: method === 'POST' && status === 201 ? 200 : status, type: 'application/json', body: repairedBody };
};

const requests = `
const ask = async (method, path, body) => {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  await (await fetch(process.env.GATE_URL + path, { method, headers, body })).arrayBuffer();
};
for (const path of ['/pets', '/pets?limit=x', '/pets/1000', '/pets/1']) await ask('GET', path);
for (const body of ['{"name":"second","tag":"cat"}', '{}']) await ask('POST', '/pets', body);
for (const path of ['/pets/1000', '/pets/1000']) await ask('DELETE', path);
`;

/** What the gate and the fuzzer print, each about a server that has just started. */
async function judge(
  change: Change = (reply) => reply,
  changeContract: (paths: Paths) => void = () => undefined,
): Promise<{ readonly gate: string; readonly fuzz: string }> {
  // The shape of the document is fixed: its version is.
  const document = parse(readFileSync(petstoreContract, 'utf8')) as { paths: Paths; servers?: unknown };
  delete document.servers; // The program serves the paths without the prefix.
  changeContract(document.paths);
  const contract = join(folder, 'petstore.yaml');
  const run = join(folder, 'requests.mjs');
  writeFileSync(contract, stringify(document));
  writeFileSync(run, requests);
  const gate = await printed('gate', change, async (target, print) => {
    await runGate(contract, { target, listen: '127.0.0.1:0', run: `node ${run}` }, print);
  });
  const fuzz = await printed('fuzz', change, async (server, print) => {
    await runFuzz(contract, server, { seed: '1', requests: '20', parameter: ['id=1000'] }, print);
  });
  return { gate, fuzz };
}

async function printed(
  name: string,
  change: Change,
  use: (origin: string, print: (line: string) => void) => Promise<void>,
): Promise<string> {
  const server = await startPetstore(join(folder, `${name}.sock`), change);
  const lines: string[] = [];
  try {
    await use(server.origin, (line) => lines.push(line));
  } finally {
    await server.stop();
  }
  return lines.join('\n');
}
