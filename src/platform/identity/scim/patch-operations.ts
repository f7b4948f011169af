import { readPath, type AttributePath } from './attribute-paths.js';
import { invalidRequest, type Checked } from './refusals.js';

/** One change of a patch. */
export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove';
  /** null: `value` has the attributes. */
  readonly path: string | null;
  readonly value: unknown;
}

const mostOperations = 1000;

/** Reads the body of a PATCH. Entra ID writes the names of operations with capital letters. */
export function readPatch(body: Readonly<Record<string, unknown>>): Checked<readonly PatchOperation[]> {
  const operations = Object.entries(body).find(([name]) => name.toLowerCase() === 'operations')?.[1];
  if (!Array.isArray(operations) || operations.length === 0) {
    return invalidRequest('invalidSyntax', 'Operations must be a list of changes.');
  }
  if (operations.length > mostOperations) {
    return invalidRequest('tooMany', `Send at most ${mostOperations} operations at once.`);
  }
  const read: PatchOperation[] = [];
  for (const each of operations) {
    const operation = readOperation(each);
    if ('refusal' in operation) return operation;
    read.push(operation.value);
  }
  return { value: read };
}

function readOperation(given: unknown): Checked<PatchOperation> {
  const fields: { op?: unknown; path?: unknown; value?: unknown } =
    typeof given === 'object' && given !== null ? given : {};
  const { op, path, value } = fields;
  const name = typeof op === 'string' ? op.toLowerCase() : null;
  if (name !== 'add' && name !== 'replace' && name !== 'remove') {
    return invalidRequest('invalidSyntax', 'The op of an operation must be add, replace or remove.');
  }
  if (path !== undefined && path !== null && typeof path !== 'string') {
    return invalidRequest('invalidPath', 'The path of an operation must be text.');
  }
  return { value: { op: name, path: path ?? null, value } };
}

/** How the operations of a patch change a resource. */
export interface Patched<Draft> {
  /** Sets the attributes of an object. */
  setAll(op: 'add' | 'replace', values: Readonly<Record<string, unknown>>): Checked<Draft>;
  /** Sets or removes the attribute of a path. */
  set(op: PatchOperation['op'], path: AttributePath, value: unknown): Checked<Draft>;
}

/** Applies the operations of a patch to a draft, in their order. */
export function applyPatch<Draft>(
  draft: Draft,
  operations: readonly PatchOperation[],
  { setAll, set }: Patched<Draft>,
): Checked<Draft> {
  for (const { op, path, value } of operations) {
    const changed = path === null ? withoutPath(op, value, setAll) : atPath(path, (read) => set(op, read, value));
    if ('refusal' in changed) return changed;
  }
  return { value: draft };
}

function withoutPath<Draft>(
  op: PatchOperation['op'],
  value: unknown,
  setAll: Patched<Draft>['setAll'],
): Checked<Draft> {
  if (op === 'remove') return invalidRequest('noTarget', 'The operation remove needs a path.');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalidRequest('invalidValue', 'An operation without path needs an object of attributes as its value.');
  }
  return setAll(op, { ...value });
}

function atPath<Draft>(path: string, set: (path: AttributePath) => Checked<Draft>): Checked<Draft> {
  const read = readPath(path);
  if (read !== null) return set(read);
  return invalidRequest('invalidPath', `The path ${JSON.stringify(path.slice(0, 100))} is invalid.`);
}
