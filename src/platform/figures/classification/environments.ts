import type { ListEnvironmentsHandler } from '../../../../generated/platform/operations.js';
import { decodeCursor, encodeCursor, unreadableCursor } from '@plumbline/contract/page';
import { inSlices } from '@plumbline/contract/system/slices';
import { organizationRulesSteps } from '../../../sync/work-units/classify/organization-rules.js';
import { productionBy, usualProduction, type Production } from '../../../sync/work-units/classify/production.js';
import type { DerivationRecords, EnvironmentPart } from '../../../sync/work-units/derivation/database/records.js';
import type { PlatformDependencies } from '../../dependencies.js';

/** Lists what code is deployed to, and what of it is production by the stored rules or by those of the request. */
export const listEnvironments: ListEnvironmentsHandler<PlatformDependencies> = async (
  { query, principal },
  { records },
) => {
  const { limit, cursor, production: patterns } = query;
  const after = cursor === undefined ? null : nameIn(cursor);
  if (after === undefined) return unreadableCursor();
  const { org_id: orgId } = principal;
  const { parts, production } = await records.of(orgId, async (resources) => {
    const rules = patterns === undefined ? await storedProduction(resources.records, orgId) : productionBy(patterns);
    const asked = { after, limit: limit + 1 };
    return { parts: await resources.records.environments(orgId, asked, rules.dependsOn), production: rules };
  });
  const found = environmentsFrom(parts, production);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const items = page.map(({ name, deployments, inProduction, lastAt }) => ({
    name,
    deployments,
    last_deployed_at: lastAt === null ? null : new Date(lastAt).toISOString(),
    is_production: inProduction > 0,
    production_deployments: inProduction,
  }));
  const nextCursor = found.length > limit && last !== undefined ? encodeCursor(`${afterName}${last.name}`) : null;
  return { status: 200, body: { items, next_cursor: nextCursor } };
};

interface Environment {
  readonly name: string;
  readonly deployments: number;
  /** How many of them are to production. */
  readonly inProduction: number;
  readonly lastAt: number | null;
}

/** Adds up the parts of each environment. */
function environmentsFrom(parts: readonly EnvironmentPart[], production: Production): readonly Environment[] {
  const environments = new Map<string, Environment>();
  for (const { name, facts, deployments, lastAt } of parts) {
    const known = environments.get(name) ?? { name, deployments: 0, inProduction: 0, lastAt: null };
    environments.set(name, {
      name,
      deployments: known.deployments + deployments,
      inProduction: known.inProduction + (production.includes({ environment: name, ...facts }) ? deployments : 0),
      lastAt: lastAt === null ? known.lastAt : Math.max(lastAt, known.lastAt ?? lastAt),
    });
  }
  return [...environments.values()];
}

/** A cursor is never empty, but a name can be. */
const afterName = 'after ';

/** The name in a cursor; undefined: the server did not issue the cursor. */
function nameIn(cursor: string): string | undefined {
  const text = decodeCursor(cursor);
  return text?.startsWith(afterName) === true && !text.includes('\0') ? text.slice(afterName.length) : undefined;
}

async function storedProduction(records: DerivationRecords, orgId: string): Promise<Production> {
  const text = (await records.readFile('rules', orgId)) ?? '';
  if (text === '') return usualProduction;
  return productionBy((await inSlices(organizationRulesSteps(text, 'The stored file'))).delivery.production);
}
