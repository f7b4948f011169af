/** The ids of accounts and sessions that the provider of an organization makes. */
import { unusableText } from '@plumbline/contract/unusable-text';
import { ProviderFailure } from '../providers/identity-provider.js';
import type { ProvenClaims } from '../providers/open-id-issuer.js';

/** `sub` has at most 255 characters (OpenID Connect Core 1.0, section 2); `sid` has no limit there. */
const maxBytes = 1024;

export function isStorableId(id: unknown): id is string {
  return typeof id === 'string' && Buffer.byteLength(id) <= maxBytes && unusableText(id) === null;
}

/** The session at the provider; null: the provider does not name it. */
export function sidOf({ claims }: Pick<ProvenClaims, 'claims'>): string | null {
  const { sid } = claims;
  return typeof sid === 'string' ? sid : null;
}

/** @throws ProviderFailure if the ids of the account and its session cannot be stored */
export function withStorableIds(proof: ProvenClaims): ProvenClaims {
  const sid = sidOf(proof);
  if (!isStorableId(proof.identity.subject)) throw new ProviderFailure('the claim sub is too long or not a valid text');
  if (sid !== null && !isStorableId(sid)) throw new ProviderFailure('the claim sid is too long or not a valid text');
  return proof;
}
