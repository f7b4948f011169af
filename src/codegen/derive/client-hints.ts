/**
 * What the usual generators of clients need to know in addition to a contract. The contracts do not write it down, because it
 * follows from them; the served contract has it.
 */
import { pascalCase } from './naming.js';
import {
  httpMethods,
  isRecord,
  isReference,
  resolve,
  type OpenApiDocument,
  type SchemaObject,
} from '../read/openapi-document.js';

interface Discriminator {
  readonly propertyName: string;
  /** From each value of the property to the reference of its branch. */
  readonly mapping: Readonly<Record<string, string>>;
}

/**
 * Adds a `discriminator` to every `oneOf` whose branches differ in a `const` property, because ogen refuses some of
 * them without it, and names to schemas whose own name is that of another type: oapi-codegen calls the reply of `login`
 * `LoginResponse` (`x-go-name`), and ogen the security scheme `serviceToken` `ServiceToken` (`x-ogen-name`).
 *
 * @throws Error when a schema has the name that another one would get
 */
export function withClientHints(document: OpenApiDocument): OpenApiDocument {
  const schemas = document.components?.schemas ?? {};
  const named = Object.entries(schemas).map(([name, schema]): [string, SchemaObject] => [
    name,
    { ...schema, ...namesOf(document, name) },
  ]);
  const hinted = { ...document, components: { ...document.components, schemas: Object.fromEntries(named) } };
  return JSON.parse(
    JSON.stringify(hinted, (_key, value: unknown) => withDiscriminator(document, value)),
  ) as OpenApiDocument; // as typed as its source
}

function namesOf(document: OpenApiDocument, name: string): Readonly<Record<string, string>> {
  const { schemas = {}, securitySchemes = {} } = document.components ?? {};
  const free = (other: string): string => {
    if (other in schemas) throw new Error(`The schemas ${name} and ${other} have one name in Go: rename one of them`);
    return other;
  };
  return {
    ...(isReplyType(document, name) && { 'x-go-name': free(name.replace(/Response$/, 'Result')) }),
    ...(Object.keys(securitySchemes).some((scheme) => pascalCase(scheme) === name) && {
      'x-ogen-name': free(`${name}Details`),
    }),
  };
}

/** Whether a name is that of the type that oapi-codegen makes for the replies of an operation. */
function isReplyType({ paths = {} }: OpenApiDocument, name: string): boolean {
  return Object.values(paths).some((item) =>
    httpMethods.some((method) => {
      const id = item[method]?.operationId;
      return id !== undefined && `${pascalCase(id)}Response` === name;
    }),
  );
}

function withDiscriminator(document: OpenApiDocument, value: unknown): unknown {
  if (!isRecord(value)) return value;
  const discriminator = derivedDiscriminator(document, value['oneOf']);
  return discriminator === null ? value : { ...value, discriminator };
}

/**
 * The discriminator that follows from the branches of a `oneOf`.
 *
 * @returns null when a branch is not a reference, or no `const` property distinguishes all branches
 */
export function derivedDiscriminator(document: OpenApiDocument, branches: unknown): Discriminator | null {
  if (!Array.isArray(branches)) return null;
  const references = branches.filter((each: unknown) => isRecord(each) && isReference(each));
  if (references.length !== branches.length) return null;
  const constants = references.map((reference) => constantsOf(resolve<SchemaObject>(document, reference)));
  const propertyName = Object.keys(constants[0] ?? {}).find(
    (name) =>
      new Set(constants.map((each) => each[name] ?? null).filter((each) => each !== null)).size === branches.length,
  );
  if (propertyName === undefined) return null;
  const mapping = references.map(({ $ref }, index) => [constants[index]?.[propertyName], $ref]);
  return { propertyName, mapping: Object.fromEntries(mapping) as Record<string, string> };
}

/** The text constants of an object schema, by property. */
function constantsOf({ properties }: SchemaObject): Partial<Record<string, string>> {
  const constants = Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, schema]) =>
    isRecord(schema) && typeof schema['const'] === 'string' ? [[name, schema['const']] as const] : [],
  );
  return Object.fromEntries(constants);
}
