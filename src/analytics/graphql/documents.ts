import {
  getOperationAST,
  GraphQLError,
  Kind,
  OperationTypeNode,
  parse,
  validate,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import { limitRefusal, maxTokens } from './document-limits.js';
import { invalid } from './refusal.js';

/** A parsed and validated query, or its errors. */
export type PreparedDocument =
  | { readonly document: DocumentNode; readonly errors: readonly [] }
  | { readonly document: DocumentNode; readonly errors: readonly [GraphQLError, ...GraphQLError[]] }
  | { readonly document: null; readonly errors: readonly [GraphQLError] };

/** At most this many errors are reported, because one mistake often causes many. */
const maxErrors = 10;

/**
 * Parses and validates query texts, and caches the valid ones: for a typical persisted query this saves a millisecond
 * per request, most of it validation.
 *
 * @param capacity the size of the cache, which evicts the least recently used document. The limit on tokens bounds the
 * memory of each.
 */
export function createDocuments(schema: GraphQLSchema, capacity = 200): (text: string) => PreparedDocument {
  const known = new Map<string, PreparedDocument>(); // in the order of use
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) {
      known.delete(text);
      known.set(text, found);
      return found;
    }
    const prepared = prepare(schema, text);
    if (prepared.errors.length === 0) {
      known.set(text, prepared);
      const [oldest] = known.keys();
      if (known.size > capacity && oldest !== undefined) known.delete(oldest);
    }
    return prepared;
  };
}

/** The name of the operation that is executed, cut to 100 characters; undefined if it has no name, or no operation has the requested one. */
export function nameOfOperation({ document }: PreparedDocument, asked: string | null): string | undefined {
  const operation = document === null ? null : getOperationAST(document, asked);
  return operation?.name?.value.slice(0, 100);
}

const tooDeep = invalid('query', 'The query nests too deep to be parsed.');

function prepare(schema: GraphQLSchema, text: string): PreparedDocument {
  let document: DocumentNode;
  try {
    document = parse(text, { maxTokens });
  } catch (error) {
    // The parser is recursive, and can reach the end of the stack before it has counted the tokens.
    if (error instanceof RangeError) return { document: null, errors: [graphqlError(tooDeep)] };
    return { document: null, errors: [graphqlError(error)] };
  }
  const refusal = limitRefusal(document) ?? otherThanQuery(document);
  if (refusal !== null) return { document, errors: [graphqlError(refusal)] };
  const [first, ...others] = validate(schema, document, undefined, { maxErrors });
  return first === undefined ? { document, errors: [] } : { document, errors: [first, ...others] };
}

/** graphql-js does not reject operations of types that the schema does not have. */
function otherThanQuery(document: DocumentNode): Error | null {
  const others = document.definitions.some(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION && definition.operation !== OperationTypeNode.QUERY,
  );
  return others ? invalid('query', 'Only queries are supported: no mutations, no subscriptions.') : null;
}

function graphqlError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  const originalError = error instanceof Error ? error : new Error(String(error));
  return new GraphQLError(originalError.message, { originalError });
}
