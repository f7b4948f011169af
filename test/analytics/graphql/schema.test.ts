import { readFile } from 'node:fs/promises';
import { buildSchema, Kind, parse, print, valueFromASTUntyped, visit, type ASTNode } from 'graphql';
import { expect, test } from 'vitest';
import { createExecutableSchema } from '../../../src/analytics/graphql/executable-schema.js';
import {
  BASELINES,
  DIMENSIONS,
  DISTRIBUTION_MEASURES,
  INTERVALS,
  MEASURES,
  SCOPE_LEVELS,
} from '../../../src/analytics/vocabulary.js';

const sources = ['schema', 'errors'] as const;
const read = (name: string): Promise<string> => readFile(`graphql/${name}.graphql`, 'utf8');
const schemaText = await read('schema');
const schema = buildSchema(schemaText);

test.each(sources)('Everything in %s.graphql is described', async (name) => {
  const bare: string[] = [];
  visit(parse(await read(name)), {
    enter(node: ASTNode) {
      if (node.kind === Kind.DIRECTIVE_DEFINITION) return false; // its arguments are described with it
      const name = 'name' in node && node.kind.endsWith('Definition') ? node.name.value : undefined;
      // What all errors have is described at their interface.
      if (name === undefined || name === 'code' || name === 'request_id') return undefined;
      if (Reflect.get(node, 'description') === undefined) bare.push(print(node));
      return undefined;
    },
  });
  expect(bare).toEqual([]);
});

test('Only fields that may be omitted, unknown or missing are nullable in results', () => {
  const nullable = Object.values(schema.getTypeMap()).flatMap((type) =>
    'getFields' in type && !('isOneOf' in type) && !type.name.startsWith('__')
      ? Object.values(type.getFields())
          .filter((field) => !field.type.toString().endsWith('!') || /[^!]\]/.test(field.type.toString()))
          .map((field) => `${type.name}.${field.name}`)
      : [],
  );
  expect(nullable.sort()).toEqual([
    'AnalyticsResult.sankey',
    'BreakdownItem.baseline',
    'CatalogResult.values',
    'DistributionItem.baseline',
    'DistributionResult.coverage',
    'Query.workUnit',
    'SankeyResult.coverage',
    'WorkUnit.churnLoc',
    'WorkUnit.completedAt',
    'WorkUnit.cycleTimeHours',
    'WorkUnit.title',
    'WorkUnit.url',
    'WorkUnitExplanation.url',
    'WorkUnitPage.nextCursor',
  ]);
});

test('The defaults of a request are the documented ones', () => {
  const defaults: Record<string, unknown> = {};
  visit(parse(schemaText), {
    InputValueDefinition: ({ name, defaultValue }) => {
      if (defaultValue !== undefined) defaults[name.value] = valueFromASTUntyped(defaultValue);
    },
  });
  expect(defaults).toEqual({
    topN: 10,
    completedOnly: false,
    maxNodes: 100,
    maxEdges: 500,
    useInvestment: false,
    timeseries: [],
    breakdowns: [],
    distributions: [],
    dimension: 'WORK_TYPE',
    level: 'ORG',
    ids: [],
    teams: [],
    repos: [],
    authors: [],
    workTypes: [],
    themes: [],
    subcategories: [],
    order: 'DAY',
    direction: 'DESC',
    first: 50,
  });
});

test.each([
  ['DimensionInput', DIMENSIONS],
  ['MeasureInput', MEASURES],
  ['DistributionMeasureInput', DISTRIBUTION_MEASURES],
  ['BaselineInput', BASELINES],
  ['BucketIntervalInput', INTERVALS],
  ['ScopeLevelInput', SCOPE_LEVELS],
])('%s has the values of the analytics', (name, words) => {
  const type = schema.getType(name);
  expect(type !== undefined && 'getValues' in type ? type.getValues().map((value) => value.name) : null).toEqual(words);
});

test('The served schema has a resolver for each root field', () => {
  const fields = Object.values(createExecutableSchema().getQueryType()?.getFields() ?? {});
  expect(fields.map(({ name }) => name)).toEqual(['catalog', 'analytics', 'workUnits', 'workUnit']);
  expect(fields.every(({ resolve }) => resolve !== undefined)).toBe(true);
});
