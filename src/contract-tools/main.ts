#!/usr/bin/env node
/** `plumbline-contract`: the tools for any OpenAPI contract, without the rest of Plumbline. */
import { Command } from 'commander';
import { registerContractTools } from './commands.js';

const program = new Command('plumbline-contract')
  .description('Tools for any OpenAPI contract.')
  .showHelpAfterError('(add --help for the options)')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
registerContractTools(program);
await program.parseAsync();
