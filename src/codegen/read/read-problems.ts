import type { Form } from '@plumbline/contract/contract-types';
import type { Problem, ProblemFailure, ProblemMember } from './contract-model.js';
import { kebabCase, withoutProblemSuffix } from '../derive/naming.js';
import { resolve, type OpenApiDocument, type Reference, type SchemaObject } from './openapi-document.js';

/** The members that every problem has; the runtime fills in `request_id`. */
const sharedMembers = ['type', 'title', 'status', 'message', 'request_id'];
/** Problems that only a command line raises are never sent. */
const membersOfReplies = ['status', 'request_id'];
/** Members of a failure that are not fields of its case. */
const membersOfFailures = ['error', 'case', 'location'];

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
        return readProblem(document, schemaName, schema);
      } catch (error) {
        throw new Error(`problems.yaml, ${schemaName}: ${error instanceof Error ? error.message : String(error)}`);
      }
    });
}

function readProblem(document: OpenApiDocument, schemaName: string, schema: SchemaObject): Problem {
  const slug = kebabCase(withoutProblemSuffix(schemaName));
  const properties = record(schema['properties'], 'properties');
  const required = stringList(schema['required'], 'required');
  const extension = record(schema['x-problem'], 'x-problem');
  const raisedBy = readRaisedBy(extension['raised-by']);
  const isSent = raisedBy !== 'command-line';
  for (const member of sharedMembers) {
    if (!isSent && membersOfReplies.includes(member)) {
      if (member in properties)
        throw new Error(`${member} is only for replies, and this problem is raised by a command line`);
    } else if (!(member in properties) || !required.includes(member)) {
      throw new Error(`${member} is missing or not required`);
    }
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
    statuses: isSent ? statusesOf(properties) : [],
    message: typeof message === 'string' ? message : null,
    members: readMembers(document, properties, required),
    raisedBy,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
    failure: 'error' in properties ? readFailure(properties, extension) : null,
  };
}

/** Reads the form of a schema. All members of alternatives are sent. */
function formOf(document: OpenApiDocument, schema: SchemaObject | Reference): Form {
  const { properties, items } = resolve<SchemaObject>(document, schema);
  if (typeof items === 'object') return [formOf(document, record(items, 'items'))];
  if (properties === undefined) return true;
  const members = Object.entries(record(properties, 'properties'));
  return Object.fromEntries(members.map(([name, member]) => [name, formOf(document, record(member, name))]));
}

function readRaisedBy(value: unknown): Problem['raisedBy'] {
  if (value !== 'pipeline' && value !== 'service' && value !== 'both' && value !== 'command-line') {
    throw new Error('x-problem.raised-by');
  }
  return value;
}

function readMembers(
  document: OpenApiDocument,
  properties: Record<string, unknown>,
  required: readonly string[],
): ProblemMember[] {
  return Object.keys(properties)
    .filter((name) => !sharedMembers.includes(name))
    .map((name) => {
      const value = constant(properties, name);
      const form = formOf(document, record(properties[name], name));
      return { name, required: required.includes(name), form, ...(typeof value === 'string' && { constant: value }) };
    });
}

function readFailure(properties: Record<string, unknown>, extension: Record<string, unknown>): ProblemFailure {
  const [error, failureCase] = [constant(properties, 'error'), constant(properties, 'case')];
  const [message, exitCode] = [extension['message'], extension['exit-code']];
  if (typeof error !== 'string' || typeof failureCase !== 'string') throw new Error('error and case must be a const');
  if (typeof message !== 'string') throw new Error('x-problem.message is missing');
  if (typeof exitCode !== 'number') throw new Error('x-problem.exit-code is missing');
  const named = [...message.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const own = Object.keys(properties).filter((name) => ![...sharedMembers, ...membersOfFailures].includes(name));
  // The message of some cases is a field: the text of another program.
  const fields = named.includes('message') ? ['message', ...own] : own;
  for (const name of named)
    if (!fields.includes(name)) throw new Error(`x-problem.message names {${name}}, which is not a field`);
  return {
    error,
    case: failureCase,
    exitCode,
    message,
    fields: fields.map((name) => ({ name, schema: record(properties[name], name) })),
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
