import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PlannedRequest } from '../../../src/contract-tools/fuzz/draft.js';
import { explore, type Trial } from '../../../src/contract-tools/fuzz/explore.js';

/** A request whose path ends in a number. */
function requestOf(size: number): PlannedRequest {
  return { method: 'GET', path: `/${size}`, headers: {}, body: null, withCredentials: true, violation: null };
}

/** Without the preference for limits, so that 0 comes only from making a request smaller. */
const sizes = fc.noBias(fc.integer({ min: 0, max: 1e9 })).map(requestOf);

function faulty(rule: string): Trial {
  return { fault: { rule, text: rule }, status: rule === 'small' ? 500 : 200 };
}

test('A fault that is seen only while the request of another one is made smaller is a finding', async () => {
  // Every request but the smallest fails in one way, and the smallest one in another way.
  const attempt = async (request: PlannedRequest): Promise<Trial> =>
    Promise.resolve(faulty(request.path === '/0' ? 'small' : 'large'));
  for (const seed of [2, 3, 4, 5, 6]) {
    const findings = await explore(sizes, { seed, count: 1 }, attempt);
    const found = findings.map(({ fault, request, status }) => [fault.rule, request.path, status]);
    expect(found.sort()).toEqual([
      ['large', '/1', 200],
      ['small', '/0', 500],
    ]);
  }
});

test('Every kind of fault that a request showed is a finding, and each only once', async () => {
  const seen = new Set<string>();
  const attempt = async (request: PlannedRequest): Promise<Trial> => {
    const rule = `rule ${Number(request.path.slice(1)) % 30}`;
    seen.add(rule);
    return Promise.resolve(faulty(rule));
  };
  const findings = await explore(sizes, { seed: 7, count: 100 }, attempt);
  expect(seen.size).toBeGreaterThan(8);
  expect(findings.map(({ fault }) => fault.rule).sort()).toEqual([...seen].sort());
});
