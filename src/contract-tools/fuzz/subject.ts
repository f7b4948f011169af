import { entries, record } from '../documents.js';
import type { Contract, DocumentedOperation } from '../gate/contract.js';
import { follow } from '../gate/pointers.js';
import { readRequest, type DocumentedRequest } from '../requests/read-requests.js';
import type { Schemas } from '../schemas.js';
import type { Making } from '../values/arbitrary.js';

/** An operation to send requests to. */
export interface Subject {
  readonly contract: Contract;
  readonly operation: DocumentedOperation;
  readonly documented: DocumentedRequest;
  readonly making: Making;
  readonly tags: readonly string[];
  /** What allowed requests send for parameters of these names. */
  readonly fixed: ReadonlyMap<string, string>;
}

/** Methods that only read (RFC 9110, section 9.2.1). */
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

export function isSafe({ operation }: Subject): boolean {
  return safeMethods.has(operation.method);
}

/** The operations of a contract: those that only read first, those that delete last. TRACE, which clients refuse, is omitted. */
export function subjectsOf(contract: Contract, schemas: Schemas, fixed: ReadonlyMap<string, string>): Subject[] {
  const making: Making = {
    document: schemas.document,
    texts: 'any characters',
    omitted: 'readOnly',
    optional: 'some',
    made: new WeakMap(),
  };
  const subjects = contract.operations.map((operation) => ({
    contract,
    operation,
    documented: readRequest(schemas, operation),
    making,
    fixed,
    tags: entries(record(follow(schemas.document, operation.pointer).value)['tags']).map(String),
  }));
  const rank = (subject: Subject): number => (isSafe(subject) ? 0 : subject.operation.method === 'DELETE' ? 2 : 1);
  return subjects.filter(({ operation }) => operation.method !== 'TRACE').sort((one, other) => rank(one) - rank(other));
}
