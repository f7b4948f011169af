/** Calls a tool through the SDK. */
import type { OperationTool, QueryTool } from '@plumbline/contract/contract-types';
import { organizationRequired } from '../../../generated/problems.js';
import { timeZoneOf } from '../../analytics/time-zone.js';
import { callFailure } from '../login/failures.js';
import type { Identity } from '../login/identity.js';
import {
  createAnalyticsClient,
  operations,
  PlumblineError,
  type AnyResult,
  type CallOptions,
  type PlatformClient,
} from '../sdk.js';
import { argumentFault } from './check-arguments.js';
import { periodOf, type PeriodName } from './periods.js';
import type { CallToolResult } from './protocol.js';

/** Who calls a tool. */
export interface Caller {
  readonly client: PlatformClient;
  /** Asks the server anew each time: a token may have been revoked. */
  readonly identity: (signal: AbortSignal) => Promise<Identity>;
  readonly now: () => Date;
}

export type AnyTool = OperationTool | QueryTool;
type Arguments = Readonly<Record<string, unknown>>;

/**
 * @param signal ends the call at the server, too
 * @returns what the server answered; a refusal is a result with its problem, and `isError`
 * @throws the reason of the signal
 */
export async function callTool(
  tool: AnyTool,
  given: Arguments,
  caller: Caller,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const fault = argumentFault(tool, given);
  if (fault !== null) return refusal(fault, invalidArguments(tool, fault));
  try {
    const { org_id: orgId } = await caller.identity(signal);
    const call = { ...caller, orgId, signal };
    return await ('queryId' in tool ? query(tool, given, call) : operate(tool, given, call));
  } catch (error) {
    if (error instanceof PlumblineError) return 'queryId' in tool ? queryRefusal(error) : problemRefusal(error.problem);
    const failure = callFailure(error);
    if (failure === null) throw error;
    // There is no reply that could be typed.
    return { isError: true, content: [{ type: 'text', text: failure.lines.join('\n') }] };
  }
}

interface Call extends Caller {
  /** null: the caller is in no organization. */
  readonly orgId: string | null;
  readonly signal: AbortSignal;
}

async function operate(
  tool: OperationTool,
  given: Arguments,
  { client, orgId, signal }: Call,
): Promise<CallToolResult> {
  if (tool.takesOrganization && orgId === null) return withoutOrganization();
  const part = (place: string): Arguments =>
    Object.fromEntries(Object.entries(given).filter(([name]) => tool.places[name] === place));
  const headers = Object.fromEntries(Object.entries(part('headers')).map(([name, value]) => [name, String(value)]));
  const found: unknown = Reflect.get(operations, tool.operationId);
  if (typeof found !== 'function') throw new Error(`The SDK has no operation ${tool.operationId}`);
  const call = found as (client: PlatformClient, request: object) => Promise<AnyResult>; // generated from the same contract
  const request = {
    params: { ...part('params'), ...(tool.takesOrganization && { org_id: orgId }) },
    query: part('query'),
    headers,
    ...(tool.hasBody && { body: part('body') }),
    signal,
  };
  const result = await call(client, request).catch((error: unknown) => unsendable(error));
  if (result instanceof Error) return refusal(result.message, invalidArguments(tool, result.message));
  if (!result.ok) return problemRefusal(result.problem);
  return success(typeof result.data === 'object' && result.data !== null ? { ...result.data } : {});
}

/**
 * The SDK does not send a path with "." or "..", nor text without an encoding. The schemas allow such arguments.
 *
 * @throws other errors
 */
function unsendable(error: unknown): Error {
  if (error instanceof TypeError || error instanceof URIError) return error;
  throw error;
}

function withoutOrganization(): CallToolResult {
  const message = 'You are in no organization: create, join or switch to one first.';
  return problemRefusal({ ...organizationRequired({ message }).body, request_id: '' });
}

async function query(tool: QueryTool, given: Arguments, { client, now, orgId, signal }: Call): Promise<CallToolResult> {
  const analytics = createAnalyticsClient(client);
  const named = tool.periods.filter((name) => typeof given[name] === 'string');
  let variables = given;
  if (named.length > 0) {
    const limits = await analytics.persisted('catalog-limits', { orgId: orgId ?? '' }, { signal });
    if (!limits.ok) return refusal(limits.error.message, { ...limits.error });
    const today = timeZoneOf(limits.data.catalog.calendar.timeZone).dayOf(now().getTime());
    // The schema allows no other texts than the names of periods.
    const periods = named.map((name) => [name, periodOf(given[name] as PeriodName, today)]);
    variables = { ...given, ...(Object.fromEntries(periods) as Arguments) };
  }
  // The schema of the arguments is generated from the variables of the query.
  const ask = analytics.persisted as (
    id: string,
    variables: object,
    options: CallOptions,
  ) => ReturnType<typeof analytics.persisted>;
  const reply = await ask(tool.queryId, { ...variables, orgId: orgId ?? '' }, { signal });
  if (!reply.ok) return refusal(reply.error.message, { ...reply.error });
  return success({ variables, data: { ...reply.data } });
}

function success(structuredContent: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

function refusal(message: string, structuredContent: Record<string, unknown>): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: message }], structuredContent };
}

function problemRefusal(problem: PlumblineError['problem']): CallToolResult {
  return refusal(`${problem.message} (${problem.type})`, { ...problem });
}

/** The code of the Analytics API for a problem that answered the question for the organization before the query. */
function queryRefusal({ status, problem, requestId }: PlumblineError): CallToolResult {
  const code = {
    401: 'AUTHORIZATION_ERROR',
    403: 'AUTHORIZATION_ERROR',
    429: 'RATE_LIMITED',
    503: 'SERVICE_UNAVAILABLE',
  }[status];
  return refusal(problem.message, {
    code: code ?? 'INTERNAL_ERROR',
    message: problem.message,
    request_id: requestId ?? '',
  });
}

/** Makes the error with which the server would refuse the arguments. */
function invalidArguments(tool: AnyTool, message: string): Record<string, unknown> {
  if ('queryId' in tool) return { code: 'VALIDATION_ERROR', message, request_id: '' };
  return { type: '/problems/validation-failed', title: 'Validation failed', status: 422, message, request_id: '' };
}
