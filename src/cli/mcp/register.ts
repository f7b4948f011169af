/** `plumbline mcp`: tools for agents. */
import type { Command } from 'commander';
import type { McpOptions } from './options.js';

const HELP = `
Without --listen, the tools are served on standard input and output, with PLUMBLINE_TOKEN or the login that
"plumbline login" has stored. With --listen, every request must have a service token (Authorization: Bearer plbst_...),
and acts with that token alone. Its Host header must be the address after --listen, with the port, or a value of
--allow-host (HOST or HOST:PORT, not a URL): with --listen 0.0.0.0:8081, name the addresses that callers use. Port 80
may be left out of the header.

Agents read the list of tools before their first call, so it has the tools with the scope analytics:read, without output
schemas. A toolset has the tools of a kind of scope: "teams" has those of teams:read and teams:write. The toolsets are
analytics, audit, integrations, members, setup, sync, teams and views.

Examples:
  plumbline mcp
  plumbline mcp --tools analytics teams sync --read-only
  plumbline mcp --listen 127.0.0.1:8081 --server https://plumbline.example.com
  plumbline mcp --listen 0.0.0.0:8081 --allow-host mcp.example.com 192.0.2.7:8081`;

/** Adds the command. */
export function registerMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('serve tools for agents, by the Model Context Protocol')
    .option('--server <url>', 'address of the Plumbline server (default: PLUMBLINE_SERVER, else the last login)')
    .option('--listen <address>', 'serve streamable HTTP on HOST:PORT, at /mcp')
    .option('--allow-host <host...>', 'other values of the Host header, such as mcp.example.com')
    .option('--tools <toolset...>', 'what is served: analytics (default), teams, sync ..., or all')
    .option('--read-only', 'serve only tools that change nothing')
    .option('--full-schemas', 'list output schemas, and the descriptions of members of arguments')
    .addHelpText('after', HELP)
    .action(async (options: McpOptions) => {
      const { serveMcp } = await import('./serve.js');
      await serveMcp(options);
    });
}
