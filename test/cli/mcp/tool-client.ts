/** Clients of the official SDK, whose calls the gate sees. */
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { serveHttp } from '../../../src/cli/mcp/serve-http.js';
import type { createToolServer } from '../../../src/cli/mcp/tool-server.js';
import { selectTools, type ToolSelection } from '../../../src/cli/mcp/toolsets.js';
import { observe } from '../../support/recorder.js';
import { toolsSurface } from '../../support/tool-contract.js';

export interface ToolResult {
  readonly isError: boolean;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into it freely: the client has validated it
  readonly data: any;
  readonly text: string;
}

export interface ToolClient {
  readonly client: Client;
  /** Calls a tool. The client checks the result with the output schema of the tool. */
  call(name: string, given?: Record<string, unknown>): Promise<ToolResult>;
  close(): Promise<void>;
}

export interface ToolServer {
  readonly url: string;
  connect(token: string): Promise<ToolClient>;
  stop(): Promise<void>;
}

/** All tools, with the output schemas by which the client checks results. */
export const everyTool: ToolSelection = selectTools({ tools: ['all'], fullSchemas: true });

/** Serves the tools of a server over HTTP, in this process. */
export async function startTools(
  server: string,
  now: () => Date = () => new Date(),
  selection: ToolSelection = everyTool,
): Promise<ToolServer> {
  const { http, url } = await serveHttp({ server, host: '127.0.0.1', port: 0, allowedHosts: [], selection, now });
  return {
    url,
    connect: (token) => {
      const requestInit = { headers: { Authorization: `Bearer ${token}` } };
      return connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    },
    stop: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** Starts `plumbline mcp` in another process, and connects to its standard input and output. */
export function connectStdio(
  environment: Readonly<Record<string, string>>,
  flags: readonly string[] = ['--tools', 'all', '--full-schemas'],
): Promise<ToolClient> {
  const main = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...environment };
  return connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ['--conditions=@plumbline/source', '--import', tsx, main, 'mcp', ...flags],
      env,
    }),
  );
}

/** Connects to a server of this process. */
export async function connectTo({ protocol }: ReturnType<typeof createToolServer>): Promise<ToolClient> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await protocol.connect(theirs);
  return connect(ours);
}

async function connect(
  transport: StdioClientTransport | StreamableHTTPClientTransport | InMemoryTransport,
): Promise<ToolClient> {
  const client = new Client({ name: 'tests', version: '1' });
  // The two types differ in an optional member only.
  await client.connect(transport);
  await client.listTools(); // so that the client knows the output schemas
  return {
    client,
    call: async (name, given = {}) => {
      const { isError, structuredContent, content } = await client.callTool({ name, arguments: given });
      const data: Record<string, unknown> = Object(structuredContent);
      const [{ text } = { text: '' }] = content as { text: string }[]; // tools answer with one text
      observe(toolsSurface, [name, isError === true ? String(data['type'] ?? data['code']) : 'success']);
      return { isError: isError === true, data, text };
    },
    close: () => client.close(),
  };
}
