/** The tools as a server of the Model Context Protocol, for one caller. */
import { setImmediate } from 'node:timers/promises';
import { queryTools } from '../../../generated/graphql/tools.js';
import { operationTools } from '../../../generated/platform/tools.js';
import { releaseVersion } from '@plumbline/contract/system/release-version';
import { callFailure } from '../login/failures.js';
import type { Identity } from '../login/identity.js';
import { oneLine } from '../one-line.js';
import { callTool, type AnyTool, type Caller } from './call-tool.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  McpServer,
  type CallToolResult,
} from './protocol.js';

/** All tools. */
export const tools: readonly AnyTool[] = [...queryTools, ...operationTools];

const INSTRUCTIONS =
  'Plumbline shows where the engineering work of an organization goes. investment_breakdown answers what was invested ' +
  'in a period; periods can be named, such as last_quarter. An error is a result with a code or a problem type.';

/** A server, and the requests that it has not answered. */
export interface ToolServer {
  readonly protocol: McpServer;
  /** Resolves when the requests that have arrived are answered. */
  answered(): Promise<void>;
}

/** Creates a server. Nothing is shared between servers. */
export function createToolServer(caller: Caller): ToolServer {
  const info = { name: 'plumbline', version: releaseVersion() };
  const server = new McpServer(info, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  // The other methods of the server take schemas of zod; ours are JSON Schemas.
  const { server: requests } = server;
  requests.registerCapabilities({ tools: { listChanged: false } }); // the constructor sets it to true
  const open = new Set<Promise<unknown>>();
  const counted = <Reply>(reply: Promise<Reply>): Promise<Reply> => {
    open.add(reply);
    const end = (): void => void open.delete(reply);
    reply.then(end, end);
    return reply;
  };
  const list = async (signal: AbortSignal): Promise<{ tools: Described[] }> => {
    const identity = await caller.identity(signal).catch((error: unknown) => {
      const failure = callFailure(error);
      throw failure === null ? error : new McpError(ErrorCode.InternalError, failure.lines.join(' '));
    });
    return { tools: tools.filter((tool) => isAllowed(tool, identity)).map(described) };
  };
  const call = async (
    name: string,
    given: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<CallToolResult> => {
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) {
      throw new McpError(ErrorCode.InvalidParams, `There is no tool ${oneLine(name.slice(0, 100))}`);
    }
    return callTool(tool, given, caller, signal);
  };
  requests.setRequestHandler(ListToolsRequestSchema, (_request, { signal }) => counted(list(signal)));
  requests.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: given = {} } }, { signal }) =>
    counted(call(name, given, signal)),
  );
  return {
    protocol: server,
    answered: async () => {
      await Promise.allSettled(open);
      await setImmediate(); // the protocol writes a reply after its promise has resolved
    },
  };
}

/** Tools that the scopes of a service token do not allow are not listed. A call of one answers the refusal. */
function isAllowed({ scope }: AnyTool, identity: Identity): boolean {
  return identity.kind === 'person' || identity.scopes.includes(scope);
}

type Described = Pick<AnyTool, 'name' | 'title' | 'description' | 'inputSchema' | 'outputSchema' | 'annotations'>;

function described({ name, title, description, inputSchema, outputSchema, annotations }: AnyTool): Described {
  return { name, title, description, inputSchema, outputSchema, annotations };
}
