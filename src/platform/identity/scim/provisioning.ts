import type { RequestContext } from '@plumbline/contract/contract-types';
import type { Schemas } from '../../../../generated/platform/operations.js';
import { actorOf, type Actor } from '../accounts/actor.js';

/** Who provisions: a token of an organization, in one request. */
export interface Provisioning {
  readonly orgId: string;
  readonly actor: Actor;
  readonly context: RequestContext;
  readonly now: Date;
}

export function provisioningOf(
  principal: Schemas['ServiceTokenPrincipal'],
  context: RequestContext,
  now: Date,
): Provisioning {
  return { orgId: principal.org_id, actor: actorOf(principal), context, now };
}
