import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { bundleDocument } from '../../src/codegen/read/bundle.js';
import type { OpenApiDocument } from '../../src/codegen/read/openapi-document.js';
import { loadContract } from '../support/load-contract.js';
import { record } from '../../src/contract-tools/documents.js';
import { openObservations } from '../../src/contract-tools/gate/observations.js';
import { createRecorder, observationsFolder, type Recorder } from '../support/recorder.js';

/** A reply of the example server, and what a test changes of it. */
export interface NotesReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Changes the reply to one request into another; null leaves it. */
export type Plant = (method: string, path: string, right: NotesReply) => NotesReply | null;

/** A repository that has the contract `notes` and nothing else, with its server and a recorder in front of it. */
export interface NotesRepository {
  readonly root: string;
  readonly url: string;
  readonly recorder: Recorder;
  /** Makes the server answer wrongly. */
  plant(plant: Plant): void;
  close(): Promise<void>;
}

let bundled: Promise<OpenApiDocument> | undefined;

/** Creates a repository for one test. */
export async function createNotesRepository(): Promise<NotesRepository> {
  const root = await mkdtemp(join(tmpdir(), 'plumbline-notes-'));
  for (const folder of ['openapi', 'generated/notes', 'test/contract'])
    await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, 'openapi/notes.yaml'), await readFile('test/contract/fixtures/notes.yaml'));
  await writeFile(join(root, 'openapi/problems.yaml'), await catalogue());
  await writeFile(join(root, 'test/contract/exceptions.yaml'), '[]\n');
  bundled ??= bundleDocument('test/contract/fixtures/notes.yaml');
  await writeFile(join(root, 'generated/notes/openapi.json'), JSON.stringify(await bundled));

  let change: Plant = () => null;
  const server = createServer((request, response) => {
    const [method, path] = [request.method ?? '', request.url ?? ''];
    const right = rightReply(method === 'HEAD' ? 'GET' : method, path.split('?')[0] ?? '');
    const reply = change(method, path, right) ?? right;
    response.writeHead(reply.status, reply.headers).end(reply.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a path
  return {
    root,
    url: `http://127.0.0.1:${port}`,
    recorder: createRecorder(loadContract('notes', root), openObservations(join(root, observationsFolder))),
    plant: (plant) => (change = plant),
    close: async () => {
      await new Promise((resolve) => {
        server.close(resolve).closeAllConnections();
      });
      await rm(root, { recursive: true });
    },
  };
}

/** Requests that show everything which the contract `notes` documents. */
export const completeRun: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/notes'],
  ['GET', '/notes/1'],
  ['GET', '/notes/7'],
  ['DELETE', '/notes/1'],
  ['DELETE', '/notes/2'],
  ['DELETE', '/notes/3'],
  ['GET', '/elsewhere'],
  ['PUT', '/notes/1'],
];

function rightReply(method: string, path: string): NotesReply {
  const headers = { 'X-Request-Id': 'r-1' };
  const json = (body: object): NotesReply => ({
    status: 200,
    headers: { ...headers, 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: JSON.stringify(body),
  });
  const problem = (status: number, slug: string, title: string, members: object, more: object = {}): NotesReply => ({
    status,
    headers: { ...headers, 'Content-Type': 'application/problem+json', ...more },
    body: JSON.stringify({ type: `/problems/${slug}`, title, status, message: 'No.', request_id: 'r-1', ...members }),
  });
  switch (`${method} ${path}`) {
    case 'GET /notes':
      return {
        ...json({}),
        headers: { ...headers, 'Content-Type': 'application/x-ndjson' },
        body: '{"text":"a"}\n{"text":"b"}\n',
      };
    case 'GET /notes/1':
      return json({ text: 'Buy milk' });
    case 'GET /notes/7':
      return problem(404, 'note-not-found', 'Note not found', {});
    case 'DELETE /notes/1':
      return { status: 204, headers, body: '' };
    case 'DELETE /notes/2':
      return problem(429, 'rate-limited', 'Rate limited', { retry_after_seconds: 3 }, { 'Retry-After': '3' });
    case 'DELETE /notes/3':
      return problem(
        429,
        'notes-locked',
        'Notes locked',
        { message: 'The notes are locked.', retry_after_seconds: 3 },
        { 'Retry-After': '3' },
      );
    case 'PUT /notes/1':
      return problem(
        405,
        'method-not-allowed',
        'Method not allowed',
        { allow: ['GET', 'HEAD', 'DELETE'] },
        { Allow: 'GET, HEAD, DELETE' },
      );
    default:
      return problem(404, 'route-not-found', 'Route not found', {});
  }
}

/** The problems of the contract: its own, and those of the real catalogue that it refers to. */
async function catalogue(): Promise<string> {
  const all = record(parse(await readFile('openapi/problems.yaml', 'utf8')));
  const shared = ['RateLimitedProblem', 'RouteNotFoundProblem', 'MethodNotAllowedProblem'];
  const own = await readFile('test/contract/fixtures/problems.yaml', 'utf8');
  return `${own}\n${stringify(Object.fromEntries(shared.map((name) => [name, all[name]])))}`;
}
