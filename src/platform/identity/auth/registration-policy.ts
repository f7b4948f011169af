import { domainToASCII } from 'node:url';
import { domainOfAddress } from '@plumbline/contract/email-address';

/** Who can register: everybody, people with an invite, or also those with an address of some domains. */
export type RegistrationPolicy =
  | { readonly kind: 'open' }
  | { readonly kind: 'invite' }
  | { readonly kind: 'closed' }
  | {
      readonly kind: 'domains';
      /** In lower case, as Punycode. */
      readonly domains: readonly string[];
    };

/** Parses `AUTH_REGISTRATION`: `open`, `invite`, `closed` or `domains:` with a list that commas separate. */
export function registrationPolicy(value: string): RegistrationPolicy {
  if (value === 'open' || value === 'invite' || value === 'closed') return { kind: value };
  const list = /^domains:(.*)$/.exec(value)?.[1] ?? '';
  const domains = list.split(',').map((domain) => domainToASCII(domain.trim()));
  if (domains.some((domain) => !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain))) {
    throw new Error('must be open, invite, closed, or domains: with names such as domains:a.example,b.example');
  }
  return { kind: 'domains', domains };
}

/**
 * Decides whether an address can be registered. The invite itself is checked when it is redeemed.
 *
 * @param email normalized
 * @returns why it cannot, for people to read; null: it can
 */
export function refusalOfRegistration(
  policy: RegistrationPolicy,
  { email, hasInvite }: { readonly email: string; readonly hasInvite: boolean },
): string | null {
  if (policy.kind === 'open') return null;
  if (policy.kind === 'closed') return 'Nobody can register on this server.';
  if (hasInvite) return null;
  if (policy.kind !== 'domains')
    return 'An account needs an invite. Ask an administrator of your organization for one.';
  if (policy.domains.includes(domainOfAddress(email))) return null;
  return `An account needs an invite, or an address of ${policy.domains.join(' or ')}.`;
}
