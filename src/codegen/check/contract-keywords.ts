/** What the generator does with each keyword of OpenAPI 3.1 and of JSON Schema 2020-12. */

/**
 * `used`: the server, the SDK or the gate does what the keyword says. `shown`: it is for readers, and only the
 * published document has it. Any other text says why the generator refuses the keyword.
 */
export type Treatment = 'used' | 'shown' | (string & {});

const noBranches = 'alternatives are a oneOf, and other conditions are checked by handlers';
const oneServer = 'an API is served from one address, which the document names';
const noSerialization = 'values are sent as OpenAPI does by default';
const noOtherSecurity = 'security schemes are bearer tokens and client certificates';
const noIdentity = 'a schema is named by its place in the document';
const noContent = 'a value is not decoded, so that its content would not be checked';
const noTransfer = 'forms and files are not supported';
const noOAuth = Object.fromEntries(
  ['authorizationUrl', 'tokenUrl', 'refreshUrl', 'scopes', 'x-usePkce'].map((name) => [name, noOtherSecurity]),
);

const schemaKeywords: Readonly<Record<string, Treatment>> = {
  // Core
  $ref: 'used',
  $id: noIdentity,
  $schema: 'the dialect is that of OpenAPI 3.1',
  $anchor: noIdentity,
  $dynamicAnchor: noIdentity,
  $dynamicRef: noBranches,
  $recursiveAnchor: noIdentity,
  $recursiveRef: noBranches,
  $vocabulary: 'the dialect is that of OpenAPI 3.1',
  $comment: 'shown',
  $defs: noBranches,
  definitions: noBranches,
  // Applicators
  properties: 'used',
  additionalProperties: 'used',
  propertyNames: 'used',
  items: 'used',
  oneOf: 'used',
  allOf: noBranches,
  anyOf: noBranches,
  not: noBranches,
  if: noBranches,
  then: noBranches,
  else: noBranches,
  dependentSchemas: noBranches,
  dependencies: noBranches,
  patternProperties: noBranches,
  prefixItems: noBranches,
  contains: noBranches,
  additionalItems: noBranches,
  unevaluatedItems: noBranches,
  unevaluatedProperties: noBranches,
  // Validation
  type: 'used',
  const: 'used',
  enum: 'used',
  multipleOf: 'used',
  maximum: 'used',
  exclusiveMaximum: 'used',
  minimum: 'used',
  exclusiveMinimum: 'used',
  maxLength: 'used',
  minLength: 'used',
  pattern: 'used',
  maxItems: 'used',
  minItems: 'used',
  uniqueItems: 'used',
  maxContains: noBranches,
  minContains: noBranches,
  maxProperties: 'used',
  minProperties: 'used',
  required: 'used',
  dependentRequired: noBranches,
  format: 'used',
  // Descriptions
  title: 'shown',
  description: 'shown',
  default: 'used',
  deprecated: 'shown',
  readOnly: 'a reply and a request have separate schemas',
  writeOnly: 'a reply and a request have separate schemas',
  examples: 'shown',
  contentEncoding: noContent,
  contentMediaType: noContent,
  contentSchema: noBranches,
  // OpenAPI
  example: 'shown',
  externalDocs: 'shown',
  discriminator: 'use a const property to distinguish branches; the generator adds the discriminator',
  xml: 'bodies are JSON, YAML or text',
  nullable: 'it is of OpenAPI 3.0; name the type null',
  // Ours
  'x-assigned-by': 'used',
  'x-any': 'used',
  'x-normalize': 'used',
  'x-problem': 'used',
  'x-standard': 'used',
};

/** What serializes a value, of parameters and headers. The values are checked by `keyword-rules.ts`. */
const serialization = {
  style: 'used',
  explode: 'used',
  allowReserved: noSerialization,
  allowEmptyValue: noSerialization,
  content: 'a value has a schema',
} as const;

/** The treatment of keywords by the object that has them, which is named as in `@redocly/openapi-core`. */
export const contractKeywords: Readonly<Record<string, Readonly<Record<string, Treatment>>>> = {
  Root: {
    openapi: 'used',
    info: 'used',
    jsonSchemaDialect: 'the dialect is that of OpenAPI 3.1',
    servers: 'shown',
    paths: 'used',
    webhooks: 'used',
    components: 'used',
    security: 'used',
    tags: 'shown',
    externalDocs: 'shown',
    'x-max-body-bytes': 'used',
    'x-api-responses': 'used',
    'x-derived-responses': 'used',
  },
  Info: {
    title: 'used',
    version: 'used',
    summary: 'shown',
    description: 'shown',
    termsOfService: 'shown',
    contact: 'shown',
    license: 'shown',
  },
  Contact: { name: 'shown', url: 'shown', email: 'shown' },
  License: { name: 'shown', identifier: 'shown', url: 'shown' },
  Server: { url: 'shown', description: 'shown', variables: 'shown' },
  ServerVariable: { enum: 'shown', default: 'shown', description: 'shown' },
  Components: {
    schemas: 'used',
    responses: 'used',
    parameters: 'used',
    examples: 'shown',
    requestBodies: 'used',
    headers: 'used',
    securitySchemes: 'used',
    links: 'replies have no links',
    callbacks: 'what the server sends is a webhook',
    pathItems: 'used',
  },
  PathItem: {
    $ref: 'used',
    summary: 'shown',
    description: 'shown',
    get: 'used',
    put: 'used',
    post: 'used',
    delete: 'used',
    options: 'the server answers OPTIONS itself',
    head: 'a HEAD request is answered as the GET would be',
    patch: 'used',
    trace: 'clients refuse to send it',
    servers: oneServer,
    parameters: 'used',
  },
  Operation: {
    tags: 'used',
    summary: 'used',
    description: 'used',
    externalDocs: 'shown',
    operationId: 'used',
    parameters: 'used',
    requestBody: 'used',
    responses: 'used',
    callbacks: 'what the server sends is a webhook',
    deprecated: 'used',
    security: 'used',
    servers: oneServer,
    'x-deprecated-since': 'used',
    'x-error-form': 'used',
    'x-max-body-bytes': 'used',
    'x-mcp': 'used',
    'x-never': 'used',
    'x-rate-limit': 'used',
    'x-sunset': 'used',
  },
  ExternalDocs: { description: 'shown', url: 'shown' },
  Parameter: {
    name: 'used',
    in: 'used',
    description: 'used',
    required: 'used',
    deprecated: 'shown',
    ...serialization,
    schema: 'used',
    example: 'used',
    examples: 'used',
  },
  RequestBody: { description: 'shown', content: 'used', required: 'used' },
  MediaType: { schema: 'used', example: 'used', examples: 'used', encoding: noTransfer },
  Encoding: {
    contentType: noTransfer,
    headers: noTransfer,
    style: noTransfer,
    explode: noTransfer,
    allowReserved: noTransfer,
  },
  Responses: { default: 'every status that the server can answer is listed' },
  Response: { description: 'used', headers: 'used', content: 'used', links: 'replies have no links' },
  Header: {
    description: 'shown',
    required: 'used',
    deprecated: 'shown',
    ...serialization,
    schema: 'used',
    example: 'used',
    examples: 'used',
    'x-set-by': 'used',
  },
  Example: {
    summary: 'shown',
    description: 'shown',
    value: 'used',
    externalValue: 'an example is checked, so its value is in the document',
  },
  Link: Object.fromEntries(
    ['operationRef', 'operationId', 'parameters', 'requestBody', 'description', 'server'].map((name) => [
      name,
      'replies have no links',
    ]),
  ),
  Tag: { name: 'used', description: 'shown', externalDocs: 'shown' },
  Discriminator: { propertyName: 'used', mapping: 'used' },
  Xml: Object.fromEntries(
    ['name', 'namespace', 'prefix', 'attribute', 'wrapped'].map((name) => [name, 'bodies are JSON, YAML or text']),
  ),
  SecurityScheme: {
    type: 'used',
    description: 'shown',
    name: noOtherSecurity,
    in: noOtherSecurity,
    scheme: 'used',
    bearerFormat: 'shown',
    flows: noOtherSecurity,
    openIdConnectUrl: noOtherSecurity,
    'x-principal': 'used',
    'x-rate-limit': 'used',
    'x-scopes': 'used',
    'x-token-prefix': 'used',
    'x-verified-in': 'used',
  },
  OAuth2Flows: Object.fromEntries(
    ['implicit', 'password', 'clientCredentials', 'authorizationCode'].map((name) => [name, noOtherSecurity]),
  ),
  ImplicitFlow: noOAuth,
  PasswordFlow: noOAuth,
  ClientCredentials: noOAuth,
  AuthorizationCode: noOAuth,
  Schema: schemaKeywords,
};

/** Why a keyword is refused; null: it is not. */
export function refusalOf(object: string, keyword: string): string | null {
  const known = contractKeywords[object];
  if (known === undefined) return null;
  const treatment = Object.hasOwn(known, keyword) ? known[keyword] : undefined;
  if (treatment === undefined) return `it is not a keyword of ${object}`;
  return treatment === 'used' || treatment === 'shown' ? null : treatment;
}
