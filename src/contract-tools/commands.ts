import type { Command } from 'commander';
import type { FuzzOptions } from './fuzz/run-fuzz.js';
import type { GateOptions } from './gate/run-gate.js';
import type { MockOptions } from './mock/run-mock.js';

/** Adds the tools for any OpenAPI contract. */
export function registerContractTools(program: Command): void {
  registerGate(program);
  registerMock(program);
  registerFuzz(program);
}

function registerGate(program: Command): void {
  program
    .command('gate')
    .description('compare what a server does with what its OpenAPI contract documents, in both directions')
    .argument('<contract>', 'OpenAPI 3.x document, YAML or JSON')
    .option('--target <url>', 'server to record; requests go through a proxy in front of it')
    .option('--listen <address>', 'port, or host:port, of the proxy', '127.0.0.1:0')
    .option('--run <command>', 'command that sends requests to $GATE_URL, such as your tests (default: until Ctrl-C)')
    .option('--observations <folder>', 'keep what was seen here, and add to what it has')
    .option('--exceptions <file>', 'YAML list of {unit, reason}: what need not be seen')
    .option('--junit <file>', 'write JUnit XML')
    .option('--json <file>', 'write JSON')
    .addHelpText(
      'after',
      `
Exit codes: 0 exactly what is documented was seen; 1 something differs, or the command failed; 2 wrong usage, an
unreadable contract, an unreachable server.

  plumbline gate openapi.yaml --target http://127.0.0.1:3000 --run 'npm test' --junit gate.xml`,
    )
    .action(async (contract: string, options: GateOptions) => {
      const { runGate } = await import('./gate/run-gate.js');
      await exitWith(runGate(contract, options, print));
    });
}

function registerMock(program: Command): void {
  program
    .command('mock')
    .description('answer an OpenAPI contract from its examples')
    .argument('<contract>', 'OpenAPI 3.x document, YAML or JSON')
    .option('--port <port>', 'port to listen on; 0 for any that is free', '4010')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .addHelpText(
      'after',
      `
A caller chooses the reply: Prefer: code=404, example=not_found (RFC 7240). Without that, a request that the contract
does not allow gets the documented refusal.

Exit codes: 0 interrupted; 2 wrong usage, an unreadable contract, an address that is taken.

  plumbline mock openapi.yaml --port 4010`,
    )
    .action(async (contract: string, options: MockOptions) => {
      const { runMock } = await import('./mock/run-mock.js');
      await exitWith(runMock(contract, options, print));
    });
}

function registerFuzz(program: Command): void {
  program
    .command('fuzz')
    .description('send a server what its OpenAPI contract allows and what it forbids, and judge every reply')
    .argument('<contract>', 'OpenAPI 3.x document, YAML or JSON')
    .argument('<server>', 'address of the server, such as http://127.0.0.1:3000')
    .option('--seed <number>', 'repeat a run: equal seeds send equal requests (default: random)')
    .option('--requests <number>', 'random allowed requests per operation, and as many forbidden ones', '50')
    .option('--header <header...>', 'header of all requests, such as "Authorization: Bearer x"')
    .option('--operation <id...>', 'only these operations')
    .option('--tag <tag...>', 'only operations with these tags')
    .option('--skip <id...>', 'not these operations, such as one that ends the session')
    .option('--parameter <name=value...>', 'what allowed requests send for the parameters of this name')
    .option('--safe-only', 'only operations that read: GET, HEAD, OPTIONS')
    .option('--unsafe', 'all operations, although the server is not on this machine')
    .option('--junit <file>', 'write JUnit XML')
    .option('--json <file>', 'write JSON')
    .addHelpText(
      'after',
      `
A server on another machine gets only requests that read, unless --unsafe is given.

Exit codes: 0 every reply was as documented; 1 not so; 2 wrong usage, an unreadable contract, an unreachable server.

  plumbline fuzz openapi.yaml http://127.0.0.1:3000 --header "Authorization: Bearer $TOKEN" --junit fuzz.xml`,
    )
    .action(async (contract: string, server: string, options: FuzzOptions) => {
      const { runFuzz } = await import('./fuzz/run-fuzz.js');
      await exitWith(runFuzz(contract, server, options, print));
    });
}

function print(line: string): void {
  console.log(line);
}

/** Exits with the code of a tool, or with 2 and a message after wrong usage. */
async function exitWith(result: Promise<number>): Promise<void> {
  try {
    process.exitCode = await result;
  } catch (error) {
    if (!(error instanceof Error) || !['UsageError', 'DocumentError'].includes(error.name)) throw error;
    console.error(`plumbline: ${error.message}`);
    process.exitCode = 2;
  }
}
