/** Reads `x-mcp`, which makes an operation or a persisted query a tool of `plumbline mcp`. */
import type { Operation, SecurityScheme, ToolExtension } from '../read/contract-model.js';
import { isRecord, type SchemaObject } from '../read/openapi-document.js';

const members = ['name', 'title', 'readOnly', 'destructive', 'idempotent'];

/**
 * Reads the extension.
 *
 * @param title the default of the title
 * @throws Error naming what is not as openapi/README.md says
 */
export function readToolExtension(value: unknown, title: string): ToolExtension {
  if (!isRecord(value)) throw new Error('x-mcp must be an object');
  const unknown = Object.keys(value).find((each) => !members.includes(each));
  if (unknown !== undefined) throw new Error(`x-mcp has the unknown member ${unknown}`);
  const { name, title: given = title } = value;
  if (typeof name !== 'string' || !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name)) {
    throw new Error('x-mcp: name must be in snake case');
  }
  if (typeof given !== 'string' || given === '') throw new Error('x-mcp: title must be a text');
  const hint = (member: 'readOnly' | 'destructive' | 'idempotent', byDefault: boolean): boolean => {
    const each = value[member] ?? byDefault;
    if (typeof each !== 'boolean') throw new Error(`x-mcp: ${member} must be true or false`);
    return each;
  };
  const readOnly = hint('readOnly', false);
  const tool = {
    name,
    title: given,
    readOnly,
    destructive: hint('destructive', false),
    idempotent: hint('idempotent', readOnly),
  };
  if (readOnly && (tool.destructive || !tool.idempotent))
    throw new Error('x-mcp: what is readOnly is idempotent, and not destructive');
  return tool;
}

/**
 * Checks that an operation can be a tool.
 *
 * @throws Error saying why not
 */
export function checkTool(
  tool: ToolExtension,
  operation: Omit<Operation, 'tool'>,
  schemes: readonly SecurityScheme[],
  body: SchemaObject | null,
): void {
  if (tool.readOnly !== (operation.method === 'GET'))
    throw new Error('x-mcp: readOnly must be true for GET, and false for others');
  if (tool.destructive !== (operation.method === 'DELETE' || operation.method === 'PUT')) {
    throw new Error('x-mcp: destructive must be true for DELETE and PUT, and false for others');
  }
  if (operation.parameters.cookie !== null) throw new Error('x-mcp: a tool cannot send cookies');
  if (body !== null && body['type'] !== 'object') throw new Error('x-mcp: the body of a tool must be a JSON object');
  const takesService = operation.security.schemes.some(
    ({ name, scope }) => scope !== null && schemes.find((each) => each.name === name)?.prefix != null,
  );
  if (!takesService) throw new Error('x-mcp: a tool needs a scope of service tokens');
  for (const reply of operation.replies) {
    if (reply.kind === 'success' && reply.mediaType !== null && reply.mediaType !== 'application/json') {
      throw new Error(`x-mcp: a tool cannot answer with ${reply.mediaType}`);
    }
  }
}
