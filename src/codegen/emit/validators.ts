import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import formats from 'ajv-formats';
import { parameterPlaces, type ApiContract, type Operation } from '../read/contract-model.js';
import { isRecord, type SchemaObject } from '../read/openapi-document.js';
import { withoutProblemSuffix } from '../derive/naming.js';
import { header } from './header.js';
import { contractId, standaloneModule, withAbsolutePointers } from './standalone-module.js';

/** Names of the exports of `validators.js`, shared with the emitter of the route table. */
export const validatorNames = {
  parameters: (operation: Operation, place: string) => `${operation.id}_${place}`,
  body: (operation: Operation) => `${operation.id}_body`,
  reply: (operation: Operation, status: number) => `${operation.id}_${status}`,
  problem: (schemaName: string) => `problem_${withoutProblemSuffix(schemaName)}`,
};

/**
 * Compiles all schemas that the runtime checks to plain functions, ahead of time: the server starts without a schema
 * compiler, and unused schemas cost nothing.
 *
 * @returns the text of the module
 */
export async function emitValidators(contract: ApiContract): Promise<string> {
  const { parameters, bodies } = schemasOf(contract);
  // Parameters arrive as text, so their validator converts them; bodies must have the right types.
  const code = await standaloneModule(
    `export * from 'compiled:parameters';\nexport * from 'compiled:bodies';\n`,
    new Map([
      ['parameters', compile(contract, parameters, true)],
      ['bodies', compile(contract, bodies, false)],
    ]),
  );
  return header(`openapi/${contract.name}.yaml`) + code;
}

/** The declarations of the module. */
export function declareValidators(contract: ApiContract): string {
  const { parameters, bodies } = schemasOf(contract);
  const names = [...parameters.keys(), ...bodies.keys()];
  const declarations = names.map((name) => `export declare const ${name}: Validator;\n`).join('');
  return `${header(`openapi/${contract.name}.yaml`)}import type { Validator } from '@plumbline/contract/contract-types';\n\n${declarations}`;
}

interface CheckedSchemas {
  readonly parameters: ReadonlyMap<string, SchemaObject>;
  readonly bodies: ReadonlyMap<string, SchemaObject>;
}

function schemasOf(contract: ApiContract): CheckedSchemas {
  const parameters = new Map<string, SchemaObject>();
  const bodies = new Map<string, SchemaObject>();
  for (const operation of contract.operations) collectSchemas(operation, parameters, bodies);
  for (const { schemaName } of contract.apiProblems) collectProblem(schemaName, bodies);
  return { parameters, bodies };
}

function collectSchemas(
  operation: Operation,
  parameters: Map<string, SchemaObject>,
  bodies: Map<string, SchemaObject>,
): void {
  for (const place of parameterPlaces) {
    const group = operation.parameters[place];
    if (group !== null) parameters.set(validatorNames.parameters(operation, place), group.schema);
  }
  if (operation.body !== null) bodies.set(validatorNames.body(operation), operation.body.schema);
  for (const reply of operation.replies) {
    if (reply.kind === 'problem') {
      for (const { schemaName } of reply.problems) collectProblem(schemaName, bodies);
    } else if (reply.schema !== null) {
      bodies.set(validatorNames.reply(operation, reply.status), reply.schema);
    }
  }
}

function collectProblem(schemaName: string, bodies: Map<string, SchemaObject>): void {
  bodies.set(validatorNames.problem(schemaName), { $ref: `#/components/schemas/${schemaName}` });
}

function compile(contract: ApiContract, schemas: ReadonlyMap<string, SchemaObject>, coerceTypes: boolean): string {
  const ajv = new Ajv2020({
    code: { source: true, esm: true, lines: true },
    allErrors: true,
    // The contracts' extensions (x-*, example) are not keywords of JSON Schema.
    strict: false,
    strictTypes: false,
    useDefaults: true,
    // One function per named schema instead of a copy at every use.
    inlineRefs: false,
    messages: true,
    coerceTypes,
  });
  formats.default(ajv);
  const checked = (schema: SchemaObject): SchemaObject =>
    withAbsolutePointers(coerceTypes ? schema : withTimesInUtc(schema));
  ajv.addSchema({
    $id: contractId,
    ...checked({ components: { schemas: withAlternativesInPlace(contract) } }),
  });
  const exports: Record<string, string> = {};
  for (const [name, schema] of schemas) {
    ajv.addSchema({ $id: name, ...checked(schema) });
    exports[name] = name;
  }
  return standalone.default(ajv, exports);
}

/** Adds to every time that it is in UTC, which the format `date-time` does not say. */
function withTimesInUtc(schema: SchemaObject): SchemaObject {
  const rewritten: unknown = JSON.parse(JSON.stringify(schema), (_key, value: unknown) =>
    isRecord(value) && value['format'] === 'date-time' ? { pattern: 'Z$', ...value } : value,
  );
  return isRecord(rewritten) ? rewritten : schema;
}

/**
 * Returns the schemas of the contract with references in a `oneOf` inlined. A referenced schema is compiled as a
 * separate function, whose errors do not name their caller: the violations in the intended alternative would be unknown.
 */
function withAlternativesInPlace(contract: ApiContract): Record<string, SchemaObject> {
  const schemas = contract.document.components?.schemas ?? {};
  const referred = (schema: SchemaObject): SchemaObject =>
    schemas[/^#\/components\/schemas\/(\w+)$/.exec(String(schema.$ref))?.[1] ?? ''] ?? schema;
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      Array.isArray(schema.oneOf) ? { ...schema, oneOf: schema.oneOf.map(referred) } : schema,
    ]),
  );
}
