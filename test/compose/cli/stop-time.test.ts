/** `stop_grace_period` has no effect, which commands that stop containers say. */
import { expect, it } from 'vitest';
import { commandLine } from './command-line.js';

const FILE = 'services: { web: { image: web, stop_grace_period: 30s }, db: { image: db, stop_grace_period: 30s } }';

it.each([
  ['up -d', 1],
  ['create', 1],
  ['stop', 1],
  ['restart', 1],
  ['scale web=2', 1],
  ['rm -s -f', 1],
  ['down', 1],
  ['start', 0],
  ['ps', 0],
  ['ps -q', 0],
  ['logs', 0],
  ['exec -T web true', 0],
  ['port web', 0],
  ['config -q', 0],
  ['kill', 0],
  ['pause', 0],
  ['top', 0],
])('%s warns of it %i times', async (command, times) => {
  const { run } = await commandLine(FILE);
  await run('up', '-d');
  const { code, stderr } = await run(...command.split(' '));
  expect(code).toBe(0);
  expect(stderr.match(/stop_grace_period/g) ?? []).toHaveLength(times);
});
