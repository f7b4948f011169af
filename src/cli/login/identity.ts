/** Who a client acts for. */
import { getCurrentServiceToken, getMe, unwrap, type CallOptions, type PlatformClient } from '../sdk.js';

/** A person, or a service token. */
export type Identity =
  | {
      readonly kind: 'person';
      readonly email: string;
      readonly role: string | null;
      readonly org_id: string | null;
      readonly org_name: string | null;
    }
  | {
      readonly kind: 'service_token';
      readonly name: string;
      readonly scopes: readonly string[];
      readonly expires_at: string;
      readonly org_id: string;
      readonly org_name: string;
    };

/** What service tokens begin with. */
export const SERVICE_TOKEN_PREFIX = 'plbst_';

/**
 * Asks the server who the caller is.
 *
 * @throws PlumblineError when the credential is refused, and the errors of a call
 */
export async function identityOf(client: PlatformClient, options: CallOptions = {}): Promise<Identity> {
  const tokens = await client.tokens.get();
  if (tokens?.access_token.startsWith(SERVICE_TOKEN_PREFIX) === true) {
    const { name, scopes, expires_at, org_id, org_name } = unwrap(await getCurrentServiceToken(client, options));
    return { kind: 'service_token', name, scopes, expires_at, org_id, org_name };
  }
  const { email, role, org_id, org_name } = unwrap(await getMe(client, options));
  return { kind: 'person', email, role, org_id, org_name };
}

/** One line for people. */
export function describeIdentity(identity: Identity): string {
  if (identity.kind === 'person') {
    const { email, role, org_name: name } = identity;
    return name === null ? `${email}, in no organization` : `${email}, ${role ?? 'no role'} of ${name}`;
  }
  const { name, scopes, org_name, expires_at } = identity;
  return `service token "${name}" of ${org_name} (${scopes.join(', ')}), until ${expires_at}`;
}
