import { readFile } from 'node:fs/promises';
import { buildSchema, Kind, parse, print, valueFromASTUntyped, visit, type ASTNode, type NameNode } from 'graphql';
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
    'AnalyticsResult.dora',
    'AnalyticsResult.knownSince',
    'AnalyticsResult.knownUntil',
    'AnalyticsResult.reviews',
    'AnalyticsResult.sankey',
    'AnalyticsResult.workInProgress',
    'BreakdownItem.baseline',
    'CatalogResult.values',
    'ChangeFailureRate.failed',
    'ChangeFailureRate.rate',
    'CodeHealth.coverage',
    'CodeHealth.knownSince',
    'CodeHealth.rework',
    'DeploymentFrequency.deployments',
    'DeploymentFrequency.perDay',
    'DistributionItem.baseline',
    'DistributionResult.coverage',
    'DoraBands.changeFailureRate',
    'DoraBands.deploymentFrequency',
    'DoraBands.leadTime',
    'DoraBands.timeToRestore',
    'DoraDuration.coverage',
    'DoraDuration.statistics',
    'Hotspot.lines',
    'Hotspot.score',
    'Query.workUnit',
    'ReviewLoad.halfOfReviewsBy',
    'ReviewTimeBySize.coverage',
    'ReviewTimeBySize.fromLines',
    'ReviewTimeBySize.statistics',
    'ReviewTimeBySize.toLines',
    'ReviewsResult.total',
    'Rework.share',
    'SankeyResult.coverage',
    'WorkInProgress.ageDays',
    'WorkInProgress.count',
    'WorkInProgressBucket.count',
    'WorkUnit.churnLoc',
    'WorkUnit.completedAt',
    'WorkUnit.cycleTimeHours',
    'WorkUnit.title',
    'WorkUnit.url',
    'WorkUnitCorrection.note',
    'WorkUnitExplanation.correction',
    'WorkUnitExplanation.phases',
    'WorkUnitExplanation.url',
    'WorkUnitPage.nextCursor',
    'WorkUnitPhases.codingHours',
    'WorkUnitPhases.deployHours',
    'WorkUnitPhases.leadTimeHours',
    'WorkUnitPhases.mergeHours',
    'WorkUnitPhases.pickupHours',
    'WorkUnitPhases.reviewHours',
  ]);
});

test('The defaults of a request are the documented ones', () => {
  const defaults: Record<string, unknown> = {};
  let owner = ''; // the input type, or the field with arguments
  const enterOwner = ({ name }: { readonly name: NameNode }): void => {
    owner = name.value;
  };
  visit(parse(schemaText), {
    InputObjectTypeDefinition: enterOwner,
    FieldDefinition: enterOwner,
    InputValueDefinition: ({ name, defaultValue }) => {
      if (defaultValue !== undefined) defaults[`${owner}.${name.value}`] = valueFromASTUntyped(defaultValue);
    },
  });
  expect(defaults).toEqual({
    'AnalyticsRequestInput.timeseries': [],
    'AnalyticsRequestInput.breakdowns': [],
    'AnalyticsRequestInput.distributions': [],
    'AnalyticsRequestInput.useInvestment': false,
    'BreakdownRequestInput.topN': 10,
    'DistributionRequestInput.dimension': 'WORK_TYPE',
    'DistributionRequestInput.topN': 10,
    'DoraRequestInput.dimension': 'TEAM',
    'DoraRequestInput.topN': 10,
    'WorkInProgressRequestInput.dimension': 'TEAM',
    'WorkInProgressRequestInput.topN': 10,
    'ReviewsRequestInput.dimension': 'TEAM',
    'ReviewsRequestInput.topN': 10,
    'SankeyRequestInput.maxNodes': 100,
    'SankeyRequestInput.maxEdges': 500,
    'CodeHealthInput.depth': 1,
    'CodeHealthInput.topN': 10,
    'FilterInput.teams': [],
    'FilterInput.repos': [],
    'FilterInput.authors': [],
    'FilterInput.bots': 'INCLUDE',
    'FilterInput.assistants': 'INCLUDE',
    'FilterInput.assistantNames': [],
    'FilterInput.epics': [],
    'FilterInput.initiatives': [],
    'FilterInput.plans': [],
    'FilterInput.workTypes': [],
    'FilterInput.themes': [],
    'FilterInput.subcategories': [],
    'ScopeFilterInput.level': 'ORG',
    'ScopeFilterInput.ids': [],
    'WorkUnitsInput.useInvestment': false,
    'WorkUnitsInput.completedOnly': false,
    'WorkUnitsInput.order': 'DAY',
    'WorkUnitsInput.direction': 'DESC',
    'WorkUnitsInput.first': 50,
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
  expect(fields.map(({ name }) => name)).toEqual(['catalog', 'analytics', 'workUnits', 'workUnit', 'codeHealth']);
  expect(fields.every(({ resolve }) => resolve !== undefined)).toBe(true);
});
