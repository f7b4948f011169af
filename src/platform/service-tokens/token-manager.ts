import type { RequestContext } from '../../../generated/contract.js';
import type { Schemas } from '../../../generated/platform/operations.js';

/** Who manages tokens of which organization. */
export interface TokenManager {
  readonly orgId: string;
  /** null: the operator, on the command line. */
  readonly userId: string | null;
  readonly context: Pick<RequestContext, 'clientIp' | 'userAgent'> & { readonly requestId: string | null };
}

/** The admin who sent a request. */
export function managerOf(
  { org_id: orgId, user_id: userId }: Schemas['MemberPrincipal'],
  context: RequestContext,
): TokenManager {
  return { orgId, userId, context };
}
