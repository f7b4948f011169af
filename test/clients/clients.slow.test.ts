/**
 * Clients in other languages, made from the served contract by the usual generators with their defaults: they get the
 * place of the contract and the name of the package, and nothing else.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform, type TestUser } from '../support/platform.js';
import { createServiceToken } from '../support/service-token.js';

const run = promisify(execFile);

const generators = process.env['TEST_CLIENT_GENERATORS'];
const skipped =
  generators === undefined ? ' (skipped: TEST_CLIENT_GENERATORS is not set; .ci/client-generators installs them)' : '';

describe.skipIf(generators === undefined)(`Clients of the usual generators${skipped}`, { timeout: 10 * 60_000 }, () => {
  const tools = generators ?? '';
  let platform: TestPlatform;
  let owner: TestUser;
  let folder: string;
  let contract: string;
  let environment: Record<string, string>;

  beforeAll(async () => {
    platform = await startTestPlatform();
    owner = await platform.signUp();
    const { token } = await createServiceToken(platform, owner, ['teams:read', 'teams:write']);
    environment = {
      PLUMBLINE_URL: platform.url,
      PLUMBLINE_ORG: owner.orgId,
      PLUMBLINE_TOKEN: token,
      PLUMBLINE_EMAIL: owner.email,
      PLUMBLINE_PASSWORD: owner.password,
    };
    folder = await mkdtemp(join(tmpdir(), 'plumbline-clients-'));
    contract = join(folder, 'openapi.json');
    await writeFile(contract, await (await fetch(`${platform.url}/openapi.json`)).text());
  });
  afterAll(async () => {
    await platform.running.stop();
    await rm(folder, { recursive: true });
  });

  /** Runs a program, with the environment of the journeys. @returns what it printed */
  async function output(cwd: string, program: string, ...args: string[]): Promise<string> {
    const options = { cwd, env: { ...process.env, ...environment }, maxBuffer: 64 * 1024 * 1024 };
    const { stdout, stderr } = await run(program, args, options);
    return stdout + stderr;
  }

  async function folderOf(name: string): Promise<string> {
    await mkdir(join(folder, name));
    return join(folder, name);
  }

  const journey = (language: string): object => ({
    problems: ['/problems/invalid-credentials', '/problems/team-exists', '/problems/unauthenticated'],
    user: owner.email,
    teams: [1, 2, 3].map((each) => `${language}-${each}`),
  });

  test('Python: openapi-python-client', async () => {
    const cwd = await folderOf('python');
    const bin = join(tools, 'python/bin');
    const printed = await output(
      cwd,
      join(bin, 'openapi-python-client'),
      ...['generate', '--path', contract, '--meta', 'none', '--output-path', 'plumbline_client'],
    );
    // It knows neither NDJSON nor YAML, so it leaves out what the stream of the audit log replies, and the import of teams.
    expect(printed.match(/WARNING parsing .*/g)).toEqual([
      'WARNING parsing GET /api/v1/admin/audit-log/stream within audit.',
      'WARNING parsing PUT /api/v1/organizations/{org_id}/teams within teams. Endpoint will not be generated.',
    ]);
    await copyFile(resolve('test/clients/journey.py'), join(cwd, 'journey.py'));
    expect(JSON.parse(await output(cwd, join(bin, 'python'), 'journey.py'))).toEqual(journey('python'));
  });

  test('Go: oapi-codegen', async () => {
    const cwd = await folderOf('go');
    await mkdir(join(cwd, 'client'));
    await output(
      cwd,
      join(tools, 'bin/oapi-codegen'),
      ...['-package', 'client', '-generate', 'types,client', '-o', 'client/client.go', contract],
    );
    await copyFile(resolve('test/clients/journey.go'), join(cwd, 'journey.go'));
    await output(cwd, 'go', 'mod', 'init', 'plumbline.example/journey');
    await output(cwd, 'go', 'get', 'github.com/oapi-codegen/runtime@v1.8.0'); // not whatever is the newest
    await output(cwd, 'go', 'mod', 'tidy');
    await output(cwd, 'go', 'build', '-o', 'journey', '.');
    expect(JSON.parse(await output(cwd, './journey'))).toEqual(journey('go'));
  });

  test('Go: ogen', async () => {
    const cwd = await folderOf('ogen');
    await output(cwd, 'go', 'mod', 'init', 'plumbline.example/ogen');
    // It knows no servers of event streams yet, and its clients of them do not compile. It leaves out streams of NDJSON,
    // and the form of a back-channel logout, which only identity providers send: it knows forms without other values alone.
    const left = ['sse server response encoding', 'unsupported content types', 'complex form schema'];
    const settings = `generator: { ignore_not_implemented: [${left.join(', ')}] }`;
    await writeFile(join(cwd, 'ogen.yml'), settings);
    await output(cwd, join(tools, 'bin/ogen'), '--target', 'client', '--package', 'client', contract);
    await output(cwd, 'go', 'mod', 'tidy');
    await output(cwd, 'go', 'build', './...');
  });

  // Its own project: graphql must be there once.
  test.each([
    ['the address of the schema', () => `${platform.url}/graphql/schema.graphql`],
    [
      'introspection with a token',
      () => ({
        [`${platform.url}/graphql?org_id=${owner.orgId}`]: {
          headers: { Authorization: `Bearer ${owner.accessToken}` },
        },
      }),
    ],
  ])('TypeScript: graphql-codegen, from %s', async (_what, schema) => {
    const cwd = await mkdtemp(join(tools, 'graphql/journey-'));
    const query = 'query Teams($orgId: String!) { catalog(orgId: $orgId, dimension: TEAM) { values { value count } } }';
    await writeFile(join(cwd, 'teams.graphql'), query);
    const plugins = ['typescript', 'typescript-operations'];
    const config = { schema: schema(), documents: 'teams.graphql', generates: { 'client.ts': { plugins } } };
    await writeFile(join(cwd, 'codegen.json'), JSON.stringify(config));
    await output(
      cwd,
      process.execPath,
      join(tools, 'graphql/node_modules/@graphql-codegen/cli/cjs/bin.js'),
      ...['--config', 'codegen.json'],
    );
    const client = await readFile(join(cwd, 'client.ts'), 'utf8');
    await rm(cwd, { recursive: true });
    expect(client).toMatch(/export type TeamsQuery = .*values.*Array<.*value: string, count: number/);
    expect(client).toContain("export type TeamsQueryVariables = Exact<{\n  orgId: Scalars['String']['input'];");
  });

  test('Java: openapi-generator', async () => {
    const cwd = await folderOf('java');
    const jar = join(tools, 'openapi-generator-cli.jar');
    await output(cwd, 'java', '-jar', jar, ...['generate', '-i', contract, '-g', 'java', '--library', 'native']);
    await output(cwd, 'mvn', '--quiet', '--batch-mode', 'compile');
  });
});
