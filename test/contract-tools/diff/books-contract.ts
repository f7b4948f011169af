/** A contract with one of everything that the comparison knows, for mutations. */
export function booksContract(): Tree {
  return JSON.parse(JSON.stringify(contract)) as Tree; // whose literal types would forbid mutations
}

/** A document as mutations see it: any member may be read, set and deleted. */
export type Tree = { [key: string]: Tree };

const book = { $ref: '#/components/schemas/Book' };
const contract = {
  openapi: '3.1.0',
  info: { title: 'Books', version: '1.0.0' },
  servers: [{ url: 'https://books.example' }],
  tags: [{ name: 'books' }],
  security: [{ key: ['read'] }],
  'x-max-body-bytes': 1000,
  'x-api-responses': { '404': { $ref: '#/components/responses/Problem' } },
  paths: {
    '/books': {
      summary: 'Books',
      parameters: [{ name: 'X-Trace', in: 'header', schema: { type: 'string' } }],
      get: {
        operationId: 'listBooks',
        summary: 'List books',
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
          { name: 'q', in: 'query', required: true, allowReserved: true, schema: { type: 'string', maxLength: 50 } },
          {
            name: 'tags',
            in: 'query',
            style: 'form',
            explode: true,
            schema: { type: 'array', items: { type: 'string' } },
          },
          { name: 'filter', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } },
        ],
        responses: {
          '200': {
            description: 'The books.',
            headers: {
              ETag: { required: true, schema: { type: 'string', pattern: '^"' } },
              Age: { schema: { type: 'integer', minimum: 0 } },
            },
            content: {
              'application/json': { schema: { $ref: '#/components/schemas/BookList' }, example: { items: [] } },
              'text/csv': { schema: { type: 'string' } },
            },
          },
          '400': { $ref: '#/components/responses/Problem' },
        },
      },
      post: {
        operationId: 'addBook',
        security: [{ key: ['write'] }, { session: [] }],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: book }, 'application/yaml': { schema: book } },
        },
        responses: {
          '201': { description: 'Added.', content: { 'application/json': { schema: book } } },
          '409': { $ref: '#/components/responses/Problem' },
        },
      },
    },
    '/books/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }],
      delete: { operationId: 'removeBook', responses: { '204': { description: 'Removed.' } } },
    },
  },
  webhooks: {
    'book.added': {
      post: {
        summary: 'A book was added',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Added' } } },
        },
        responses: { '204': { description: 'Received.' } },
      },
    },
  },
  components: {
    securitySchemes: {
      key: { type: 'http', scheme: 'bearer', description: 'A key.' },
      session: { type: 'apiKey', in: 'cookie', name: 'session' },
    },
    responses: {
      Problem: {
        description: 'A problem.',
        content: {
          'application/problem+json': {
            schema: { oneOf: [{ $ref: '#/components/schemas/Missing' }, { $ref: '#/components/schemas/Conflict' }] },
          },
        },
      },
    },
    schemas: {
      BookList: {
        type: 'object',
        additionalProperties: false,
        required: ['items'],
        properties: { items: { type: 'array', items: book }, next: { type: ['string', 'null'] } },
      },
      Book: {
        type: 'object',
        title: 'Book',
        additionalProperties: false,
        required: ['name', 'kind'],
        properties: {
          name: { type: 'string', description: 'Its name.', minLength: 1, maxLength: 100 },
          kind: { type: 'string', enum: ['novel', 'poetry'] },
          isbn: { type: 'string', pattern: '^[0-9]+$' },
          price: { type: 'number', minimum: 0, exclusiveMaximum: 1000, multipleOf: 0.01, default: 1 },
          pages: { type: ['integer', 'null'] },
          authors: { type: 'array', minItems: 1, maxItems: 9, uniqueItems: true, items: { type: 'string' } },
          labels: {
            type: 'object',
            maxProperties: 8,
            propertyNames: { type: 'string', pattern: '^[a-z]' },
            additionalProperties: { type: 'string' },
          },
          media: {
            oneOf: [
              { type: 'object', required: ['form'], properties: { form: { type: 'string', const: 'paper' } } },
              { type: 'object', required: ['form'], properties: { form: { type: 'string', const: 'file' } } },
            ],
          },
          place: { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'string' }] },
          extra: { type: 'object', additionalProperties: true },
          id: { type: 'string', readOnly: true },
          sequel: book,
        },
      },
      Added: {
        type: 'object',
        required: ['type'],
        properties: { type: { type: 'string', const: 'book.added' }, id: { type: 'string', maxLength: 36 } },
      },
      Missing: {
        type: 'object',
        required: ['type'],
        properties: { type: { type: 'string', const: '/problems/missing' } },
      },
      Conflict: {
        type: 'object',
        required: ['type'],
        properties: { type: { type: 'string', const: '/problems/conflict' } },
      },
    },
  },
};
