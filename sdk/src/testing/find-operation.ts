import type { OperationExamples } from './examples.js';

/** The operation of a request, with the values of its path. */
export interface FoundOperation<Id> {
  readonly id: Id;
  readonly operation: OperationExamples;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the operation of a request. If several match, the one with the fewest parameters; null if none does. */
export function findOperation<Id extends PropertyKey>(
  operations: Readonly<Record<Id, OperationExamples>>,
  method: string,
  pathname: string,
): FoundOperation<Id> | null {
  let best: FoundOperation<Id> | null = null;
  for (const id of Object.keys(operations) as Id[]) {
    const operation = operations[id];
    const params = operation.method === method ? paramsOf(operation.path, pathname) : null;
    if (params === null) continue;
    if (best === null || Object.keys(params).length < Object.keys(best.params).length) best = { id, operation, params };
  }
  return best;
}

/** The values of a path's parameters; null if the path does not match. */
function paramsOf(template: string, pathname: string): Record<string, string> | null {
  const wanted = template.split('/');
  const given = pathname.split('/');
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? '';
    const name = /^\{(.+)\}$/.exec(segment)?.[1];
    if (name === undefined && segment !== value) return null;
    if (name !== undefined) params[name] = decodeURIComponent(value);
  }
  return params;
}
