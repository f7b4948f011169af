import type { Schemas } from '../../../../generated/platform/operations.js';

/** A user or a service token, acting within an organization. */
export type OrganizationPrincipal = Schemas['MemberPrincipal'] | Schemas['ServiceTokenPrincipal'];

/** What identifies a caller within an organization. */
export type ActingPrincipal =
  | Pick<Schemas['MemberPrincipal'], 'org_id' | 'user_id'>
  | Pick<Schemas['ServiceTokenPrincipal'], 'org_id' | 'service_token_id'>;

/** The acting user or service token, as audit records store it. */
export interface Actor {
  /** null: a service token acts. */
  readonly userId: string | null;
  /** null: a user acts. */
  readonly serviceTokenId: string | null;
}

/** The caller, as audit records store it. */
export function actorOf(principal: ActingPrincipal): Actor {
  return 'service_token_id' in principal
    ? { userId: null, serviceTokenId: principal.service_token_id }
    : { userId: principal.user_id, serviceTokenId: null };
}
