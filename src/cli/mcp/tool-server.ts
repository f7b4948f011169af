/** The tools as a server of the Model Context Protocol, for one caller. */
import { setImmediate } from 'node:timers/promises';
import { releaseVersion } from '@plumbline/contract/system/release-version';
import { callFailure } from '../login/failures.js';
import type { Identity } from '../login/identity.js';
import { oneLine } from '../one-line.js';
import { callTool, type AnyTool, type Caller } from './call-tool.js';
import { figuresResource, readFigures } from './figures.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  McpServer,
  ReadResourceRequestSchema,
  type CallToolResult,
  type ReadResourceResult,
} from './protocol.js';
import { listed, missingTool, type ListedTool, type ToolSelection } from './toolsets.js';

const INSTRUCTIONS = [
  'Plumbline shows where the engineering work of an organization goes.',
  `The resource ${figuresResource.uri} says what each figure means.`,
  'An error is a result with a code or a problem type.',
];

/** For an agent that is served this tool. */
const FIRST_TOOL = {
  name: 'investment_breakdown',
  instruction:
    'investment_breakdown answers what was invested in a period; periods can be named, such as last_quarter.',
};

/** A server, and the requests that it has not answered. */
export interface ToolServer {
  readonly protocol: McpServer;
  /** Resolves when the requests that have arrived are answered. */
  answered(): Promise<void>;
}

/** Creates a server. Nothing is shared between servers. */
export function createToolServer(caller: Caller, selection: ToolSelection): ToolServer {
  const info = { name: 'plumbline', version: releaseVersion() };
  const hasFirst = selection.tools.some(({ name }) => name === FIRST_TOOL.name);
  const instructions = [...INSTRUCTIONS, ...(hasFirst ? [FIRST_TOOL.instruction] : [])].join(' ');
  const server = new McpServer(info, { capabilities: { tools: {}, resources: {} }, instructions });
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
  const list = async (signal: AbortSignal): Promise<{ tools: ListedTool[] }> => {
    const identity = await caller.identity(signal).catch((error: unknown) => {
      const failure = callFailure(error);
      throw failure === null ? error : new McpError(ErrorCode.InternalError, failure.lines.join(' '));
    });
    const allowed = selection.tools.filter((tool) => isAllowed(tool, identity));
    return { tools: allowed.map((tool) => listed(tool, selection)) };
  };
  const call = async (
    name: string,
    given: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<CallToolResult> => {
    const tool = selection.tools.find((each) => each.name === name);
    if (tool === undefined) {
      const missing = missingTool(name, selection) ?? `There is no tool ${oneLine(name.slice(0, 100))}`;
      throw new McpError(ErrorCode.InvalidParams, missing);
    }
    return callTool(tool, given, caller, signal);
  };
  const read = async (uri: string): Promise<ReadResourceResult> => {
    if (uri !== figuresResource.uri) {
      throw new McpError(ErrorCode.InvalidParams, `There is no resource ${oneLine(uri.slice(0, 100))}`);
    }
    return { contents: [{ uri, mimeType: figuresResource.mimeType, text: await readFigures() }] };
  };
  requests.setRequestHandler(ListToolsRequestSchema, (_request, { signal }) => counted(list(signal)));
  requests.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: given = {} } }, { signal }) =>
    counted(call(name, given, signal)),
  );
  requests.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [figuresResource] }));
  // Clients ask for templates as soon as there are resources.
  requests.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [] }));
  requests.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => counted(read(uri)));
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
