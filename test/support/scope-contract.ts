import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { record } from '../../src/contract-tools/documents.js';
import type { Unit } from '../../src/contract-tools/gate/observations.js';
import { observe } from './recorder.js';

/** The name of the scopes of service tokens in the gate. */
export const scopesSurface = 'scopes';

/** What the analytics are called here: the contract of the Platform does not have them. */
export const analyticsOperation = 'POST /graphql';
const analyticsScope = 'analytics:read';

const scheme = 'serviceToken';

/**
 * What must be seen of scopes: every operation that demands one accepts a token that has it, and refuses one that lacks
 * it. None where no contract has scopes.
 */
export function scopeUnits(root: string): Unit[] {
  const file = join(root, 'generated/platform/openapi.json');
  if (!existsSync(file)) return [];
  const document = record(JSON.parse(readFileSync(file, 'utf8')));
  const operations = Object.values(record(document['paths'])).flatMap((item) =>
    Object.values(record(item)).map(record),
  );
  const demanded = operations.flatMap(({ operationId, security }) =>
    scopesIn(security).map((scope): readonly [string, string] => [String(operationId), scope]),
  );
  if (demanded.length === 0) return [];
  const pairs = [...demanded, [analyticsOperation, analyticsScope] as const];
  return pairs.flatMap((pair) => [
    [...pair, 'accepted'],
    [...pair, 'refused'],
  ]);
}

function scopesIn(security: unknown): string[] {
  return (Array.isArray(security) ? security : []).flatMap((each) => {
    const scopes = record(each)[scheme];
    return Array.isArray(scopes) ? scopes.map(String) : [];
  });
}

/** Notes that an operation has accepted or refused a token because of a scope. */
export function observeScope(operation: string, scope: string, outcome: 'accepted' | 'refused'): void {
  observe(scopesSurface, [operation, scope, outcome]);
}
