/** The types that all generated files and the contract runtime share. */
import type { ParameterizedContext, Request } from 'koa';

/** A logger; pino's implements it. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The context of a request. */
export interface RequestContext {
  /** Accepted from `X-Request-Id` or generated; echoed, logged and part of every problem. */
  readonly requestId: string;
  /** The caller's address: the peer's, or the one that a trusted proxy reports. */
  readonly clientIp: string;
  /** Whether a program on this machine sent the request, to a loopback name and not through a proxy that reports itself. */
  readonly isOnThisMachine: boolean;
  readonly userAgent: string | null;
  /** Whether the request is a HEAD: the handler of a GET that changes something must then only check. */
  readonly isHead: boolean;
  /** Aborts when the caller disconnects before the reply is complete. */
  readonly signal: AbortSignal;
  /** Writes log lines with the request id. */
  readonly log: Log;
  /** Authenticates and authorizes the request again. A long stream ends when the result is false. */
  isStillAuthorized(): Promise<boolean>;
}

/** The type of parameters of an operation without any. */
export type None = Readonly<Record<string, never>>;

/** A handler's request: parsed and valid. */
export interface OperationRequest<
  Parts extends {
    params?: unknown;
    query?: unknown;
    headers?: unknown;
    cookies?: unknown;
    body?: unknown;
    principal?: unknown;
  },
> {
  readonly params: 'params' extends keyof Parts ? Parts['params'] : None;
  readonly query: 'query' extends keyof Parts ? Parts['query'] : None;
  readonly headers: 'headers' extends keyof Parts ? Parts['headers'] : None;
  readonly cookies: 'cookies' extends keyof Parts ? Parts['cookies'] : None;
  readonly body: 'body' extends keyof Parts ? Parts['body'] : undefined;
  readonly principal: 'principal' extends keyof Parts ? Parts['principal'] : null;
  readonly context: RequestContext;
  readonly ctx: OperationContext<Parts>;
}

/** What the pipeline keeps in `ctx.state`. */
export type OperationState<Principal> = RequestContext & { readonly principal: Principal };

/** The Koa context of an operation, once its request is valid and authorized. */
export type OperationContext<Parts extends { params?: unknown; body?: unknown; principal?: unknown }> = Omit<
  ParameterizedContext<OperationState<'principal' extends keyof Parts ? Parts['principal'] : null>, object>,
  'request'
> & {
  readonly params: 'params' extends keyof Parts ? Parts['params'] : None;
  readonly request: Omit<Request, 'body'> & { readonly body: 'body' extends keyof Parts ? Parts['body'] : undefined };
};

/** Makes the properties that the validator fills in required. */
export type WithDefaults<T, Keys extends keyof T> = Omit<T, Keys> & {
  readonly [Key in Keys]-?: Exclude<T[Key], undefined>;
};

/** A documented reply that is not a problem. `headers` is required if the contract requires one from the handler. */
export type SuccessReply<Status extends number, Body, Headers = unknown> = {
  readonly status: Status;
  readonly contentType?: never;
  /** The cause, for the log only. */
  readonly cause?: unknown;
} & ([Body] extends [never] ? { readonly body?: never } : { readonly body: Body }) &
  (unknown extends Headers ? { readonly headers?: never } : { readonly headers: Headers });

/** An event of a `text/event-stream` reply. */
export interface ServerSentEvent<Data> {
  /** A caller that resumes names the last one that it has received in `Last-Event-ID`. */
  readonly id: string;
  readonly data: Data;
}

/** A problem as a handler returns it: the runtime adds `request_id`. */
export interface ProblemReply<Body extends { readonly status: number } = { readonly status: number }> {
  readonly status: Body['status'];
  readonly contentType: 'application/problem+json';
  readonly body: Omit<Body, 'request_id'>;
  /** The cause, for the log only. */
  readonly cause?: unknown;
}

/** A standard that defines the errors of its operations. `scim`: RFC 7644. */
export type ErrorForm = 'scim';

/**
 * What is documented of a value, and so is sent: the members of an object, the items of a list, or, if `true`, all of it.
 */
export type Form = true | readonly [Form] | { readonly [member: string]: Form };

/** The headers and members of a problem, besides those that every problem has. */
export interface ProblemForm {
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, Form>>;
}

export interface ProblemOptions {
  /** The cause, for the log only. */
  readonly cause?: unknown;
}

/** The implementation of one operation. */
export type OperationHandler<Request, Reply, Dependencies> = (
  request: Request,
  dependencies: Dependencies,
) => Promise<Reply> | Reply;

/** The outcome of authentication or authorization. */
export type Verdict<Principal> = { readonly principal: Principal } | { readonly refusal: ProblemReply };

/**
 * Checks the credentials of one security scheme. `Scopes` maps the name of a scope to the principal that it guarantees.
 */
export interface SecurityHandler<Credential, Principal, Scopes> {
  /** Identifies the caller by `credential`. */
  authenticate(credential: Credential, context: RequestContext): Promise<Verdict<Principal>>;
  /** Identifies a caller without a credential; if absent, such callers are refused. */
  withoutCredential?(context: RequestContext): Verdict<Principal>;
  /** Decides whether `principal` has `scope`, given the path parameters. */
  authorize<Scope extends keyof Scopes>(
    principal: Principal,
    scope: Scope,
    params: Readonly<Record<string, string>>,
  ): Promise<Verdict<Scopes[Scope]>> | Verdict<Scopes[Scope]>;
}

/** One error of a compiled validator: the part of ajv's error object that is used. */
export interface ValidationFault {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
  /** The property whose name breaks the rule, where it is not its value. */
  readonly propertyName?: string;
}

/** An ahead-of-time compiled validator. It may fill in defaults and, for parameters, convert strings. */
export interface Validator {
  (value: unknown): boolean;
  errors?: readonly ValidationFault[] | null;
}

export interface RateLimitPolicy {
  /** The name in `RateLimit-Policy`. */
  readonly name: string;
  /** The setting that holds its value. */
  readonly setting: string;
  /**
   * What is counted: `ip`, `body.<property>`, `principal.<property>`, or the session of a token in
   * `session.body.<property>` or `session.cookie.<name>`.
   */
  readonly key: readonly string[];
  /** The statuses of replies that count; absent: all count. */
  readonly counts?: readonly number[];
}

export interface ParameterTable {
  readonly names: readonly string[];
  readonly lists: readonly string[];
  readonly validate: Validator;
}

/** A reply of one status. */
export type ReplyTable =
  | {
      readonly kind: 'success';
      readonly mediaType: string | null;
      /** Checks the body, or one item of a stream. */
      readonly validate: Validator | null;
      /** Serializes the documented properties only. */
      readonly serialize: ((body: unknown) => string) | null;
      /** Names of the headers that the handler sets, and whether every reply must have them. */
      readonly headers: Readonly<Record<string, 'required' | 'optional'>>;
    }
  | { readonly kind: 'problem'; readonly problems: Readonly<Record<string, Validator>> };

/** A security scheme that an operation takes. */
export interface SchemeUse {
  readonly name: string;
  readonly kind: 'bearer' | 'mutualTLS';
  /** What bearer tokens of this scheme begin with; null: the scheme takes all tokens that no other alternative takes. */
  readonly prefix: string | null;
  /** Counted for each caller of this scheme, after authentication. */
  readonly rateLimits: readonly RateLimitPolicy[];
  readonly scope: string | null;
}

/** The runtime's description of one operation. */
export interface Route {
  readonly operationId: string;
  readonly method: string;
  /** The path as the contract writes it: `/things/{thing_id}`. */
  readonly path: string;
  readonly params: ParameterTable | null;
  readonly query: ParameterTable | null;
  readonly headers: ParameterTable | null;
  readonly cookies: ParameterTable | null;
  readonly body: {
    readonly required: boolean;
    readonly mediaType: string;
    /** Properties that hold an e-mail address, which is normalized before validation. */
    readonly emails: readonly string[];
    /** Set if every JSON value is valid, also one with text that cannot be stored. */
    readonly acceptsAnything?: true;
    readonly validate: Validator;
  } | null;
  readonly maxBodyBytes: number;
  readonly security: {
    readonly anonymous: boolean;
    /** The alternatives; none: nobody is authenticated. */
    readonly schemes: readonly SchemeUse[];
  };
  /** Counted after authentication if a key names the principal, otherwise before. */
  readonly rateLimits: readonly RateLimitPolicy[];
  /** Whether a request with the header `Idempotency-Key` is handled once. */
  readonly isIdempotent: boolean;
  /** The media types of its replies, for `Accept`. */
  readonly produces: readonly string[];
  /** The standard whose form its errors have; absent: they are problems. */
  readonly errorForm?: ErrorForm;
  /** Headers of all its replies, which warn callers; absent: it is not deprecated. */
  readonly deprecationHeaders?: Readonly<Record<string, string>>;
  readonly replies: Readonly<Record<number, ReplyTable>>;
}

/** Thrown by the generated stub of an operation that is not implemented yet; returned as 501. */
export class UnimplementedOperation extends Error {
  readonly operationId: string;

  constructor(operationId: string) {
    super(`Operation ${operationId} is in the contract but has no implementation yet`);
    this.name = 'UnimplementedOperation';
    this.operationId = operationId;
  }
}

/** An operation as a command of `plumbline api`. */
export interface OperationCommand {
  readonly operationId: string;
  /** The `operationId` in kebab case. */
  readonly name: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly flags: readonly OperationFlag[];
  /** The validators of what is sent; null: it sends none. */
  readonly validators: Readonly<Record<'params' | 'query' | 'headers' | 'body', Validator | null>>;
  readonly body: { readonly required: boolean; readonly isText: boolean } | null;
  /** How a success arrives. */
  readonly reply: 'json' | 'lines' | 'text' | 'none';
  /** The largest page; null: the reply is not a page of a list. */
  readonly largestPage: number | null;
  /** Whether the reply is a sync run, which can be followed. */
  readonly isRun: boolean;
}

/** A flag of such a command: a parameter, or a property of the body. */
export interface OperationFlag {
  /** `sync-config-id`. */
  readonly name: string;
  /** The name as the contract writes it: `sync_config_id`. */
  readonly property: string;
  readonly place: 'params' | 'query' | 'headers' | 'body' | 'idempotencyKey';
  readonly kind: 'text' | 'number' | 'boolean' | 'texts' | 'json';
  readonly required: boolean;
  readonly description: string;
  readonly choices: readonly string[];
  /** Secrets are read from a file: arguments of a process can be seen by others. */
  readonly isSecret: boolean;
}

/** A tool for agents, as the Model Context Protocol describes it. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schemas of objects, without references. */
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  /** The scope that a service token needs. */
  readonly scope: string;
  /** The errors that a call can answer: types of problems, or codes of GraphQL. */
  readonly errors: readonly string[];
}

/** A JSON Schema of an object. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly [keyword: string]: unknown;
}

/** An operation as a tool. */
export interface OperationTool extends Tool {
  readonly operationId: string;
  /** Where each argument is sent. */
  readonly places: Readonly<Record<string, 'params' | 'query' | 'headers' | 'body'>>;
  /** Whether a path parameter is the organization, which is that of the caller. */
  readonly takesOrganization: boolean;
  /** Whether it sends a body. */
  readonly hasBody: boolean;
}

/** A persisted query as a tool. */
export interface QueryTool extends Tool {
  readonly queryId: string;
  /** The variables that are periods: an argument may name one, such as `last_quarter`. */
  readonly periods: readonly string[];
}
