/**
 * The parts of an OpenAPI 3.1 document that the generator reads, after `redocly bundle`: one file, every `$ref` local.
 * `redocly lint` has checked the structure before generation, so these types describe rather than check it.
 * `derive-replies.ts` and `read-contract.ts` check the rules of `openapi/README.md`.
 */

export interface Reference {
  readonly $ref: string;
}

export type SchemaObject = { readonly [keyword: string]: unknown };

export interface MediaTypeObject {
  readonly schema?: SchemaObject;
  readonly example?: unknown;
  readonly examples?: unknown;
}

export interface HeaderObject {
  readonly description?: string;
  readonly required?: boolean;
  readonly schema?: SchemaObject;
  readonly 'x-set-by'?: 'pipeline';
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, HeaderObject | Reference>>;
  readonly content?: Readonly<Record<string, MediaTypeObject>>;
  /** The problems that an error in another form stands for; only in documents that the generator has written. */
  readonly 'x-problems'?: SchemaObject;
}

export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: SchemaObject;
  readonly example?: unknown;
  readonly examples?: unknown;
}

export interface RequestBodyObject {
  readonly required?: boolean;
  readonly content: Readonly<Record<string, MediaTypeObject>>;
}

export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

export interface RateLimitExtension {
  readonly name: string;
  readonly setting: string;
  readonly key: readonly string[];
  readonly counts?: readonly number[];
}

export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly (ParameterObject | Reference)[];
  readonly requestBody?: RequestBodyObject | Reference;
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
  readonly security?: readonly SecurityRequirement[];
  readonly deprecated?: boolean;
  /** The day from which it is deprecated, and the day from which it may be gone: `2026-11-30`. */
  readonly 'x-deprecated-since'?: unknown;
  readonly 'x-sunset'?: unknown;
  readonly 'x-rate-limit'?: readonly RateLimitExtension[];
  readonly 'x-max-body-bytes'?: number;
  /** The standard whose form its errors have, instead of that of problems. */
  readonly 'x-error-form'?: unknown;
  /** Makes the operation a tool for agents. */
  readonly 'x-mcp'?: unknown;
  /** Derived statuses that the operation never answers, with the reason. */
  readonly 'x-never'?: Readonly<Record<string, string>>;
}

/** Responses and headers of all operations for which every condition of `when` holds, by status. */
export interface DerivedReplies {
  readonly when: readonly string[];
  readonly responses?: Readonly<Record<string, ResponseObject | Reference>>;
  /** Responses whose problems are added to the response that the operation has for the status. */
  readonly adds?: Readonly<Record<string, ResponseObject | Reference>>;
  /** Headers that are added to every success of the operation. */
  readonly headers?: Readonly<Record<string, HeaderObject | Reference>>;
}

export interface NamedSchema {
  readonly name: string;
  readonly schema: SchemaObject;
}

export interface SecuritySchemeObject {
  readonly type: string;
  readonly scheme?: string;
  readonly 'x-token-prefix'?: string;
  /** `memory`: the server verifies its tokens without a look-up, so that authentication cannot fail. */
  readonly 'x-verified-in'?: unknown;
  readonly 'x-rate-limit'?: readonly RateLimitExtension[];
  readonly 'x-principal'?: NamedSchema;
  readonly 'x-scopes'?: Readonly<Record<string, { readonly description: string; readonly principal?: NamedSchema }>>;
}

export const httpMethods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
export type HttpMethod = (typeof httpMethods)[number];

export type PathItemObject = { readonly [Method in HttpMethod]?: OperationObject } & {
  readonly parameters?: readonly (ParameterObject | Reference)[];
};

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths?: Readonly<Record<string, PathItemObject>>;
  /** What the server sends, by the type of the event. */
  readonly webhooks?: Readonly<Record<string, PathItemObject>>;
  readonly security?: readonly SecurityRequirement[];
  readonly components?: {
    readonly schemas?: Readonly<Record<string, SchemaObject>>;
    readonly securitySchemes?: Readonly<Record<string, SecuritySchemeObject>>;
  };
  readonly 'x-max-body-bytes'?: number;
  readonly 'x-derived-responses'?: readonly DerivedReplies[];
  readonly 'x-api-responses'?: Readonly<Record<string, ResponseObject | Reference>>;
}

/** Whether a value is an object that is not an array. */
export function isRecord(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a parameter is the header `Idempotency-Key`, which makes the operation idempotent. */
export function isIdempotencyKey({ in: place, name }: ParameterObject): boolean {
  return place === 'header' && name.toLowerCase() === 'idempotency-key';
}

/** Whether `value` is a `$ref`. */
export function isReference(value: object): value is Reference {
  return '$ref' in value && typeof value.$ref === 'string';
}

/**
 * Follows local `$ref`s to a value.
 *
 * @throws Error naming the pointer that does not resolve.
 */
export function resolve<T extends object>(document: OpenApiDocument, value: T | Reference): T {
  let current: T | Reference = value;
  for (let hops = 0; isReference(current); hops++) {
    if (hops > 16) throw new Error(`$ref cycle at ${current.$ref}`);
    // The target of a pointer has the type that its place in the document requires: redocly lint has checked that.
    current = lookUpReference(document, current.$ref) as T | Reference;
  }
  return current;
}

/** A key as a segment of a JSON Pointer. */
export function escapeSegment(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The last segment of a local pointer: the component's name. */
export function componentName(pointer: string): string {
  return pointer.slice(pointer.lastIndexOf('/') + 1);
}

/** The target of a local pointer. @throws Error when there is none */
export function lookUpReference(document: OpenApiDocument, pointer: string): object {
  let current: unknown = document;
  for (const segment of pointer.replace(/^#\//, '').split('/')) {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    current = typeof current === 'object' && current !== null ? Reflect.get(current, key) : undefined;
  }
  if (typeof current !== 'object' || current === null) throw new Error(`${pointer} does not resolve`);
  return current;
}
