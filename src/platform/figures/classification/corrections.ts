import type {
  CorrectWorkUnitHandler,
  DeleteCorrectionHandler,
  ListCorrectionsHandler,
  Schemas,
} from '../../../../generated/platform/operations.js';
import { correctionLimitReached, correctionNotFound, workUnitNotFound } from '../../../../generated/problems.js';
import type { Correction } from '../../../analytics/work-unit.js';
import { decodeCursor, encodeCursor, unreadableCursor } from '@plumbline/contract/page';
import { correctUnit, withdrawCorrection, type CorrectionOutcome } from '../../../sync/work-units/correct-unit.js';
import { actorOf, type OrganizationPrincipal } from '../../identity/accounts/actor.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { lockOrganization } from '../../tenancy/organizations/members.store.js';

export const listCorrections: ListCorrectionsHandler<PlatformDependencies> = async (
  { query, principal },
  { records },
) => {
  const { limit, cursor } = query;
  const after = cursor === undefined ? '' : decodeCursor(cursor);
  if (after === null || after.includes('\0')) return unreadableCursor();
  const { org_id: orgId } = principal;
  const found = await records.of(orgId, ({ corrections }) => corrections.listCorrections(orgId, after, limit + 1));
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const nextCursor = found.length > limit && last !== undefined ? encodeCursor(last.unitId) : null;
  return { status: 200, body: { items: page.map(itemOf), next_cursor: nextCursor } };
};

export const correctWorkUnit: CorrectWorkUnitHandler<PlatformDependencies> = async (
  { params, body, principal, context },
  { sql, clock, records },
) => {
  const { org_id: orgId } = principal;
  const now = clock.now();
  const correction: Correction = {
    ...{ unitId: params.unit_id, subcategory: body.subcategory, note: body.note ?? null },
    ...{ correctedAt: now.getTime(), correctedBy: nameOf(principal) },
  };
  const outcome = await unlessRefused(
    sql.begin(async (transaction) => {
      await lockOrganization(transaction, orgId); // concurrent requests must not exceed the limit together
      const record = { action: 'UPDATE', resourceKind: 'CORRECTION', resourceId: correction.unitId, orgId } as const;
      const note = correction.subcategory;
      await recordAudit(transaction, context, now, { ...record, note, ...actorOf(principal) });
      // The units may be in another database: this is the last step before the commit.
      const corrected = await records.of(orgId, (resources) => correctUnit(resources, correction));
      if (corrected !== 'corrected') throw new Refused(corrected);
      return corrected;
    }),
  );
  if (outcome === 'limit_reached') {
    return correctionLimitReached({ message: 'An organization has at most 10,000 corrections.' });
  }
  if (outcome !== 'corrected') return workUnitNotFound({ message: 'The organization has no such work unit.' });
  return { status: 200, body: itemOf(correction) };
};

export const deleteCorrection: DeleteCorrectionHandler<PlatformDependencies> = async (
  { params, principal, context },
  { sql, clock, records },
) => {
  const { org_id: orgId } = principal;
  const { unit_id: unitId } = params;
  const outcome = await unlessRefused(
    sql.begin(async (transaction) => {
      await lockOrganization(transaction, orgId);
      const record = { action: 'DELETE', resourceKind: 'CORRECTION', resourceId: unitId, orgId } as const;
      await recordAudit(transaction, context, clock.now(), { ...record, ...actorOf(principal) });
      const isWithdrawn = await records.of(orgId, (resources) => withdrawCorrection(resources, unitId));
      if (!isWithdrawn) throw new Refused('no_correction');
      return 'withdrawn' as const;
    }),
  );
  if (outcome === 'withdrawn') return { status: 204 };
  return correctionNotFound({ message: 'The organization has no correction of this work unit.' });
};

type Refusal = Exclude<CorrectionOutcome, 'corrected'> | 'no_correction';

/** Rolls a transaction back. */
class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal);
    this.refusal = refusal;
  }
}

async function unlessRefused<Outcome>(work: Promise<Outcome>): Promise<Outcome | Refusal> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    throw error;
  }
}

/** For explanations; the audit log has the ids. */
function nameOf(principal: OrganizationPrincipal): string {
  return 'service_token_id' in principal ? principal.name : principal.email;
}

function itemOf({ unitId, subcategory, note, correctedAt, correctedBy }: Correction): Schemas['Correction'] {
  const corrected_at = new Date(correctedAt).toISOString();
  return { unit_id: unitId, subcategory, note, corrected_at, corrected_by: correctedBy };
}
