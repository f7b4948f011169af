import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';

test('plumbline mock serves a contract until it is interrupted', async () => {
  // Not the command of tsx: it exits with 130 when a busy machine delays the end of the child.
  const command = [
    '--conditions=@plumbline/source',
    '--import',
    'tsx',
    'src/cli/main.ts',
    'mock',
    'test/contract-tools/shop.yaml',
  ];
  const child = spawn(process.execPath, [...command, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value: first } = await lines.next();
  expect(first).toMatch(/^Serving 5 operations of .*shop\.yaml at http:\/\/127\.0\.0\.1:\d+\/shop$/);
  const address = String(first).split(' at ')[1];
  const reply = await fetch(`${address}/items?limit=0`);
  expect([reply.status, await reply.json()]).toEqual([400, { error: 'refused' }]);
  const { value: second } = await lines.next();
  expect(second).toBe('GET /shop/items 400: the query parameter limit is not as documented');
  expect((await fetch(`${address}/items`, { method: 'HEAD' })).status).toBe(200);
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
