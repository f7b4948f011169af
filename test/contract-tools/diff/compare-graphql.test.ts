import { expect, test } from 'vitest';
import { compareSchemaTexts } from '../../../src/contract-tools/diff/compare-graphql.js';
import { comparePersisted } from '../../../src/contract-tools/diff/compare-persisted.js';

const schema = `
directive @http(response: [Int!]!) on OBJECT
"Reads books."
type Query { books(first: Int!, kind: Kind = NOVEL, filter: Filter): [Book!]! }
enum Kind { NOVEL POETRY }
enum Order { UP }
enum ErrorCode { MISSING }
input Filter { name: String, order: Order, size: Int = 5, shelf: Int! }
interface Named { name: String! }
type Book implements Named { name: String!, kind: Kind, pages: Int, old: String @deprecated }
type Film { name: String! }
union Item = Book | Film
type MissingError @http(response: [404]) { message: String! }
`;

const mutations: [name: string, from: string, to: string, forward: string[], backward: string[]][] = [
  ['a description', 'Reads books.', 'Lists books.', ['neutral contract'], ['neutral contract']],
  ['no deprecation', ' @deprecated', '', ['neutral contract'], ['neutral contract']],
  ['a new type', 'union Item', 'type Cd { a: Int }\nunion Item', ['additive contract'], ['breaking contract']],
  ['a new field', 'pages: Int', 'pages: Int, year: Int', ['additive reply'], ['breaking reply']],
  ['a field that is never null', 'pages: Int', 'pages: Int!', ['additive reply'], ['breaking reply']],
  ['a field of another type', 'pages: Int', 'pages: Float', ['breaking reply'], ['breaking reply']],
  ['a new optional argument', 'first: Int!', 'first: Int!, after: ID', ['additive request'], ['breaking request']],
  ['a new required argument', 'first: Int!', 'first: Int!, after: ID!', ['breaking request'], ['breaking request']],
  ['an argument that may be left out', 'first: Int!', 'first: Int', ['additive request'], ['breaking request']],
  ['another default', '= NOVEL', '= POETRY', ['breaking request'], ['breaking request']],
  ['a new input field', 'order: Order', 'order: Order, a: Int', ['additive request'], ['breaking request']],
  ['a new required input field', 'order: Order', 'order: Order, a: Int!', ['breaking request'], ['breaking request']],
  ['another default of an input field', '= 5', '= 6', ['breaking request'], ['breaking request']],
  ['no default of an input field', 'size: Int = 5', 'size: Int', ['breaking request'], ['breaking request']],
  ['an input field that gets a default', 'shelf: Int!', 'shelf: Int! = 1', ['additive request'], ['breaking request']],
  ['an argument that gets a default', 'first: Int!', 'first: Int! = 1', ['additive request'], ['breaking request']],
  ['a default where there was none', 'order: Order', 'order: Order = UP', ['breaking request'], ['breaking request']],
  ['a mutation', 'enum Kind', 'type Mutation { a: Int }\nenum Kind', ['additive contract'], ['breaking contract']],
  ['items that may be null', '[Book!]!', '[Book]!', ['breaking reply'], ['additive reply']],
  ['a value that is sent', 'UP', 'UP DOWN', ['additive request'], ['breaking request']],
  [
    'a value that is sent and received',
    'NOVEL POETRY',
    'NOVEL POETRY DRAMA',
    ['additive request', 'breaking reply'],
    ['additive reply', 'breaking request'],
  ],
  ['an error code', 'MISSING }', 'MISSING BUSY }', ['additive reply'], ['additive reply']],
  ['a new member of a union', 'Book | Film', 'Book | Film | MissingError', ['breaking reply'], ['breaking reply']],
  ['one interface less', 'Book implements Named', 'Book', ['breaking reply'], ['additive reply']],
  [
    'another kind of type',
    'type Film {',
    'interface Film {',
    ['breaking contract', 'breaking reply'],
    ['breaking contract', 'breaking reply'],
  ],
  ['another status of an error', '404', '410', ['breaking reply'], ['breaking reply']],
  [
    'a directive that repeats',
    '@http(response: [Int!]!) on',
    '@http(response: [Int!]!) repeatable on',
    ['additive contract'],
    ['breaking contract'],
  ],
];

test.each(mutations)('classifies in a schema: %s', (_, from, to, forward, backward) => {
  expect(schema).toContain(from);
  const mutated = schema.replace(from, to).replace(to.includes('interface Film') ? 'Book | Film' : '\0', 'Book');
  expect(classes(compareSchemaTexts(schema, mutated))).toEqual(forward);
  expect(classes(compareSchemaTexts(mutated, schema))).toEqual(backward);
});

const query = `query Q($first: Int!, $kind: Kind = NOVEL) { books(first: $first, kind: $kind) { name ...More } }
fragment More on Book { pages }`;

const queries: [name: string, from: string, to: string, forward: string[], backward: string[]][] = [
  ['layout', ' { name', ' {\n  name', ['neutral contract'], ['neutral contract']],
  ['a new selection', 'name', 'name kind', ['additive reply'], ['breaking reply']],
  ['a new selection in a fragment', 'pages', 'pages kind', ['additive reply'], ['breaking reply']],
  ['another field under a name', 'pages', 'pages: old', ['breaking reply'], ['breaking reply']],
  ['another argument', 'kind: $kind)', 'kind: POETRY)', ['breaking reply'], ['breaking reply']],
  ['a new optional variable', '$first: Int!', '$first: Int!, $x: Int', ['additive request'], ['breaking request']],
  ['a new required variable', '$first: Int!', '$first: Int!, $x: Int!', ['breaking request'], ['breaking request']],
  ['a variable that may be left out', '$first: Int!', '$first: Int', ['additive request'], ['breaking request']],
  ['another default of a variable', '= NOVEL', '= POETRY', ['breaking request'], ['breaking request']],
];

test.each(queries)('classifies in a persisted query: %s', (_, from, to, forward, backward) => {
  expect(query).toContain(from);
  const [old, now] = [new Map([['q', query]]), new Map([['q', query.replace(from, to)]])];
  expect(classes(comparePersisted(old, now))).toEqual(forward);
  expect(classes(comparePersisted(now, old))).toEqual(backward);
});

test('a persisted query that is gone is breaking, a new one additive', () => {
  expect(classes(comparePersisted(new Map([['q', query]]), new Map()))).toEqual(['breaking contract']);
  expect(classes(comparePersisted(new Map(), new Map([['q', query]])))).toEqual(['additive contract']);
});

/** The gravest class of each side. */
function classes(changes: readonly { class: string; side: string }[]): string[] {
  const order = ['neutral', 'additive', 'breaking'];
  const bySide = new Map<string, string>();
  for (const { class: kind, side } of changes) {
    if (order.indexOf(kind) > order.indexOf(bySide.get(side) ?? '')) bySide.set(side, kind);
  }
  return [...bySide].map(([side, kind]) => `${kind} ${side}`).sort();
}
