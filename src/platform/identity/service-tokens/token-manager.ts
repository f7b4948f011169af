import type { RequestContext } from '@plumbline/contract/contract-types';
import type { Schemas } from '../../../../generated/platform/operations.js';

/** Who manages tokens of which organization. */
export interface TokenManager {
  readonly orgId: string;
  /** null: the operator, on the command line. */
  readonly admin: Schemas['MemberPrincipal'] | null;
  readonly context: Pick<RequestContext, 'clientIp' | 'userAgent'> & { readonly requestId: string | null };
}

/** The admin who sent a request. */
export function managerOf(admin: Schemas['MemberPrincipal'], context: RequestContext): TokenManager {
  return { orgId: admin.org_id, admin, context };
}
