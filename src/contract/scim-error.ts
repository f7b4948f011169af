/** Errors in the form of SCIM (RFC 7644, section 3.12), for operations whose contract says `x-error-form: scim`. */

export const scimMediaType = 'application/scim+json';

export interface ScimError {
  readonly schemas: readonly ['urn:ietf:params:scim:api:messages:2.0:Error'];
  /** The status code, which the standard demands as text. */
  readonly status: string;
  readonly scimType?: string;
  readonly detail: string;
}

/**
 * The SCIM error that says the same as a problem. Its `scimType` is the member `scim_type` of the problem; a problem of
 * the pipeline has none, except for a body that is not JSON.
 */
export function scimErrorOf(problem: Readonly<Record<string, unknown>>): ScimError {
  const { type, status, message, scim_type: stated, violations } = problem;
  const scimType = type === '/problems/malformed-request' ? 'invalidSyntax' : stated;
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(typeof scimType === 'string' && { scimType }),
    detail: [String(message), ...(Array.isArray(violations) ? violations.map(inWords) : [])].join(' '),
  };
}

/** @param violation an item of `violations` of the problem `validation-failed` */
function inWords(violation: unknown): string {
  const { path, message } = Object(violation) as { readonly path?: unknown; readonly message?: unknown };
  return `${String(path)} ${String(message)}.`;
}
