import type { RequestContext } from '../../../generated/contract.js';

/** Who manages tokens of which organization. */
export interface TokenManager {
  readonly orgId: string;
  /** null: the operator, on the command line. */
  readonly userId: string | null;
  readonly context: Pick<RequestContext, 'clientIp' | 'userAgent'> & { readonly requestId: string | null };
}
