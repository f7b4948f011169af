import { describe, expect, it } from 'vitest';
import { emitSdkOperations } from '../../src/codegen/emit/sdk-operations.js';
import { readContract } from '../../src/codegen/read/read-contract.js';
import type { OpenApiDocument, ResponseObject } from '../../src/codegen/read/openapi-document.js';

describe('what the generator emits for the SDK', () => {
  it('makes a stream of lines an async iterable', () => {
    const text = emitted({ 200: { description: 'Lines.', content: content('application/x-ndjson') } });
    expect(text).toContain('Success<200, AsyncIterable<Schemas["Thing"]>>');
    expect(text).toContain('format: formats.ndjson');
  });

  it('reads no body of a reply without content', () => {
    const text = emitted({ 204: { description: 'Done.' } });
    expect(text).toContain('Success<204, undefined>');
    expect(text).not.toContain('formats.');
  });

  it('requires path parameters and leaves the query to the caller', () => {
    const text = emitted({ 204: { description: 'Done.' } });
    expect(text).toContain(`readonly params: operations["readThing"]['parameters']['path']`);
    expect(text).toContain(
      `readonly query?: Parameters<NonNullable<operations["readThing"]['parameters']['query']>> | undefined`,
    );
    expect(text).toContain('request: ReadThingRequest');
  });

  it('refuses an operation whose successes differ in media type', () => {
    const responses = {
      200: { description: 'Lines.', content: content('application/x-ndjson') },
      202: { description: 'One.', content: content('application/json') },
    };
    expect(() => emitted(responses)).toThrow('readThing: the SDK reads one media type per operation');
  });

  it('marks replies that carry tokens', () => {
    const text = emitted({ 200: { description: 'Tokens.', content: content('application/json', 'Membership') } });
    expect(text).toContain('issues: "tokens"');
    expect(text).toContain('ReadThingRequest extends TokenCallOptions');
  });
});

function content(mediaType: string, schema = 'Thing'): NonNullable<ResponseObject['content']> {
  return { [mediaType]: { schema: { $ref: `#/components/schemas/${schema}` }, example: {} } };
}

/** The SDK's text for an API of one operation with the given responses. */
function emitted(responses: Readonly<Record<string, ResponseObject>>): string {
  const closed = (properties: Record<string, unknown>): Record<string, unknown> => ({
    type: 'object',
    additionalProperties: false,
    required: Object.keys(properties),
    properties,
  });
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    paths: {
      '/things/{thing_id}': {
        get: {
          operationId: 'readThing',
          summary: 'Read a thing',
          security: [],
          parameters: [
            { name: 'thing_id', in: 'path', required: true, schema: { type: 'string' }, example: 'a' },
            { name: 'full', in: 'query', schema: { type: 'boolean' }, example: true },
          ],
          responses,
        },
      },
    },
    components: {
      schemas: {
        Thing: closed({ name: { type: 'string' } }),
        Pair: closed({ access_token: { type: 'string' }, refresh_token: { type: 'string' } }),
        Membership: closed({ tokens: { $ref: '#/components/schemas/Pair' } }),
      },
    },
  };
  return emitSdkOperations(readContract('things', document));
}
