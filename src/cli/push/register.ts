/** `push`: sends records of other systems to a server. */
import type { Command } from 'commander';
import type { DeploymentOptions, PushOptions } from './push.js';

const HELP = `
The token in PLUMBLINE_TOKEN needs the scope records:write. In a clone, --repository is its remote "origin" and --commit is
what is checked out. An id that was pushed before replaces that record: first with --status in_progress, then again.

Examples:
  plumbline push deployment --id "$CI_JOB_ID" --environment production
  plumbline push deployment --id 1482 --environment production --status failure --repository https://github.com/acme/shop
  plumbline push records incidents.json --wait`;

const server = [
  '--server <url>',
  'address of the server (default: PLUMBLINE_SERVER, else the last login, else http://127.0.0.1:8080)',
] as const;
const wait = [
  '--wait',
  'end when all records are stored; after 5 minutes, exits with 4, or with 1 if storing fails',
] as const;

/** Adds the commands. */
export function registerPushCommand(program: Command): void {
  const push = program
    .command('push')
    .description('push deployments, incidents, builds and issues to a server')
    .addHelpText('after', HELP);
  push
    .command('deployment')
    .description('push one deployment')
    .requiredOption('--id <id>', 'what identifies it among the deployments of the repository')
    .option('--environment <name>', 'what it was deployed to; without it, production')
    .option('--status <status>', 'success, failure, canceled or in_progress', 'success')
    .option('--repository <url>', 'address of the repository (default: the remote of this clone)')
    .option('--commit <hash>', 'the deployed commit (default: what is checked out here, unless --repository is given)')
    .option('--started-at <time>', 'when it began (default: --finished-at)')
    .option('--finished-at <time>', 'when it ended (default: now, unless it is in progress)')
    .option('--ref <name>', 'the branch, tag or version that was deployed')
    .option('--author <name>', 'who deployed it')
    .option(...server)
    .option(...wait)
    .addHelpText('after', HELP)
    .action(async (options: DeploymentOptions) => {
      const { pushDeployment } = await import('./push.js');
      await pushDeployment(options);
    });
  push
    .command('records')
    .description('push the records of a file, of any number')
    .argument('<file>', 'JSON as pushRecords takes it, {"deployments": [...], ...}; - is standard input')
    .option(...server)
    .option(...wait)
    .addHelpText('after', HELP)
    .action(async (file: string, options: PushOptions) => {
      const { pushFile } = await import('./push.js');
      await pushFile(file, options);
    });
}
