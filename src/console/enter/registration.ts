/** Who can register at this server, as it has written it into the page. */
export interface RegistrationRules {
  readonly kind: 'open' | 'invite' | 'domains' | 'closed';
  readonly domains: readonly string[];
  /** Whether a registration creates an organization, which can then be named. */
  readonly createsOrganization: boolean;
}

export function registrationRules(): RegistrationRules {
  const tag = document.querySelector<HTMLMetaElement>('meta[name="plumbline-registration"]');
  const kind = kinds.find((each) => each === tag?.content) ?? 'open';
  const domains = tag?.dataset['domains']?.split(' ') ?? [];
  return { kind, domains, createsOrganization: tag?.dataset['createsOrganization'] !== undefined };
}

const kinds = ['open', 'invite', 'domains', 'closed'] as const;
