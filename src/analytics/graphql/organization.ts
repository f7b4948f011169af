import { unauthorized } from './refusal.js';
import { isUuid } from '@plumbline/contract/system/uuid';

/** The sender of a request. */
export interface Caller {
  /** The organization of the token; null: none. */
  readonly tokenOrgId: string | null;
  /** The scope that the caller's service token lacks; null: none. */
  readonly missingScope: string | null;
  /** Whether the caller may currently read an organization: as a member, or as a superuser. */
  mayRead(orgId: string): Promise<boolean>;
}

/** The parts of a request that can name its organization. */
export interface NamedOrganizations {
  /** The query parameter `org_id`: undefined if absent, a list if repeated. */
  readonly query: string | readonly string[] | undefined;
  /** The header `X-Org-Id`. */
  readonly header: string | readonly string[] | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * The organization of a request, which its caller may read.
 *
 * @throws Refusal AUTHORIZATION_ERROR when it is missing, malformed, named inconsistently, or foreign
 */
export async function organizationOf(
  { query, header, variables }: NamedOrganizations,
  caller: Caller,
): Promise<string> {
  if (query === undefined) throw unauthorized('Name the organization in the query parameter org_id.');
  const orgId = normalOrgId(query);
  if (orgId === null) throw unauthorized('The query parameter org_id is not the id of an organization.');
  if (header !== undefined && normalOrgId(header) !== orgId) throw disagreement('the header X-Org-Id');
  if (Object.hasOwn(variables, 'orgId') && normalOrgId(variables['orgId']) !== orgId) {
    throw disagreement('the variable orgId');
  }
  if (caller.missingScope !== null) {
    throw unauthorized(`Queries need the scope ${caller.missingScope}, which the service token lacks.`);
  }
  if (caller.tokenOrgId === null) {
    throw unauthorized('The access token is not scoped to an organization: create, join or switch to one first.');
  }
  // The reply does not reveal whether the organization exists.
  if (!(await caller.mayRead(orgId))) throw unauthorized('You are not a member of this organization.');
  return orgId;
}

/** @throws Refusal AUTHORIZATION_ERROR when an `orgId` argument names another organization than the request */
export function assertSameOrganization(argument: unknown, orgId: string): void {
  if (normalOrgId(argument) !== orgId) throw disagreement('the argument orgId');
}

function disagreement(place: string): Error {
  return unauthorized(`The query parameter org_id and ${place} must name the same organization.`);
}

/** Normalizes the id of an organization for comparison; null if it is not a valid id. */
function normalOrgId(value: unknown): string | null {
  if (typeof value !== 'string' || value.trim() === '' || value.length > 200) return null;
  if (/[\u0000-\u001f\u007f]/.test(value)) return null;
  const lower = value.toLowerCase();
  return isUuid(lower) ? lower : value;
}
