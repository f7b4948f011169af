import type { ListEnvironmentsHandler } from '../../../../generated/platform/operations.js';
import { decodeCursor, encodeCursor, unreadableCursor } from '@plumbline/contract/page';
import { inSlices } from '@plumbline/contract/system/slices';
import { organizationRulesSteps } from '../../../sync/work-units/classify/organization-rules.js';
import { productionBy, type Production } from '../../../sync/work-units/classify/production.js';
import type { DerivationRecords } from '../../../sync/work-units/derivation/database/records.js';
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
  const { found, production } = await records.of(orgId, async (resources) => ({
    found: await resources.records.environments(orgId, after, limit + 1),
    production: patterns === undefined ? await storedProduction(resources.records, orgId) : productionBy(patterns),
  }));
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const items = page.map(({ name, deployments, lastAt }) => ({
    name,
    deployments,
    last_deployed_at: lastAt === null ? null : new Date(lastAt).toISOString(),
    is_production: production.includes(name),
  }));
  const nextCursor = found.length > limit && last !== undefined ? encodeCursor(`${afterName}${last.name}`) : null;
  return { status: 200, body: { items, next_cursor: nextCursor } };
};

/** A cursor is never empty, but a name can be. */
const afterName = 'after ';

/** The name in a cursor; undefined: the server did not issue the cursor. */
function nameIn(cursor: string): string | undefined {
  const text = decodeCursor(cursor);
  return text?.startsWith(afterName) === true && !text.includes('\0') ? text.slice(afterName.length) : undefined;
}

async function storedProduction(records: DerivationRecords, orgId: string): Promise<Production> {
  const text = (await records.readFile('rules', orgId)) ?? '';
  return productionBy(
    text === '' ? null : (await inSlices(organizationRulesSteps(text, 'The stored file'))).production,
  );
}
