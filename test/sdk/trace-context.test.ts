import { expect, it } from 'vitest';
import { createPlatformClient, getLiveness } from '../../sdk/src/platform.js';
import { startPlatform } from './platform-server.js';

it('each request carries the headers of the current trace', async () => {
  const { url } = await startPlatform({
    handlers: { getLiveness: () => ({ status: 200, body: { status: 'alive' } }) },
  });
  const sent: (string | undefined)[] = [];
  let current: Record<string, string> = {};
  const client = createPlatformClient({
    baseUrl: url,
    traceContext: () => current,
    fetch: (address, init) => {
      sent.push(init.headers['traceparent']);
      return fetch(address, init);
    },
  });
  for (const span of ['00f067aa0ba902b7', '00f067aa0ba902b8']) {
    current = { traceparent: `00-4bf92f3577b34da6a3ce929d0e0e4736-${span}-01` };
    await getLiveness(client);
  }
  current = {};
  await getLiveness(client);
  expect(sent).toEqual([
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b8-01',
    undefined,
  ]);
});
