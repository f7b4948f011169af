import { execute, type GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import { createDocuments } from '../../../src/analytics/graphql/documents.js';
import { fieldOf } from '../../../src/analytics/graphql/error-field.js';
import { createExecutableSchema } from '../../../src/analytics/graphql/executable-schema.js';

const schema = createExecutableSchema();
const prepare = createDocuments(schema);

/** The errors of a request up to its variables. */
function errorsOf(text: string, variableValues: Record<string, unknown>): readonly GraphQLError[] {
  const { document, errors } = prepare(text);
  if (errors.length > 0 || document === null) return errors;
  const result = execute({ schema, document, variableValues });
  return 'errors' in result ? (result.errors ?? []) : [];
}

const batch = (content: string): string => `{ analytics(orgId: "o", batch: ${content}) { sankey { nodes { id } } } }`;
const withVariable =
  'query ($orgId: String!, $batch: AnalyticsRequestInput!) { analytics(orgId: $orgId, batch: $batch) { sankey { nodes { id } } } }';
const range = { startDate: '2026-01-01', endDate: '2026-01-31' };

test.each<[string, string, Record<string, unknown>, string]>([
  ['an argument', '{ catalog(orgId: "o", dimension: TEAMS) { values { value } } }', {}, 'dimension'],
  ['an argument of a wrong type', '{ catalog(orgId: 1) { values { value } } }', {}, 'orgId'],
  ['an argument that is missing', '{ catalog { values { value } } }', {}, 'catalog'],
  [
    'a date',
    batch(
      '{ sankey: { path: [TEAM, REPO], measure: COUNT, dateRange: { startDate: "2026-02-29", endDate: "2026-03-01" } } }',
    ),
    {},
    'batch.sankey.dateRange.startDate',
  ],
  [
    'an item of a list',
    batch(
      '{ breakdowns: [{ dimension: TEAM, measure: COUNT, dateRange: { startDate: "2026-02-01", endDate: "2026-03-01" } }, { dimension: TEAM, measure: NONE, dateRange: { startDate: "2026-02-01", endDate: "2026-03-01" } }] }',
    ),
    {},
    'batch.breakdowns[1].measure',
  ],
  ['a field that is not there', '{ catalog(orgId: "o") { nothing } }', {}, 'catalog.nothing'],
  [
    'a field in a variable',
    withVariable,
    {
      orgId: 'o',
      batch: { breakdowns: [{ dimension: 'TEAM', measure: 'COUNT', dateRange: { ...range, endDate: '2026-13-01' } }] },
    },
    'batch.breakdowns[0].dateRange.endDate',
  ],
  ['a member that is not in the schema', withVariable, { orgId: 'o', batch: { limit: 1 } }, 'batch'],
  ['a variable of a wrong type', withVariable, { orgId: 7, batch: {} }, 'orgId'],
  ['a variable that is missing', withVariable, { orgId: 'o' }, 'batch'],
  ['the text', '{', {}, 'query'],
])('The field of %s is reported', (_name, text, variables, way) => {
  const [error] = errorsOf(text, variables);
  expect(error === undefined ? null : fieldOf(error)).toBe(way);
});
