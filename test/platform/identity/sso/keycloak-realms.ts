/** The realms of the test with Keycloak: one that Plumbline knows, and one that is a SAML provider behind it. */
import type { Keycloak } from '../../../support/keycloak.js';

/** The password of all users, and the client secret. */
export const password = 'a password of the test';

const userOf = (name: string, groups: readonly string[] = []): object => ({
  username: `${name.toLowerCase()}@works.example`,
  email: `${name.toLowerCase()}@works.example`,
  ...{ emailVerified: true, enabled: true, firstName: name, lastName: 'Example', groups },
  credentials: [{ type: 'password', value: password, temporary: false }],
});

/** The realm with the client for Plumbline. */
export function brokeredRealm({
  redirectUri,
  logoutUri,
}: {
  readonly redirectUri: string;
  readonly logoutUri: string;
}): object {
  return {
    ...{ realm: 'works', enabled: true, sslRequired: 'none' },
    groups: [{ name: 'leads' }],
    users: [userOf('Robin', ['/leads'])],
    clients: [
      {
        ...{ clientId: 'plumbline', secret: password, enabled: true, standardFlowEnabled: true, publicClient: false },
        redirectUris: [redirectUri],
        attributes: { 'backchannel.logout.url': logoutUri, 'backchannel.logout.session.required': 'false' },
        protocolMappers: [
          {
            ...{ name: 'groups', protocol: 'openid-connect', protocolMapper: 'oidc-group-membership-mapper' },
            config: { 'claim.name': 'groups', 'full.path': 'false', 'id.token.claim': 'true' },
          },
        ],
      },
    ],
  };
}

const attributes = { email: 'email', firstName: 'firstName', lastName: 'lastName' };

/** The realm that plays the SAML provider. Its client is the broker of the other realm. */
export function corporateRealm(url: string): object {
  return {
    ...{ realm: 'corporate', enabled: true, sslRequired: 'none' },
    users: [userOf('Ada')],
    clients: [
      {
        ...{ clientId: `${url}/realms/works`, protocol: 'saml', enabled: true, frontchannelLogout: true },
        redirectUris: [`${url}/realms/works/broker/corporate/endpoint`],
        attributes: {
          ...{ 'saml.assertion.signature': 'true', 'saml.server.signature': 'true', 'saml.client.signature': 'false' },
          ...{ 'saml.force.post.binding': 'true', saml_name_id_format: 'email', saml_force_name_id_format: 'true' },
        },
        protocolMappers: Object.entries(attributes).map(([property, name]) => ({
          ...{ name, protocol: 'saml', protocolMapper: 'saml-user-property-mapper' },
          config: { 'user.attribute': property, 'attribute.name': name, 'attribute.nameformat': 'Basic' },
        })),
      },
    ],
  };
}

/** Makes the realm `works` a broker for the SAML provider, as `src/platform/identity/sso/README.md` describes. */
export async function samlBroker({ url, admin }: Keycloak): Promise<void> {
  const { keys } = (await admin('GET', '/corporate/keys')) as { keys: { algorithm: string; certificate?: string }[] };
  const signing = keys.find(({ algorithm }) => algorithm === 'RS256');
  await admin('POST', '/works/identity-provider/instances', {
    ...{ alias: 'corporate', providerId: 'saml', enabled: true, trustEmail: true },
    config: {
      singleSignOnServiceUrl: `${url}/realms/corporate/protocol/saml`,
      ...{ entityId: `${url}/realms/works`, idpEntityId: `${url}/realms/corporate` },
      ...{ postBindingResponse: 'true', postBindingAuthnRequest: 'true', syncMode: 'IMPORT', principalType: 'SUBJECT' },
      nameIDPolicyFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
      ...{ validateSignature: 'true', wantAssertionsSigned: 'true', signingCertificate: signing?.certificate ?? '' },
    },
  });
  for (const [attribute, name] of Object.entries(attributes)) {
    await admin('POST', '/works/identity-provider/instances/corporate/mappers', {
      ...{ name, identityProviderAlias: 'corporate', identityProviderMapper: 'saml-user-attribute-idp-mapper' },
      config: { syncMode: 'INHERIT', 'attribute.name': name, 'user.attribute': attribute },
    });
  }
}
