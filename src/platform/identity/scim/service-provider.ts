import type {
  GetScimServiceProviderConfigHandler,
  ListScimResourceTypesHandler,
  ListScimSchemasHandler,
  Schemas,
} from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { listOf, mostResults } from './paging.js';
import { scimSchemas } from './scim-schemas.js';

const unsupported = { supported: false } as const;

export const getScimServiceProviderConfig: GetScimServiceProviderConfigHandler<PlatformDependencies> = (
  _request,
  { appBaseUrl },
) => ({
  status: 200,
  body: {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: mostResults },
    changePassword: unsupported,
    sort: unsupported,
    etag: unsupported,
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Service token',
        description: 'A service token with the scope scim:write.',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${appBaseUrl()}/scim/v2/ServiceProviderConfig` },
  },
});

export const listScimResourceTypes: ListScimResourceTypesHandler<PlatformDependencies> = (_request, { appBaseUrl }) => {
  const types = scimSchemas.map(({ id, name, description }): Schemas['ScimResourceTypeList']['Resources'][number] => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: name,
    name,
    endpoint: `/${name}s`,
    description,
    schema: id,
    meta: { resourceType: 'ResourceType', location: `${appBaseUrl()}/scim/v2/ResourceTypes` },
  }));
  return { status: 200, body: listOf(types, 0, types.length) };
};

export const listScimSchemas: ListScimSchemasHandler<PlatformDependencies> = (_request, { appBaseUrl }) => {
  const all = scimSchemas.map((schema): Schemas['ScimSchemaList']['Resources'][number] => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    ...schema,
    meta: { resourceType: 'Schema', location: `${appBaseUrl()}/scim/v2/Schemas` },
  }));
  return { status: 200, body: listOf(all, 0, all.length) };
};
