import { connect, serverOf } from '../login/connection.js';
import { reportingCalls } from '../login/failures.js';
import { identityOf } from '../login/identity.js';
import { UsageError } from '../usage-error.js';
import { hostOf, type Host } from './host.js';
import type { McpOptions } from './options.js';
import { StdioServerTransport } from './protocol.js';
import { isLoopback, serveHttp } from './serve-http.js';
import { createToolServer } from './tool-server.js';
import { selectTools } from './toolsets.js';

const now = (): Date => new Date();

/** Serves the tools until the other side ends, or until a signal. */
export function serveMcp(options: McpOptions): Promise<void> {
  return reportingCalls('mcp', () =>
    options.listen === undefined ? serveStdio(options) : listen(options, options.listen),
  );
}

async function serveStdio(options: McpOptions): Promise<void> {
  const { server, allowHost } = options;
  const selection = selectTools(options);
  if (allowHost !== undefined) throw new UsageError('--allow-host needs --listen');
  const { client, credential, server: address } = await connect(server);
  if (credential === 'none') {
    throw new UsageError(`log in with plumbline login --server ${address}, or set PLUMBLINE_TOKEN to a service token`);
  }
  const tools = createToolServer({ client, identity: (signal) => identityOf(client, { signal }), now }, selection);
  const ended = new Promise<void>((resolve) => {
    process.stdin.on('end', resolve);
  });
  await tools.protocol.connect(new StdioServerTransport());
  await ended;
  await tools.answered(); // a script may close its end before it reads
  await tools.protocol.close();
}

async function listen(options: McpOptions, address: string): Promise<void> {
  const { server, allowHost = [] } = options;
  const selection = selectTools(options);
  const { name: host, port = null } = hostOf(address) ?? {};
  if (host === undefined || port === null) throw new UsageError('--listen must be HOST:PORT, such as 127.0.0.1:8081');
  const allowedHosts = allowHost.map(allowedHost);
  const target = await serverOf(server, process.env);
  const { http, url, headers } = await serveHttp({ server: target, host, port, allowedHosts, selection, now });
  console.error(`plumbline mcp: tools of ${target} at ${url}`);
  if (!isLoopback(host) && allowHost.length === 0) {
    console.error(
      `plumbline mcp: requests must name ${headers.join(' or ')} as their host; allow other names with --allow-host, ` +
        'such as --allow-host mcp.example.com',
    );
  }
  const ended = new Promise<void>((resolve) => http.once('close', resolve));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      http.close();
      http.closeAllConnections();
    });
  }
  await ended;
}

function allowedHost(given: string): Host {
  const host = hostOf(given);
  if (host === null) {
    throw new UsageError(`--allow-host ${given} is not HOST or HOST:PORT, such as mcp.example.com or 192.0.2.7:8081`);
  }
  return host;
}
