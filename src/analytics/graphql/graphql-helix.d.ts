/** The package has types, but its `exports` hides them from ECMAScript module resolution. These are the parts we use. */
declare module 'graphql-helix' {
  import type { DocumentNode, ExecutionArgs, ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql';

  export interface Request {
    readonly body?: unknown;
    readonly method: string;
    readonly headers: unknown;
    readonly query: unknown;
  }

  export function getGraphQLParameters(request: Request): {
    readonly operationName?: unknown;
    readonly query?: unknown;
    readonly variables?: unknown;
  };

  export function processRequest<Payload>(options: {
    readonly schema: GraphQLSchema;
    readonly query: string;
    readonly operationName?: string;
    readonly variables: Readonly<Record<string, unknown>>;
    readonly request: Request;
    readonly parse: () => DocumentNode;
    readonly validate: () => readonly GraphQLError[];
    readonly contextFactory: () => unknown;
    readonly execute: (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;
    readonly formatPayload: (parts: { readonly payload: ExecutionResult }) => Payload;
  }): Promise<
    | { readonly type: 'RESPONSE'; readonly payload: Payload }
    | {
        readonly type: 'MULTIPART_RESPONSE' | 'PUSH';
        /** Resolves when every payload was passed on. */
        readonly subscribe: (onResult: (payload: Payload) => void) => Promise<void>;
      }
  >;
}
