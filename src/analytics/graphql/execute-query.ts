import {
  execute,
  getOperationAST,
  getVariableValues,
  GraphQLError,
  separateOperations,
  valueFromASTUntyped,
  visit,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import { processRequest } from 'graphql-helix';
import type { GraphqlContext } from './context.js';
import type { PreparedDocument } from './documents.js';
import { assertSameOrganization } from './organization.js';
import { payloadOf, type Payload, type PayloadSurroundings } from './payload.js';

export interface Query {
  readonly text: string;
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Runs a query through graphql-helix. It gets a document that is parsed and validated already, since it would do both
 * on every request; and since it knows neither the present media types nor how to keep a failure to itself, its
 * statuses and messages are not used: the payload alone decides (see `reply.ts`).
 */
export async function executeQuery(
  { text, operationName, variables }: Query,
  prepared: PreparedDocument,
  schema: GraphQLSchema,
  context: GraphqlContext,
  surroundings: PayloadSurroundings,
): Promise<Payload> {
  const result = await processRequest<Payload>({
    schema,
    query: text,
    ...(operationName === null ? {} : { operationName }),
    variables,
    // What it would make of the real headers: an event stream, for a caller who accepts one.
    request: { method: 'POST', headers: { accept: 'application/json' }, query: {} },
    parse: () => {
      if (prepared.document === null) throw prepared.errors[0];
      return prepared.document;
    },
    validate: () => prepared.errors,
    contextFactory: () => context,
    execute: (args) => executeForOrganization(args, context),
    formatPayload: ({ payload }) => payloadOf(payload, surroundings),
  });
  if (result.type !== 'RESPONSE') throw new Error(`graphql-helix answered with ${result.type}`);
  return result.payload;
}

/** Every `orgId` of the operation is looked at before any field is resolved, under whatever alias it stands. */
function executeForOrganization(
  args: ExecutionArgs,
  { orgId }: GraphqlContext,
): ExecutionResult | Promise<ExecutionResult> {
  const operation = getOperationAST(args.document, args.operationName);
  if (operation == null) throw new Error('graphql-helix executes without an operation');
  const given = getVariableValues(args.schema, operation.variableDefinitions ?? [], args.variableValues ?? {}, {
    maxErrors: 10,
  });
  if (given.errors !== undefined) return { errors: given.errors };
  try {
    visit(separateOperations(args.document)[operation.name?.value ?? ''] ?? args.document, {
      Argument: ({ name, value }) => {
        if (name.value === 'orgId') assertSameOrganization(valueFromASTUntyped(value, given.coerced), orgId);
      },
    });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { errors: [new GraphQLError(error.message, { originalError: error })] };
  }
  return execute(args);
}
