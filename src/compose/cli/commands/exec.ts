import type { Command } from 'commander';
import { selectMembers } from '../../orchestrator/lifecycle.js';
import { memberNumbered, requireRunning } from '../../orchestrator/actual-state.js';
import type { ExecSpec } from '../../runtime/spec.js';
import { collected, variables, wholeNumber } from '../arguments.js';
import { define } from '../command.js';
import { Detached } from '../detach-keys.js';
import { interact } from '../interaction.js';
import type { Io } from '../io.js';
import type { Session } from '../session.js';
import type { ExecFlags } from '../flags.js';

export function execCommand(compose: Command, io: Io): void {
  define<ExecFlags>(compose, io, {
    usage: 'exec <service> <command...>',
    description: "run a command in a service's container",
    options: (command) =>
      command
        .passThroughOptions()
        .option('-d, --detach', 'run in the background')
        .option(
          '-e, --env <name=value>',
          'environment variable; a name alone takes its local value; repeatable',
          collected,
        )
        .option('-u, --user <user>', 'user to run as')
        .option('-w, --workdir <path>', 'directory to run in')
        .option('--privileged', 'give the process extended privileges')
        .option('--index <number>', 'number of the container (default: the first)', wholeNumber)
        .option('-T, --no-tty', 'do not allocate a terminal')
        .option('--no-interactive', 'do not attach standard input'),
    examples: ['compose exec web sh', 'compose exec -T db pg_dump app > app.sql'],
    run: runExec,
    remote: async () => (await import('../remote/output.js')).exec,
  });
}

async function runExec(
  session: Session,
  [service = '', ...command]: readonly string[],
  flags: ExecFlags,
): Promise<number> {
  const { io } = session;
  const orchestration = await session.orchestration();
  const selection = await session.select([service]);
  const members = await selectMembers(orchestration, selection);
  const member = memberNumbered(members, { project: selection.name, service, number: flags.index });
  requireRunning(member);
  const { backend, signal } = orchestration;
  const tty = flags.detach !== true && flags.tty !== false && io.stdin.isTerminal && io.stdout.isTerminal;
  const spec: ExecSpec = {
    command,
    tty,
    environment: variables(flags.env, io.environment),
    ...(flags.user !== undefined && { user: flags.user }),
    ...(flags.workdir !== undefined && { workingDirectory: flags.workdir }),
    ...(flags.privileged === true && { privileged: true }),
  };
  if (flags.detach === true) {
    const running = await backend.containers.exec(member.container.id, spec, { signal });
    running.exitCode.catch(() => undefined); // Not awaited.
    return 0;
  }
  const interactive = flags.interactive !== false;
  try {
    return await interact(session, { tty, interactive }, (stdin, bound) =>
      backend.containers.exec(member.container.id, { ...spec, ...(stdin && { stdin }) }, { signal: bound }),
    );
  } catch (error) {
    if (!(error instanceof Detached)) throw error;
    return 0;
  }
}
