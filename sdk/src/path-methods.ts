import type { Client, ClientPathsWithMethod, FetchResponse, ParamsOption, RequestBodyOption } from 'openapi-fetch';
import type { ApiClient } from './client.js';
import type { AnyRequest, CallOptions, KeyedCallOptions, TokenCallOptions } from './operation.js';
import type { AnyResult } from './result.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The functions of operations, by path and method. */
type OperationsByPath = Readonly<Record<string, Readonly<Partial<Record<Method, unknown>>>>>;

/** The operation that `Paths`, the generated types of an API, has at a path. */
type OperationAt<Paths, Path, Name extends string> = Path extends keyof Paths
  ? Paths[Path] extends Record<Name, infer Operation extends Record<string, unknown>>
    ? Operation
    : never
  : never;

/** The request of an operation, as openapi-fetch derives it, and the options of a call. */
export type PathRequest<Operation> = ParamsOption<Operation> &
  RequestBodyOption<Operation> &
  CallOptions &
  Pick<KeyedCallOptions, 'idempotencyKey'> &
  Pick<TokenCallOptions, 'adoptTokens'>;

/** The arguments behind the path: the request may be left out when nothing in it is required. */
type RequestArguments<Request> = object extends Request ? [request?: Request] : [request: Request];

type PathMethod<Paths extends object, Table, Name extends Method> = <
  Path extends ClientPathsWithMethod<Client<Paths>, Lowercase<Name>> & PathsOf<Table, Name>,
>(
  path: Path,
  ...request: RequestArguments<PathRequest<OperationAt<Paths, Path, Lowercase<Name>>>>
) => Promise<FetchResponse<OperationAt<Paths, Path, Lowercase<Name>>, object, `${string}/${string}`>>;

/** The paths of a table that have a method. */
type PathsOf<Table, Name extends Method> = {
  [Path in keyof Table]: Table[Path] extends Record<Name, unknown> ? Path : never;
}[keyof Table];

/** Calls by path, as those of openapi-fetch: `data` is that of a success, `error` the problem of a refusal. */
export type PathMethods<Paths extends object, Table> = {
  readonly [Name in Method]: PathMethod<Paths, Table, Name>;
};

/** A request as the methods get it. */
interface AnyPathRequest extends CallOptions {
  readonly params?: { readonly path?: object; readonly query?: object; readonly header?: Record<string, string> };
  readonly body?: unknown;
}

/** Adds calls by path to a client. They are sent by the functions of the operations. */
export function withPathMethods<Api extends ApiClient<string>, Paths extends object, Table extends OperationsByPath>(
  client: Api,
  operations: Table,
): Api & PathMethods<Paths, Table> {
  const methodFor =
    (method: Method) =>
    async (path: string, { params, ...request }: AnyPathRequest = {}): Promise<object> => {
      const call = operations[path]?.[method];
      if (!isCall(call))
        throw new TypeError(`The API has no operation ${method} ${path} that can be called by its path`);
      const { path: values, query, header } = params ?? {};
      const result = await call(client, {
        ...request,
        params: values,
        query,
        headers: { ...header, ...request.headers },
      });
      const { response } = result;
      return result.ok ? { data: result.data, response } : { error: result.problem, response };
    };
  const methods = {
    GET: methodFor('GET'),
    POST: methodFor('POST'),
    PUT: methodFor('PUT'),
    PATCH: methodFor('PATCH'),
    DELETE: methodFor('DELETE'),
  };
  // The generated table has the function of each operation at its path, whose types `Paths` also says.
  return { ...client, ...(methods as unknown as PathMethods<Paths, Table>) };
}

function isCall(call: unknown): call is (client: ApiClient<string>, request: AnyRequest) => Promise<AnyResult> {
  return typeof call === 'function';
}
