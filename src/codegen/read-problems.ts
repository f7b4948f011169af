import type { Problem } from './contract-model.js';
import { kebabCase, withoutProblemSuffix } from './naming.js';
import type { OpenApiDocument, SchemaObject } from './openapi-document.js';

/** The members that every problem has; the runtime fills in `request_id`. */
const sharedMembers = ['type', 'title', 'status', 'message', 'request_id'];

/**
 * Reads the catalogue of `openapi/problems.yaml`.
 *
 * @throws Error naming the entry that does not follow the section "Problems" of `openapi/README.md`
 */
export function readProblems(document: OpenApiDocument): Problem[] {
  return Object.entries(document.components?.schemas ?? {})
    .filter(([schemaName]) => schemaName.endsWith('Problem'))
    .map(([schemaName, schema]) => {
      try {
        return readProblem(schemaName, schema);
      } catch (error) {
        throw new Error(`problems.yaml, ${schemaName}: ${error instanceof Error ? error.message : String(error)}`);
      }
    });
}

function readProblem(schemaName: string, schema: SchemaObject): Problem {
  const slug = kebabCase(withoutProblemSuffix(schemaName));
  const properties = record(schema['properties'], 'properties');
  const required = stringList(schema['required'], 'required');
  const extension = record(schema['x-problem'], 'x-problem');
  const raisedBy = extension['raised-by'];
  if (raisedBy !== 'pipeline' && raisedBy !== 'service' && raisedBy !== 'both') throw new Error('x-problem.raised-by');
  for (const member of sharedMembers) {
    if (!(member in properties) || !required.includes(member)) throw new Error(`${member} is missing or not required`);
  }
  if (constant(properties, 'type') !== `/problems/${slug}`) throw new Error(`type must be /problems/${slug}`);
  const title = constant(properties, 'title');
  if (typeof title !== 'string') throw new Error('title must be a const');
  const message = constant(properties, 'message');
  const { description } = schema;
  if (typeof description !== 'string') throw new Error('description is missing');
  const headers = Object.entries(record(extension['headers'] ?? {}, 'x-problem.headers'));
  return {
    schemaName,
    slug,
    title,
    description,
    statuses: statusesOf(properties),
    message: typeof message === 'string' ? message : null,
    members: Object.keys(properties)
      .filter((name) => !sharedMembers.includes(name))
      .map((name) => ({ name, required: required.includes(name) })),
    raisedBy,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
  };
}

function statusesOf(properties: Record<string, unknown>): number[] {
  const status = record(properties['status'], 'status');
  const values: unknown[] = Array.isArray(status['enum']) ? status['enum'] : [status['const']];
  return values.map((value) => {
    if (typeof value !== 'number') throw new Error('status must be a const or an enum of numbers');
    return value;
  });
}

function constant(properties: Record<string, unknown>, name: string): unknown {
  return record(properties[name], name)['const'];
}

function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${what} is not an object`);
  return { ...value };
}

function stringList(value: unknown, what: string): string[] {
  if (!Array.isArray(value)) throw new Error(`${what} is not a list`);
  return value.map(String);
}
