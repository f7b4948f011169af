import type { ProblemDocument } from './result.js';

/** An error of the SCIM operations (RFC 7644, section 3.12), with the members that all problems have. */
export interface ScimProblem extends ProblemDocument {
  readonly type: 'urn:ietf:params:scim:api:messages:2.0:Error';
  /** `scimType`, such as `uniqueness`; null: the status says all. */
  readonly scim_type: string | null;
}

/** The problem that a SCIM error describes; null for a body of another form. */
export function scimProblem(content: unknown, requestId: string): ScimProblem | null {
  if (typeof content !== 'object' || content === null) return null;
  const { status, scimType, detail }: { status?: unknown; scimType?: unknown; detail?: unknown } = content;
  if (typeof status !== 'string' || typeof detail !== 'string') return null;
  const scim_type = typeof scimType === 'string' ? scimType : null;
  const type = 'urn:ietf:params:scim:api:messages:2.0:Error';
  return {
    type,
    title: scim_type ?? 'Error',
    status: Number(status),
    message: detail,
    request_id: requestId,
    scim_type,
  };
}
