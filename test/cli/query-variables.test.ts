import { expect, it } from 'vitest';
import { persistedQueries } from '../../generated/graphql/schema.js';
import { declaredTypes, queryVariables, withLargestPages, withLastDays } from '../../src/cli/query-variables.js';

const types =
  declaredTypes(`query ($orgId: String!, $dateRange: DateRangeInput!, $previous: DateRangeInput!, $first: Int) {
  catalog(orgId: $orgId) { limits { maxDays } }
}`);

it('The last days of a query end today, and the days before end the day before them', () => {
  expect(withLastDays(types, { first: 5 }, 7, '2028-03-01')).toEqual({
    first: 5,
    dateRange: { startDate: '2028-02-24', endDate: '2028-03-01' },
    previous: { startDate: '2028-02-17', endDate: '2028-02-23' },
  });
});

it('The last days of a query do not replace days that were chosen', () => {
  const dateRange = { startDate: '2026-01-01', endDate: '2026-01-31' };
  expect(withLastDays(types, { dateRange }, 7, '2028-03-01')).toMatchObject({ dateRange });
});

it('Values are parsed by the types that the query declares', () => {
  const given = ['completedOnly=true', 'filters={"teams":["payments"]}', 'order=CHURN_LOC'];
  expect(queryVariables(declaredTypes(persistedQueries['work-units'].text), given)).toEqual({
    completedOnly: true,
    filters: { teams: ['payments'] },
    order: 'CHURN_LOC',
  });
});

it('An export asks for the largest pages, unless a size is given', () => {
  expect(withLargestPages(types, {})).toEqual({ first: 1000 });
  expect(withLargestPages(types, { first: 20 })).toEqual({ first: 20 });
  expect(withLargestPages(declaredTypes(persistedQueries['team-values'].text), {})).toEqual({});
});
