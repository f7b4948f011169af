/** What the emitters work from: one API's contract with every reference followed and every rule of it checked. */

import type { NamedSchema, OpenApiDocument, RateLimitExtension, SchemaObject } from './openapi-document.js';

export interface ApiContract {
  /** The contract's file name without its ending: `platform`, `compose`. */
  readonly name: string;
  readonly document: OpenApiDocument;
  readonly operations: readonly Operation[];
  readonly securitySchemes: readonly SecurityScheme[];
  /** Problems of requests that match no operation, by status. */
  readonly apiProblems: readonly ProblemUse[];
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly parameters: Readonly<Record<ParameterPlace, ParameterGroup | null>>;
  readonly body: RequestBody | null;
  readonly maxBodyBytes: number;
  readonly security: Security;
  readonly rateLimits: readonly RateLimitExtension[];
  readonly replies: readonly ReplyModel[];
}

export const parameterPlaces = ['path', 'query', 'header', 'cookie'] as const;
export type ParameterPlace = (typeof parameterPlaces)[number];

export interface ParameterGroup {
  /** The group as one closed object schema. */
  readonly schema: SchemaObject;
  readonly names: readonly string[];
  /** Names of parameters that take several values. */
  readonly lists: readonly string[];
  /** Names of parameters that the validator fills in when they are absent. */
  readonly defaulted: readonly string[];
}

export interface RequestBody {
  readonly required: boolean;
  readonly mediaType: string;
  readonly schema: SchemaObject;
  readonly defaulted: readonly string[];
  /** Properties whose schema has `x-normalize: email`. */
  readonly emails: readonly string[];
}

export interface Security {
  /** Whether a caller without (valid) credential is served. */
  readonly anonymous: boolean;
  readonly scheme: { readonly name: string; readonly scope: string | null; readonly principal: string } | null;
}

export type ReplyModel = SuccessReply | ProblemReplies;

export interface SuccessReply {
  readonly kind: 'success';
  readonly status: number;
  /** null: a reply without a body. */
  readonly mediaType: string | null;
  readonly schema: SchemaObject | null;
  readonly headers: readonly ReplyHeader[];
}

export interface ProblemReplies {
  readonly kind: 'problem';
  readonly status: number;
  readonly problems: readonly ProblemUse[];
}

export interface ReplyHeader {
  readonly name: string;
  readonly required: boolean;
  readonly type: 'string' | 'number';
  readonly setBy: 'pipeline' | 'handler';
}

/** One entry of the catalogue, as one API's document holds it. */
export interface ProblemUse {
  /** Component name, for example `InvalidCredentialsProblem`. */
  readonly schemaName: string;
  readonly slug: string;
}

export interface SecurityScheme {
  readonly name: string;
  readonly kind: 'bearer' | 'mutualTLS';
  readonly principal: NamedSchema;
  readonly scopes: readonly { readonly name: string; readonly description: string; readonly principal: NamedSchema }[];
}

/** One entry of `openapi/problems.yaml`. */
export interface Problem {
  readonly schemaName: string;
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  /** Empty for what only a command line raises. */
  readonly statuses: readonly number[];
  /** null where the text depends on the case. */
  readonly message: string | null;
  readonly members: readonly ProblemMember[];
  readonly raisedBy: 'pipeline' | 'service' | 'both' | 'command-line';
  readonly headers: Readonly<Record<string, string>>;
  /** The entry of the error catalogue that the problem stands for; null for other problems. */
  readonly failure: ProblemFailure | null;
}

export interface ProblemMember {
  readonly name: string;
  readonly required: boolean;
  /** The only value that it can have. */
  readonly constant?: string;
}

/** A case of an error family: `error` and `case` of the problem, and what a program has of it. */
export interface ProblemFailure {
  readonly error: string;
  readonly case: string;
  /** What a command line ends with. */
  readonly exitCode: number;
  /** The message with `{field}` for the fields; what stands in `[]` is left out when a field in it is empty. */
  readonly message: string;
  readonly fields: readonly { readonly name: string; readonly schema: SchemaObject }[];
}
