import type { ChangeClass } from '../../../src/contract-tools/diff/change.js';
import type { Tree } from './books-contract.js';

/** The gravest change for requests, replies and the rest; `-` where nothing changed. */
export type Classes = readonly [request: ChangeClass | '-', reply: ChangeClass | '-', contract: ChangeClass | '-'];

export interface Mutation {
  readonly name: string;
  readonly mutate: (document: Tree) => unknown;
  /** From the contract to its mutation, and back. */
  readonly forward: Classes;
  readonly backward: Classes;
}

const B = 'breaking';
const A = 'additive';
const N = 'neutral';
const none = '-';

const list = (document: Tree): Tree => at(document, 'paths', '/books', 'get');
const add = (document: Tree): Tree => at(document, 'paths', '/books', 'post');
const drop = (document: Tree): Tree => at(document, 'paths', '/books/{id}', 'delete');
const parameter = (document: Tree, index: number): Tree => at(list(document), 'parameters', String(index));
const ok = (document: Tree): Tree => at(list(document), 'responses', '200');
const webhook = (document: Tree): Tree => at(document, 'webhooks', 'book.added', 'post');
const added = (document: Tree): Tree => at(document, 'components', 'schemas', 'Added');
const book = (document: Tree): Tree => at(document, 'components', 'schemas', 'Book');
const property = (document: Tree, name: string): Tree => at(book(document), 'properties', name);

/** Changes of a schema that requests and replies share. The classes of one side are the reverse of the other's. */
function inBook(name: string, effect: 'widens' | 'narrows' | 'changes', mutate: (document: Tree) => unknown): Mutation {
  const widened: Classes = [A, B, none];
  const narrowed: Classes = [B, A, none];
  const changed: Classes = [B, B, none];
  const [forward, backward] =
    effect === 'changes' ? [changed, changed] : effect === 'widens' ? [widened, narrowed] : [narrowed, widened];
  return { name: `schema: ${name}`, mutate, forward, backward };
}

function of(name: string, forward: Classes, backward: Classes, mutate: (document: Tree) => unknown): Mutation {
  return { name, mutate, forward, backward };
}

const request = (forward: ChangeClass, backward: ChangeClass): [Classes, Classes] => [
  [forward, none, none],
  [backward, none, none],
];
const reply = (forward: ChangeClass, backward: ChangeClass): [Classes, Classes] => [
  [none, forward, none],
  [none, backward, none],
];
const whole = (forward: ChangeClass, backward: ChangeClass): [Classes, Classes] => [
  [none, none, forward],
  [none, none, backward],
];

export const mutations: readonly Mutation[] = [
  // The document and its operations
  of('document: another title', ...whole(N, N), (d) => set(d, 'Library', 'info', 'title')),
  of('document: a tag', ...whole(N, N), (d) => set(d, 'other', 'tags', '0', 'name')),
  of('document: a server is gone', ...request(B, B), (d) => set(d, 'https://other.example', 'servers', '0', 'url')),
  of('document: a new server', ...request(A, B), (d) => set(d, { url: 'https://two.example' }, 'servers', '1')),
  of('document: another dialect', ...whole(B, B), (d) => set(d, 'https://dialect.example', 'jsonSchemaDialect')),
  of('operation: gone', ...whole(B, A), (d) => remove(d, 'paths', '/books', 'get')),
  of('operation: path renamed', ...whole(B, B), (d) => rename(d, 'paths', '/books', '/all-books')),
  of('operation: another operationId', ...whole(B, B), (d) => set(list(d), 'getBooks', 'operationId')),
  of('operation: summary', ...whole(N, N), (d) => set(list(d), 'Lists', 'summary')),
  of('operation: deprecated', ...whole(N, N), (d) => set(list(d), true, 'deprecated')),
  of('operation: callbacks', ...whole(B, B), (d) => set(list(d), { done: {} }, 'callbacks')),
  of('operation: an extension', ...whole(N, N), (d) => set(list(d), 1, 'x-cost')),
  of('operation: new', ...whole(A, B), (d) => set(d, { responses: {} }, 'paths', '/books', 'put')),
  of('operation: another server', ...request(B, B), (d) => set(list(d), [{ url: 'https://x.example' }], 'servers')),
  of('operation: a rate limit', ...whole(N, N), (d) => set(list(d), [{ name: 'x' }], 'x-rate-limit')),
  of('operation: a tool', ...whole(N, N), (d) => set(list(d), { name: 'list_books' }, 'x-mcp')),
  of('path: summary', ...whole(N, N), (d) => set(d, 'All books', 'paths', '/books', 'summary')),
  of('requests: a smaller largest body', ...request(B, A), (d) => set(d, 10, 'x-max-body-bytes')),
  of('requests: no largest body', ...request(A, B), (d) => remove(d, 'x-max-body-bytes')),

  // Security
  of('security: another scope', ...request(B, B), (d) => set(list(d), [{ key: ['admin'] }], 'security')),
  of('security: one more scope', ...request(B, A), (d) => set(list(d), [{ key: ['read', 'admin'] }], 'security')),
  of('security: none', ...request(A, B), (d) => set(list(d), [], 'security')),
  of('security: an alternative is gone', ...request(B, A), (d) => set(add(d), [{ session: [] }], 'security')),
  of('security: anonymous callers too', ...request(A, B), (d) => set(add(d), {}, 'security', '2')),
  of('security: a cookie of another name', ...request(B, B), (d) =>
    set(d, 'sid', 'components', 'securitySchemes', 'session', 'name'),
  ),
  of('security: both schemes at once', ...request(B, A), (d) =>
    set(add(d), [{ key: ['write'], session: [] }], 'security'),
  ),
  of('security: another kind of scheme', ...request(B, B), (d) =>
    set(d, 'basic', 'components', 'securitySchemes', 'key', 'scheme'),
  ),
  of('security: words of a scheme', ...request(N, N), (d) =>
    set(d, 'Key', 'components', 'securitySchemes', 'key', 'description'),
  ),

  // Parameters
  of('parameter: gone', ...request(B, A), (d) => splice(list(d), 'parameters', 0)),
  of('parameter: a new required one', ...request(B, B), (d) =>
    set(list(d), { name: 'n', in: 'query', required: true, schema: {} }, 'parameters', '4'),
  ),
  of('parameter: of a path is gone', ...request(B, A), (d) => remove(d, 'paths', '/books', 'parameters')),
  of('parameter: became optional', ...request(A, B), (d) => remove(parameter(d, 1), 'required')),
  of('parameter: moved to a header', ...request(B, B), (d) => set(parameter(d, 1), 'header', 'in')),
  of('parameter: a header in another case', ...request(N, N), (d) => {
    set(d, 'x-trace', 'paths', '/books', 'parameters', '0', 'name');
    set(d, 'A trace.', 'paths', '/books', 'parameters', '0', 'description');
  }),
  of('parameter: another style', ...request(B, B), (d) => set(parameter(d, 2), 'pipeDelimited', 'style')),
  of('parameter: not exploded', ...request(B, B), (d) => set(parameter(d, 2), false, 'explode')),
  of('parameter: no reserved characters', ...request(B, A), (d) => remove(parameter(d, 1), 'allowReserved')),
  of('parameter: a higher maximum', ...request(A, B), (d) => set(parameter(d, 0), 200, 'schema', 'maximum')),
  of('parameter: a shorter text', ...request(B, A), (d) => set(parameter(d, 1), 9, 'schema', 'maxLength')),
  of('parameter: another default', ...request(B, B), (d) => set(parameter(d, 0), 9, 'schema', 'default')),
  of('parameter: no default', ...request(B, B), (d) => remove(parameter(d, 0), 'schema', 'default')),
  of('parameter: another item', ...request(B, B), (d) => set(parameter(d, 2), 'integer', 'schema', 'items', 'type')),
  of('parameter: in another media type', ...request(B, B), (d) =>
    rename(parameter(d, 3), 'content', 'application/json', 'application/yaml'),
  ),
  of('parameter: deprecated', ...request(N, N), (d) => set(parameter(d, 0), true, 'deprecated')),

  // Bodies of requests
  of('body: optional', ...request(A, B), (d) => remove(add(d), 'requestBody', 'required')),
  of('body: gone', ...request(B, B), (d) => remove(add(d), 'requestBody')),
  of('body: a media type is gone', ...request(B, A), (d) =>
    remove(add(d), 'requestBody', 'content', 'application/yaml'),
  ),
  of('body: an encoding', ...request(B, B), (d) =>
    set(add(d), {}, 'requestBody', 'content', 'application/json', 'encoding'),
  ),
  of('body: where there was none', ...request(A, B), (d) => set(drop(d), { content: {} }, 'requestBody')),
  of('body: required where there was none', ...request(B, B), (d) => set(drop(d), { required: true }, 'requestBody')),
  of('body: described', ...request(N, N), (d) => set(add(d), 'A book.', 'requestBody', 'description')),

  // Replies
  of('reply: a success is gone', ...reply(B, B), (d) => rename(add(d), 'responses', '201', '200')),
  of('reply: one more success', ...reply(B, B), (d) => set(add(d), { description: 'Later.' }, 'responses', '202')),
  of('reply: an error is gone', ...reply(A, A), (d) => remove(list(d), 'responses', '400')),
  of('reply: to no operation is gone', ...reply(A, A), (d) => remove(d, 'x-api-responses', '404')),
  of('reply: a media type is gone', ...reply(B, A), (d) => remove(ok(d), 'content', 'text/csv')),
  of('reply: description', ...reply(N, N), (d) => set(ok(d), 'Books.', 'description')),
  of('reply: links', ...reply(B, B), (d) => set(ok(d), { next: {} }, 'links')),
  of('reply: a new error', ...reply(A, A), (d) => set(list(d), { description: 'Busy.' }, 'responses', '503')),
  of('reply: a class of errors', ...reply(A, A), (d) => set(list(d), { description: 'Refused.' }, 'responses', '4XX')),
  of('reply: a new header', ...reply(A, B), (d) => set(ok(d), { schema: {} }, 'headers', 'X-Total')),
  of('reply: another example', ...reply(N, N), (d) => set(ok(d), {}, 'content', 'application/json', 'example')),
  of('reply: a header is gone', ...reply(B, A), (d) => remove(ok(d), 'headers', 'ETag')),
  of('reply: a header became optional', ...reply(B, A), (d) => remove(ok(d), 'headers', 'ETag', 'required')),
  of('reply: a header of another form', ...reply(B, B), (d) =>
    set(ok(d), '^W', 'headers', 'ETag', 'schema', 'pattern'),
  ),
  of('reply: a header may be lower', ...reply(B, A), (d) => set(ok(d), -1, 'headers', 'Age', 'schema', 'minimum')),
  of('reply: a new problem', ...reply(A, A), (d) =>
    splice(at(d, 'components', 'responses', 'Problem', 'content', 'application/problem+json', 'schema'), 'oneOf', 1),
  ),
  of('reply: a property is gone', ...reply(B, A), (d) =>
    remove(d, 'components', 'schemas', 'BookList', 'properties', 'next'),
  ),
  of('reply: a property is always present', ...reply(A, B), (d) =>
    set(d, 'next', 'components', 'schemas', 'BookList', 'required', '1'),
  ),

  // Webhooks
  of('webhook: gone', ...whole(B, A), (d) => remove(d, 'webhooks', 'book.added')),
  of('webhook: renamed', ...whole(B, B), (d) => rename(d, 'webhooks', 'book.added', 'book.new')),
  of('webhook: summary', ...whole(N, N), (d) => set(webhook(d), 'New book', 'summary')),
  of('webhook: a header', ...whole(B, B), (d) => set(webhook(d), [{ name: 'X-Id', in: 'header' }], 'parameters')),
  of('webhook: another reply', ...whole(B, B), (d) => rename(webhook(d), 'responses', '204', '200')),
  of('webhook: payload described', ...reply(N, N), (d) => set(webhook(d), 'A book.', 'requestBody', 'description')),
  of('webhook: payload may be absent', ...reply(B, A), (d) => remove(webhook(d), 'requestBody', 'required')),
  of('webhook: a new property', ...reply(A, B), (d) => set(added(d), { type: 'string' }, 'properties', 'title')),
  of('webhook: a property is always present', ...reply(A, B), (d) => set(added(d), 'id', 'required', '1')),
  of('webhook: a property may be longer', ...reply(B, A), (d) => set(added(d), 99, 'properties', 'id', 'maxLength')),
  of('webhook: another type', ...reply(B, B), (d) => set(added(d), 'integer', 'properties', 'id', 'type')),

  // Schemas of requests and replies
  of('schema: words', [N, N, none], [N, N, none], (d) => set(property(d, 'name'), 'Name.', 'description')),
  of('schema: an extension', [N, N, none], [N, N, none], (d) => set(property(d, 'name'), 1, 'x-width')),
  of('schema: a new optional property', [A, A, none], [B, B, none], (d) =>
    set(book(d), { type: 'string' }, 'properties', 'shelf'),
  ),
  of('schema: a new required property', [B, A, none], [B, B, none], (d) => {
    set(book(d), { type: 'string' }, 'properties', 'shelf');
    set(book(d), 'shelf', 'required', '2');
  }),
  of('schema: other properties', [A, A, none], [B, A, none], (d) => set(book(d), true, 'additionalProperties')),
  of('schema: no map any more', [B, B, none], [A, A, none], (d) =>
    set(property(d, 'labels'), false, 'additionalProperties'),
  ),
  of('schema: another default', [B, N, none], [B, N, none], (d) => set(property(d, 'price'), 2, 'default')),
  of('schema: readOnly is gone', [A, N, none], [B, N, none], (d) => remove(property(d, 'id'), 'readOnly')),
  of('schema: writeOnly', [N, B, none], [N, A, none], (d) => set(property(d, 'isbn'), true, 'writeOnly')),
  of('schema: normalized texts', [B, N, none], [B, N, none], (d) => set(property(d, 'name'), 'email', 'x-normalize')),
  inBook('a property became optional', 'widens', (d) => splice(book(d), 'required', 1)),
  inBook('a property became required', 'narrows', (d) => set(book(d), 'isbn', 'required', '2')),
  inBook('another type', 'changes', (d) => set(property(d, 'pages'), ['string', 'null'], 'type')),
  inBook('not null any more', 'narrows', (d) => set(property(d, 'pages'), 'integer', 'type')),
  inBook('an integer became a number', 'widens', (d) => set(property(d, 'pages'), ['number', 'null'], 'type')),
  inBook('any type', 'widens', (d) => remove(property(d, 'isbn'), 'type')),
  inBook('a value is gone', 'narrows', (d) => splice(property(d, 'kind'), 'enum', 1)),
  inBook('any value', 'widens', (d) => remove(property(d, 'kind'), 'enum')),
  inBook('a shorter least length', 'widens', (d) => remove(property(d, 'name'), 'minLength')),
  inBook('a lower greatest length', 'narrows', (d) => set(property(d, 'name'), 50, 'maxLength')),
  inBook('a lower minimum', 'widens', (d) => set(property(d, 'price'), -1, 'minimum')),
  inBook('a higher exclusive maximum', 'widens', (d) => set(property(d, 'price'), 2000, 'exclusiveMaximum')),
  inBook('another multiple', 'changes', (d) => set(property(d, 'price'), 0.5, 'multipleOf')),
  inBook('another pattern', 'changes', (d) => set(property(d, 'isbn'), '^[0-9X]+$', 'pattern')),
  inBook('no pattern', 'widens', (d) => remove(property(d, 'isbn'), 'pattern')),
  inBook('a format', 'narrows', (d) => set(property(d, 'isbn'), 'isbn', 'format')),
  inBook('fewer items', 'narrows', (d) => set(property(d, 'authors'), 3, 'maxItems')),
  inBook('no item', 'widens', (d) => remove(property(d, 'authors'), 'minItems')),
  inBook('equal items', 'widens', (d) => remove(property(d, 'authors'), 'uniqueItems')),
  inBook('other items', 'changes', (d) => set(property(d, 'authors'), 'integer', 'items', 'type')),
  inBook('any items', 'widens', (d) => remove(property(d, 'authors'), 'items')),
  inBook('fewer entries of a map', 'narrows', (d) => set(property(d, 'labels'), 4, 'maxProperties')),
  inBook('other values of a map', 'changes', (d) =>
    set(property(d, 'labels'), 'integer', 'additionalProperties', 'type'),
  ),
  inBook('other names of a map', 'changes', (d) => set(property(d, 'labels'), '^[A-Z]', 'propertyNames', 'pattern')),
  inBook('an alternative is gone', 'narrows', (d) => splice(property(d, 'media'), 'oneOf', 1)),
  inBook('one alternative is left, without oneOf', 'narrows', (d) => {
    set(book(d), at(property(d, 'media'), 'oneOf', '0'), 'properties', 'media');
  }),
  inBook('a longer tuple', 'narrows', (d) => set(property(d, 'place'), { type: 'string' }, 'prefixItems', '2')),
  inBook('another entry of a tuple', 'changes', (d) =>
    set(property(d, 'place'), 'boolean', 'prefixItems', '1', 'type'),
  ),
  inBook('something forbidden', 'narrows', (d) => set(property(d, 'isbn'), { const: '0' }, 'not')),
  inBook('all of two', 'changes', (d) => set(property(d, 'extra'), [{ minProperties: 1 }], 'allOf')),
  inBook('a keyword that is not compared', 'changes', (d) => set(property(d, 'extra'), {}, 'if')),
  inBook('one of two conditions', 'changes', (d) => set(property(d, 'extra'), [{ minProperties: 1 }], 'anyOf')),
  inBook('a constant', 'narrows', (d) => set(property(d, 'isbn'), '7', 'const')),
  inBook('an item that must be among others', 'narrows', (d) =>
    set(property(d, 'authors'), { const: 'a' }, 'contains'),
  ),
  inBook('an encoding', 'narrows', (d) => set(property(d, 'isbn'), 'base64', 'contentEncoding')),
  inBook('properties by a pattern', 'changes', (d) => set(property(d, 'extra'), { '^x': {} }, 'patternProperties')),
  inBook('properties that come together', 'changes', (d) => set(book(d), { isbn: ['price'] }, 'dependentRequired')),
  inBook('a discriminator', 'changes', (d) => set(property(d, 'media'), { propertyName: 'form' }, 'discriminator')),
  inBook('nothing at all', 'narrows', (d) =>
    set(property(d, 'labels'), { not: {}, type: 'string' }, 'additionalProperties'),
  ),
];

function at(tree: Tree, ...path: readonly string[]): Tree {
  return path.reduce((place, key) => {
    const next = place[key];
    if (next === undefined) throw new Error(`The contract has no ${path.join(' ')}`);
    return next;
  }, tree);
}

function set(tree: Tree, value: unknown, ...path: readonly string[]): Tree {
  return Object.assign(at(tree, ...path.slice(0, -1)), { [path.at(-1) ?? '']: value });
}

function remove(tree: Tree, ...path: readonly string[]): Tree {
  at(tree, ...path); // a mutation that changes nothing is a mistake
  Reflect.deleteProperty(at(tree, ...path.slice(0, -1)), path.at(-1) ?? '');
  return tree;
}

function rename(tree: Tree, ...path: readonly string[]): Tree {
  const [to = '', from = ''] = [path.at(-1), path.at(-2)];
  const outer = at(tree, ...path.slice(0, -2));
  set(outer, at(outer, from), to);
  return remove(outer, from);
}

function splice(tree: Tree, key: string, index: number): unknown {
  const list: unknown = at(tree, key);
  if (!Array.isArray(list) || index >= list.length) throw new Error(`${key} has no entry ${index}`);
  return list.splice(index, 1);
}
