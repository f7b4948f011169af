import { isEnumType, type GraphQLSchema } from 'graphql';
import type { Resolvers } from '../../../generated/graphql/resolvers.js';
import { timeZoneOf } from '../time-zone.js';
import { DIMENSIONS, MEASURES } from '../vocabulary.js';
import { reposOf, withCoverage } from './bucket-coverage.js';
import { checkBatch, checkSearch, countSubRequests, limits } from './check-batch.js';
import type { GraphqlContext } from './context.js';
import { assertSameOrganization } from './organization.js';
import { readCodeHealth } from './code-health.js';
import { explainWorkUnit, listWorkUnits } from './work-units.js';

/** One resolver per root field; nested fields are plain values. */
export const resolvers: Resolvers<GraphqlContext> = {
  Query: {
    catalog: async (_root, { orgId, dimension, search = null }, context, { schema }) => {
      assertSameOrganization(orgId, context.orgId);
      const [values, calendar] = await Promise.all([
        dimension == null
          ? null
          : context.analytics.values(context.orgId, dimension, context.signal, checkSearch(search)),
        context.calendar(),
      ]);
      return {
        dimensions: DIMENSIONS.map((name) => ({ name, description: describe(schema, 'DimensionInput', name) })),
        measures: MEASURES.map((name) => ({ name, description: describe(schema, 'MeasureInput', name) })),
        limits: { maxDays: context.maxDays, ...limits },
        calendar,
        values,
      };
    },
    analytics: async (_root, { orgId, batch }, context) => {
      assertSameOrganization(orgId, context.orgId);
      const { analytics, signal, now, maxDays } = context;
      const calendar = await context.calendar();
      const timeZone = timeZoneOf(calendar.timeZone);
      const checked = checkBatch(batch, context.asked, { maxDays, ...calendar });
      const [result, firstDay, histories] = await Promise.all([
        analytics.run(context.orgId, checked, signal),
        analytics.firstDay(context.orgId, reposOf(checked), signal),
        context.unitRecords.workHistories(context.orgId, timeZone),
      ]);
      return withCoverage(result, checked, { firstDay, histories, today: timeZone.dayOf(now) });
    },
    workUnits: (_root, { orgId, input }, context) => {
      assertSameOrganization(orgId, context.orgId);
      return listWorkUnits(input, context);
    },
    workUnit: (_root, { orgId, id }, context) => {
      assertSameOrganization(orgId, context.orgId);
      countSubRequests(context.asked, 1);
      return explainWorkUnit(id, context);
    },
    codeHealth: (_root, { orgId, input }, context) => {
      assertSameOrganization(orgId, context.orgId);
      return readCodeHealth(input, context);
    },
  },
};

/** The catalog repeats the descriptions of the schema. */
function describe(schema: GraphQLSchema, name: string, value: string): string {
  const type = schema.getType(name);
  return (isEnumType(type) ? type.getValue(value)?.description : null) ?? '';
}
