import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { queryTools } from '../../../generated/graphql/tools.js';
import type { McpOptions } from '../../../src/cli/mcp/options.js';
import { selectTools, tools, toolsets } from '../../../src/cli/mcp/toolsets.js';
import { startTestPlatform, type TestPlatform } from '../../support/platform.js';
import { createServiceToken } from '../../support/service-token.js';
import { connectStdio, startTools } from './tool-client.js';

/** The most bytes of the default list, which an agent reads before its first call. */
const MOST_BYTES = 25_000;

let platform: TestPlatform;
let token: string;
beforeAll(async () => {
  platform = await startTestPlatform();
  token = (await platform.signUp()).accessToken;
});
afterAll(() => platform.stop());

const names = (options: McpOptions): string[] => selectTools(options).tools.map(({ name }) => name);

describe('The tools that are listed', () => {
  test('are those of the Analytics API, in at most 25 kB, without output schemas', async () => {
    const client = await connectStdio({ PLUMBLINE_TOKEN: token, PLUMBLINE_SERVER: platform.url }, []);
    try {
      const { tools: shown } = await client.client.listTools();
      expect(Buffer.byteLength(JSON.stringify(shown))).toBeLessThanOrEqual(MOST_BYTES);
      expect(shown.map(({ name }) => name)).toEqual([...queryTools.map(({ name }) => name), 'get_freshness']);
      expect(shown.filter(({ outputSchema }) => outputSchema !== undefined)).toEqual([]);
      // What an argument is for stays; its members are described in the contract.
      const { inputSchema } = shown.find(({ name }) => name === 'investment_breakdown') ?? {};
      expect(inputSchema?.properties?.['dateRange']).toMatchObject({ description: expect.stringContaining('period') });
      const filters = inputSchema?.properties?.['filters'];
      expect(filters).toMatchObject({ description: expect.stringContaining('accept neither `authors`') });
      expect(JSON.stringify({ ...filters, description: undefined })).not.toContain('"description"');
      expect(client.client.getInstructions()).toContain('investment_breakdown answers');
      const { isError, data } = await client.call('investment_breakdown', { dateRange: 'last_quarter' });
      expect([isError, Object.keys(data)]).toEqual([false, ['variables', 'data']]);
    } finally {
      await client.close();
    }
  });

  test('are those of the named toolsets, and every tool is in one', () => {
    expect(names({ tools: ['all'] })).toEqual(tools.map(({ name }) => name));
    expect(toolsets.flatMap((toolset) => names({ tools: [toolset] })).sort()).toEqual(names({ tools: ['all'] }).sort());
    expect(names({ tools: ['sync', 'members'] })).toEqual(expect.arrayContaining(['start_sync_run', 'list_members']));
    expect(names({ tools: ['sync', 'members'] })).not.toContain('investment_breakdown');
    expect(() => names({ tools: ['team'] })).toThrow('--tools team is not a toolset; there are all, analytics, ');
  });

  test('change nothing with --read-only, and the others cannot be called', async () => {
    const selection = selectTools({ tools: ['all'], readOnly: true });
    const changing = tools.filter(({ annotations }) => !annotations.readOnlyHint).map(({ name }) => name);
    expect(changing).toContain('create_team');
    expect(selection.tools.map(({ name }) => name)).toEqual(
      tools.map(({ name }) => name).filter((name) => !changing.includes(name)),
    );
    const person = await platform.signUp();
    const agent = await createServiceToken(platform, person, ['teams:read', 'teams:write']);
    const server = await startTools(platform.url, () => new Date(), selection);
    const client = await server.connect(agent.token);
    try {
      await expect(client.call('create_team', { id: 'a', name: 'A', members: ['a@example.com'] })).rejects.toThrow(
        'create_team is not served: plumbline mcp runs with --read-only',
      );
      await expect(client.call('drop_team')).rejects.toThrow('There is no tool drop_team');
      expect((await client.client.listTools()).tools.map(({ name }) => name)).toEqual(['list_teams', 'get_team']);
      expect((await client.call('list_teams')).data.items).toEqual([]);
    } finally {
      await client.close();
      await server.stop();
    }
  });

  test('are chosen on the command line, and an error names the flag for the others', async () => {
    const environment = { PLUMBLINE_TOKEN: token, PLUMBLINE_SERVER: platform.url };
    const client = await connectStdio(environment, ['--tools', 'teams', 'members', '--read-only']);
    try {
      const { tools: shown } = await client.client.listTools();
      expect(shown.map(({ name }) => name).sort()).toEqual(['get_team', 'list_members', 'list_teams']);
      await expect(client.call('investment_breakdown', { dateRange: 'last_quarter' })).rejects.toThrow(
        'investment_breakdown is not served: start plumbline mcp with --tools analytics',
      );
      expect(client.client.getInstructions()).not.toContain('investment_breakdown');
    } finally {
      await client.close();
    }
  });

  test('have the definitions of all figures beside them', async () => {
    const client = await connectStdio({ PLUMBLINE_TOKEN: token, PLUMBLINE_SERVER: platform.url });
    try {
      const { resources } = await client.client.listResources();
      expect(resources.map(({ uri, mimeType }) => [uri, mimeType])).toEqual([['plumbline://figures', 'text/markdown']]);
      const { contents } = await client.client.readResource({ uri: 'plumbline://figures' });
      const text = await readFile('src/analytics/FIGURES.md', 'utf8');
      expect(contents).toEqual([{ uri: 'plumbline://figures', mimeType: 'text/markdown', text }]);
      expect((await client.client.listResourceTemplates()).resourceTemplates).toEqual([]);
      await expect(client.client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow(
        'There is no resource file:///etc/passwd',
      );
    } finally {
      await client.close();
    }
  });
});
