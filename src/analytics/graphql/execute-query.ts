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
import { processRequest, type Request } from 'graphql-helix';
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
 * both for every request. Its statuses are not used, because it does not know the current media types: the payload
 * determines the status (see `reply.ts`).
 */
export async function executeQuery(
  request: Request,
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
    request,
    parse: () => {
      if (prepared.document === null) throw prepared.errors[0];
      return prepared.document;
    },
    validate: () => prepared.errors,
    contextFactory: () => context,
    execute: (args) => executeForOrganization(args, context),
    formatPayload: ({ payload }) => payloadOf(payload, reporting),
  });
  if (result.type === 'RESPONSE') return result.payload;
  // graphql-helix pushes the errors of a query to a caller that accepts an event stream.
  const pushed: Payload[] = [];
  await result.subscribe((payload) => pushed.push(payload));
  const [payload] = pushed;
  if (payload === undefined) throw new Error('graphql-helix pushed no result');
  return payload;
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
