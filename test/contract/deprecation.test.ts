import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorkshop, type Workshop } from './workshop.js';

let workshop: Workshop;
beforeAll(async () => {
  workshop = await startWorkshop();
});
afterAll(() => workshop.close());

const robin = { Authorization: 'Bearer robin' };

test.each([
  ['a success', '/tools/1', robin, 204],
  ['a refusal of the caller', '/tools/1', {}, 401],
  ['a refusal of the input', '/tools/one', robin, 422],
])('%s of a deprecated operation says since when it is, and when it ends', async (_name, path, headers, status) => {
  const reply = await workshop.fetch(path, { method: 'DELETE', headers });
  expect(reply.status).toBe(status);
  expect(reply.headers.get('Deprecation')).toBe('@1795996800');
  expect(reply.headers.get('Sunset')).toBe('Mon, 31 May 2027 00:00:00 GMT');
});

test('other operations do not', async () => {
  const reply = await workshop.fetch('/tools');
  expect(reply.status).toBe(200);
  expect([reply.headers.get('Deprecation'), reply.headers.get('Sunset')]).toEqual([null, null]);
});
