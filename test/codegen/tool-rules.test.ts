import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundleContract } from '../../src/codegen/read/bundle.js';
import { emitQueryTools } from '../../src/codegen/graphql/emit-tools.js';
import { readGraphqlContract } from '../../src/codegen/graphql/read-graphql-contract.js';
import { httpMethods, type OpenApiDocument } from '../../src/codegen/read/openapi-document.js';
import { readContract } from '../../src/codegen/read/read-contract.js';

let document: OpenApiDocument;
beforeAll(async () => {
  document = await bundleContract('openapi/platform.yaml');
});

/** Reads the contract of the Platform with this `x-mcp` of an operation. */
function withTool(operationId: string, extension: unknown): void {
  const changed = structuredClone(document);
  for (const item of Object.values(changed.paths ?? {})) {
    for (const method of httpMethods) {
      const operation = item[method];
      if (operation?.operationId === operationId) Reflect.set(operation, 'x-mcp', extension);
    }
  }
  readContract('platform', changed);
}

describe('x-mcp of an operation', () => {
  test('passes if it is as documented', () => {
    expect(() => {
      withTool('getTeam', { name: 'read_team', title: 'A team', readOnly: true });
    }).not.toThrow();
  });

  test.each<[string, string, unknown, string]>([
    ['an unknown member', 'getTeam', { name: 'x', readOnly: true, hint: 'x' }, 'x-mcp has the unknown member hint'],
    ['no object', 'getTeam', 'get_team', 'x-mcp must be an object'],
    ['no name', 'getTeam', { readOnly: true }, 'name must be in snake case'],
    ['a name in camel case', 'getTeam', { name: 'getTeam', readOnly: true }, 'name must be in snake case'],
    ['a name of another tool', 'getTeam', { name: 'list_teams', readOnly: true }, 'the tool list_teams exists twice'],
    ['an empty title', 'getTeam', { name: 'x', title: '', readOnly: true }, 'title must be a text'],
    ['a hint that is not a truth value', 'getTeam', { name: 'x', readOnly: 'yes' }, 'readOnly must be true or false'],
    ['a GET that changes something', 'getTeam', { name: 'x' }, 'readOnly must be true for GET'],
    ['a POST that only reads', 'createTeam', { name: 'x', readOnly: true }, 'readOnly must be true for GET'],
    ['a DELETE that destroys nothing', 'deleteTeam', { name: 'x' }, 'destructive must be true for DELETE'],
    [
      'what reads and destroys',
      'getTeam',
      { name: 'x', readOnly: true, destructive: true },
      'is idempotent, and not destructive',
    ],
    ['an operation for people only', 'getMe', { name: 'x', readOnly: true }, 'a tool needs a scope of service tokens'],
    ['an operation for everybody', 'getJwks', { name: 'x', readOnly: true }, 'a tool needs a scope of service tokens'],
    ['a body of text', 'importTeams', { name: 'x', destructive: true }, 'the body of a tool must be a JSON object'],
    ['a cookie', 'endBrowserSession', { name: 'x', destructive: true }, 'a tool cannot send cookies'],
  ])('is refused with %s', (_name, operationId, extension, message) => {
    expect(() => {
      withTool(operationId, extension);
    }).toThrow(message);
  });
});

describe('x-mcp of a persisted query', () => {
  const read = async (line: string): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-graphql-'));
    try {
      await cp('graphql', folder, { recursive: true });
      const path = join(folder, 'persisted/overview.graphql');
      await writeFile(path, (await readFile(path, 'utf8')).replace(/^# x-mcp:.*$/m, line));
      return emitQueryTools(await readGraphqlContract(folder));
    } finally {
      await rm(folder, { recursive: true });
    }
  };

  test('names the tool', async () => {
    expect(await read('# x-mcp: { name: summary }')).toContain('"name":"summary"');
  });

  test.each([
    ['# x-mcp: { name: x, hint: y }', 'unknown member hint'],
    ['# x-mcp: { name: x, destructive: true }', 'unknown member destructive'],
    ['# x-mcp: { name: X }', 'name must be in snake case'],
    ['# x-mcp: overview', 'x-mcp must be an object'],
  ])('is refused: %s', async (line, message) => {
    await expect(read(line)).rejects.toThrow(message);
    await expect(read(line)).rejects.toThrow('overview.graphql');
  });
});
