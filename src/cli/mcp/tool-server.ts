/** The tools as a server of the Model Context Protocol, for one caller. */
import { queryTools } from '../../../generated/graphql/tools.js';
import { operationTools } from '../../../generated/platform/tools.js';
import { releaseVersion } from '../../system/release-version.js';
import { callFailure } from '../login/failures.js';
import type { Identity } from '../login/identity.js';
import { oneLine } from '../one-line.js';
import { callTool, type AnyTool, type Caller } from './call-tool.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError, McpServer } from './protocol.js';

/** All tools. */
export const tools: readonly AnyTool[] = [...queryTools, ...operationTools];

const INSTRUCTIONS =
  'Plumbline shows where the engineering work of an organization goes. investment_breakdown answers what was invested ' +
  'in a period; periods can be named, such as last_quarter. An error is a result with a code or a problem type.';

/** Creates a server. Nothing is shared between servers. */
export function createToolServer(caller: Caller): McpServer {
  const info = { name: 'plumbline', version: releaseVersion() };
  const server = new McpServer(info, { capabilities: { tools: { listChanged: false } }, instructions: INSTRUCTIONS });
  // Its other methods take schemas of zod; ours are JSON Schemas.
  const { server: requests } = server;
  requests.setRequestHandler(ListToolsRequestSchema, async () => {
    const identity = await caller.identity().catch((error: unknown) => {
      const failure = callFailure(error);
      throw failure === null ? error : new McpError(ErrorCode.InternalError, failure.lines.join(' '));
    });
    return { tools: tools.filter((tool) => isAllowed(tool, identity)).map(described) };
  });
  requests.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: given = {} } }) => {
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) {
      throw new McpError(ErrorCode.InvalidParams, `There is no tool ${oneLine(name.slice(0, 100))}`);
    }
    return callTool(tool, given, caller);
  });
  return server;
}

/** Tools that the scopes of a service token do not allow are not listed. A call of one answers the refusal. */
function isAllowed({ scope }: AnyTool, identity: Identity): boolean {
  return identity.kind === 'person' || identity.scopes.includes(scope);
}

type Described = Pick<AnyTool, 'name' | 'title' | 'description' | 'inputSchema' | 'outputSchema' | 'annotations'>;

function described({ name, title, description, inputSchema, outputSchema, annotations }: AnyTool): Described {
  return { name, title, description, inputSchema, outputSchema, annotations };
}
