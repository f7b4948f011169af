import type { Operation } from '../read/contract-model.js';
import { resolve, type OpenApiDocument, type SchemaObject } from '../read/openapi-document.js';

/**
 * Finds out whether an operation's reply contains a token pair that the client should adopt: its body, or an alternative
 * of it, is a pair, or has one as its property `tokens`.
 */
export function tokensIn(document: OpenApiDocument, operation: Operation): 'reply' | 'tokens' | null {
  const bodies = operation.replies.flatMap((reply) =>
    reply.kind === 'success' && reply.schema !== null ? branches(document, reply.schema) : [],
  );
  if (bodies.some(isPair)) return 'reply';
  const nested = bodies.flatMap((body) => {
    const tokens = propertiesOf(body)['tokens'];
    return isSchema(tokens) ? branches(document, tokens) : [];
  });
  return nested.some(isPair) ? 'tokens' : null;
}

function branches(document: OpenApiDocument, schema: SchemaObject): SchemaObject[] {
  const resolved = resolve<SchemaObject>(document, schema);
  const { oneOf } = resolved;
  return Array.isArray(oneOf) ? oneOf.filter(isSchema).flatMap((branch) => branches(document, branch)) : [resolved];
}

function isPair(schema: SchemaObject): boolean {
  const properties = propertiesOf(schema);
  return 'access_token' in properties && 'refresh_token' in properties;
}

function propertiesOf({ properties }: SchemaObject): SchemaObject {
  return isSchema(properties) ? properties : {};
}

function isSchema(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
