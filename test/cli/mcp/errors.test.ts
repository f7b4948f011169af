import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryTools } from '../../../generated/graphql/tools.js';
import { operationTools } from '../../../generated/platform/tools.js';
import { startRefusing, type RefusingServer } from './refusing-server.js';
import { startTools, type ToolClient, type ToolServer } from './tool-client.js';

let refusing: RefusingServer;
let server: ToolServer;
let client: ToolClient;
beforeAll(async () => {
  refusing = await startRefusing();
  server = await startTools(refusing.url);
  client = await server.connect('plbst_any');
});
afterAll(async () => {
  await client.close();
  await server.stop();
  await refusing.stop();
});

const id = '5c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e10';
const values: Readonly<Record<string, unknown>> = {
  sync_config_id: id,
  run_id: id,
  team_id: 'payments',
  id: 'payments',
  provider: 'host_a',
  name: 'Payments',
  dateRange: 'last_month',
  previous: 'last_month',
  dimension: 'TEAM',
  repo: 'api',
};

const documented = [
  ...operationTools.map((tool) => ({ ...tool, called: tool.operationId })),
  ...queryTools.map((tool) => ({ ...tool, called: null })),
].flatMap(({ name, inputSchema, errors, called }) => errors.map((error) => ({ name, error, called, inputSchema })));

test.each(documented)(
  '$name answers $error as a result that its schema has',
  async ({ name, error, called, inputSchema }) => {
    refusing.refuseWith(called, error);
    const required = inputSchema['required'] as string[]; // generated as a list of names
    const given = Object.fromEntries(required.map((each) => [each, values[each]]));
    const { isError, data, text } = await client.call(name, given);
    expect([isError, data.type ?? data.code]).toEqual([true, error]);
    expect(text).toContain(data.message);
  },
);

test('an error that no contract has is a message without a type', async () => {
  await refusing.stop();
  const { isError, text } = await client.client
    .callTool({ name: 'list_dimensions', arguments: {} })
    .then(({ isError: failed, content }) => ({ isError: failed, text: JSON.stringify(content) }));
  expect([isError, text]).toEqual([true, expect.stringContaining('cannot be reached')]);
});
