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
import { payloadOf, type Payload, type ErrorReporting } from './payload.js';

export interface Query {
  /** null: a text of the caller. */
  readonly persistedId: string | null;
  readonly text: string;
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Runs a query through graphql-helix. The document is already parsed and validated, because graphql-helix would repeat
 * both for every request. Its statuses and messages are not used, because it knows neither the current media types nor
 * how to hide internal errors: the payload alone determines the reply (see `reply.ts`).
 */
export async function executeQuery(
  { text, operationName, variables }: Query,
  prepared: PreparedDocument,
  schema: GraphQLSchema,
  context: GraphqlContext,
  reporting: ErrorReporting,
): Promise<Payload> {
  const result = await processRequest<Payload>({
    schema,
    query: text,
    ...(operationName === null ? {} : { operationName }),
    variables,
    // With the real headers it would send an event stream to callers that accept one.
    request: { method: 'POST', headers: { accept: 'application/json' }, query: {} },
    parse: () => {
      if (prepared.document === null) throw prepared.errors[0];
      return prepared.document;
    },
    validate: () => prepared.errors,
    contextFactory: () => context,
    execute: (args) => executeForOrganization(args, context),
    formatPayload: ({ payload }) => payloadOf(payload, reporting),
  });
  if (result.type !== 'RESPONSE') throw new Error(`graphql-helix answered with ${result.type}`);
  return result.payload;
}

/** Checks all `orgId` arguments of the operation, under any alias, before resolving any field. */
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
