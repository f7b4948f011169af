import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';

type OnboardingState = Schemas['OnboardingState'];
type Caller = Pick<Schemas['AccountPrincipal'], 'user_id' | 'org_id' | 'is_superuser'>;

/** The code host to offer first. */
const recommendedProvider = 'host_a';

/**
 * Determines a user's onboarding state. No other code does.
 *
 * Uses the organization of the token, or for an orgless token the first one that the user joined.
 */
export async function onboardingStateOf(sql: Sql, caller: Caller): Promise<OnboardingState> {
  const [row] = await sql<{ id: string; name: string; role: string | null; skipped: boolean; connected: boolean }[]>`
    select o.id, o.name, m.role, o.onboarding_integration_skipped_at is not null as skipped,
      exists (select 1 from integrations i where i.org_id = o.id and i.is_active) as connected
    from organizations o
    left join memberships m on m.org_id = o.id and m.user_id = ${caller.user_id}
    where o.id = ${caller.org_id} or (${caller.org_id}::uuid is null and m.user_id is not null)
    order by m.joined_at, o.id limit 1`;
  const nextStep = nextStepOf(caller.is_superuser || row?.role === 'admin', row);
  return {
    next_step: nextStep,
    recommended_provider: nextStep === 'integration' ? recommendedProvider : null,
    integration_skipped: row !== undefined && row.skipped && !row.connected,
    org_id: row?.id ?? null,
    org_name: row?.name ?? null,
    first_integration_connected: row?.connected ?? false,
  };
}

function nextStepOf(
  isSuperuserOrAdmin: boolean,
  organization: { readonly skipped: boolean; readonly connected: boolean } | undefined,
): OnboardingState['next_step'] {
  // First-run setup never blocks admins and superusers, except the owner, for whom it is meant.
  if (isSuperuserOrAdmin) return 'dashboard';
  if (organization === undefined) return 'workspace';
  return organization.connected || organization.skipped ? 'complete' : 'integration';
}
