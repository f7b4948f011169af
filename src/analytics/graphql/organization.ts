import { unauthorized } from './refusal.js';

/** Who sends a request. */
export interface Caller {
  readonly userId: string;
  /** The organization that the access token is scoped to; null: to none. */
  readonly tokenOrgId: string | null;
  /** Whether the caller may read an organization now: a member of it, or a superuser. */
  mayRead(orgId: string): Promise<boolean>;
}

/** The places where a request can name its organization. */
export interface NamedOrganizations {
  /** The query parameter `org_id`: undefined when it is absent, a list when it stands there more than once. */
  readonly query: string | readonly string[] | undefined;
  /** The header `X-Org-Id`. */
  readonly header: string | readonly string[] | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * The organization of a request, which its caller may read.
 *
 * @throws Refusal AUTHORIZATION_ERROR when it is missing, malformed, named differently elsewhere, or foreign
 */
export async function organizationOf(
  { query, header, variables }: NamedOrganizations,
  caller: Caller,
): Promise<string> {
  if (query === undefined) throw unauthorized('Name the organization in the query parameter org_id.', 403);
  const orgId = normalOrgId(query);
  if (orgId === null) throw unauthorized('The query parameter org_id is not the id of an organization.', 403);
  if (header !== undefined && normalOrgId(header) !== orgId) throw disagreement('the header X-Org-Id');
  if (Object.hasOwn(variables, 'orgId') && normalOrgId(variables['orgId']) !== orgId) {
    throw disagreement('the variable orgId');
  }
  if (caller.tokenOrgId === null) {
    throw unauthorized(
      'This needs a token that is scoped to an organization: create, join or switch to one first.',
      403,
    );
  }
  // Whether there is such an organization is not said to those who may not know.
  if (!(await caller.mayRead(orgId))) throw unauthorized('You are not a member of this organization.', 403);
  return orgId;
}

/** @throws Refusal AUTHORIZATION_ERROR when an `orgId` argument names another organization than the request */
export function assertSameOrganization(argument: unknown, orgId: string): void {
  if (normalOrgId(argument) !== orgId) throw disagreement('the argument orgId');
}

function disagreement(place: string): Error {
  return unauthorized(`The query parameter org_id and ${place} must name the same organization.`, 403);
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** An organization's id in the form in which ids are compared; null when it cannot be one. */
function normalOrgId(value: unknown): string | null {
  if (typeof value !== 'string' || value.trim() === '' || value.length > 200) return null;
  if (/[\u0000-\u001f\u007f]/.test(value)) return null;
  return uuid.test(value) ? value.toLowerCase() : value;
}
