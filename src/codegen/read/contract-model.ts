/** The input of the emitters: one API's contract with all references resolved and all rules checked. */

import type { ErrorForm, Form } from '@plumbline/contract/contract-types';
import type { NamedSchema, OpenApiDocument, RateLimitExtension, SchemaObject } from './openapi-document.js';

export interface ApiContract {
  /** The contract's file name without its extension: `platform`, `compose`. */
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
  /** The capability that it belongs to. */
  readonly tag: string;
  readonly summary: string;
  readonly parameters: Readonly<Record<ParameterPlace, ParameterGroup | null>>;
  readonly body: RequestBody | null;
  readonly maxBodyBytes: number;
  readonly security: Security;
  readonly rateLimits: readonly RateLimitExtension[];
  /** Whether it takes the header `Idempotency-Key`. */
  readonly isIdempotent: boolean;
  /** The headers that tell its callers that it is deprecated; null: it is not. */
  readonly deprecationHeaders: Readonly<Record<string, string>> | null;
  readonly replies: readonly ReplyModel[];
  /** The standard whose form its errors have; null: they are problems. */
  readonly errorForm: ErrorForm | null;
  /** The tool for agents that it is; null: none. */
  readonly tool: ToolExtension | null;
}

/** What `x-mcp` says. */
export interface ToolExtension {
  /** In snake case. */
  readonly name: string;
  readonly title: string;
  /** Whether it changes nothing. */
  readonly readOnly: boolean;
  /** Whether it can delete or overwrite. */
  readonly destructive: boolean;
  /** Whether a second call with the same arguments changes nothing more. */
  readonly idempotent: boolean;
}

export const parameterPlaces = ['path', 'query', 'header', 'cookie'] as const;
export type ParameterPlace = (typeof parameterPlaces)[number];

export interface ParameterGroup {
  /** The group as one closed object schema. */
  readonly schema: SchemaObject;
  readonly names: readonly string[];
  /** Names of parameters that accept several values. */
  readonly lists: readonly string[];
  /** Names of parameters with a default, which the validator fills in. */
  readonly defaulted: readonly string[];
}

export interface RequestBody {
  readonly required: boolean;
  readonly mediaType: string;
  readonly schema: SchemaObject;
  readonly defaulted: readonly string[];
  /** Properties whose schema has `x-normalize: email`. */
  readonly emails: readonly string[];
  /** Whether its schema has `x-any`. */
  readonly acceptsAnything: boolean;
}

export interface Security {
  /** Whether callers without a valid credential are served. */
  readonly anonymous: boolean;
  /** The alternatives; none: nobody is authenticated. */
  readonly schemes: readonly { readonly name: string; readonly scope: string | null; readonly principal: string }[];
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

/** One entry of the catalogue, as it appears in the document of one API. */
export interface ProblemUse {
  /** Component name, for example `InvalidCredentialsProblem`. */
  readonly schemaName: string;
  readonly slug: string;
}

export interface SecurityScheme {
  readonly name: string;
  readonly kind: 'bearer' | 'mutualTLS';
  /** What its bearer tokens begin with; null: anything. */
  readonly prefix: string | null;
  /** Limits of each caller, over all operations. */
  readonly rateLimits: readonly RateLimitExtension[];
  readonly principal: NamedSchema;
  readonly scopes: readonly { readonly name: string; readonly description: string; readonly principal: NamedSchema }[];
}

/** One entry of `openapi/problems.yaml`. */
export interface Problem {
  readonly schemaName: string;
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  /** Empty for problems that only a command line raises. */
  readonly statuses: readonly number[];
  /** null if the text depends on the case. */
  readonly message: string | null;
  readonly members: readonly ProblemMember[];
  readonly raisedBy: 'pipeline' | 'service' | 'both' | 'command-line';
  readonly headers: Readonly<Record<string, string>>;
  /** The entry of the error catalogue; null for other problems. */
  readonly failure: ProblemFailure | null;
}

export interface ProblemMember {
  readonly name: string;
  readonly required: boolean;
  readonly form: Form;
  /** The only possible value. */
  readonly constant?: string;
}

/** A case of an error family: `error` and `case` of the problem, and its data for programs. */
export interface ProblemFailure {
  readonly error: string;
  readonly case: string;
  /** The exit code of a command line. */
  readonly exitCode: number;
  /** The message with `{field}` for the fields; text in `[]` is omitted when a field in it is empty. */
  readonly message: string;
  readonly fields: readonly { readonly name: string; readonly schema: SchemaObject }[];
}
