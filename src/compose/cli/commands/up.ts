import { Option, type Command } from 'commander';
import { selectServices } from '../../model/project/profiles.js';
import { OrchestratorError } from '../../orchestrator/errors.js';
import { awaitReady } from '../../orchestrator/readiness.js';
import { up, type Loaded, type UpOptions } from '../../orchestrator/up.js';
import { notSupported, type Conformer } from '../../runtime/errors.js';
import { collected, scaleOf, wholeNumber } from '../arguments.js';
import { define } from '../command.js';
import { UsageError } from '../failures.js';
import type { Io } from '../io.js';
import { keptReporter, runAttached } from '../attached-up.js';
import { quieter } from '../quiet.js';
import type { Session } from '../session.js';
import { keepOrphans, orphanPolicy } from '../settings.js';
import type { CreateFlags, UpFlags } from '../flags.js';

export function upCommand(compose: Command, io: Io): void {
  define<UpFlags>(compose, io, {
    usage: 'up [services...]',
    stops: true,
    description: 'create and start containers; up-to-date containers are kept',
    options: (command) => {
      createOptions(command)
        .option('-d, --detach', 'run containers in the background')
        .option('--no-deps', 'do not start dependencies')
        .option('--no-start', 'create containers without starting them')
        .option('--always-recreate-deps', 'also replace dependants of replaced services')
        .option('-V, --renew-anon-volumes', 'replace containers, and give them new anonymous volumes')
        .option('--abort-on-container-exit', 'stop all when a container exits, and return its exit code')
        .option('--abort-on-container-failure', 'stop all when a container fails, and return its exit code')
        .option('--exit-code-from <service>', 'return the exit code of this service; implies --abort-on-container-exit')
        .addOption(
          new Option('--attach <service>', 'show the output of this service only; repeatable').argParser(collected),
        )
        .addOption(noAttach())
        .option('--attach-dependencies', 'also show the output of dependencies of the named services')
        .option('--quiet-build', 'do not print the output of builds')
        .option('--no-color', 'disable colours')
        .option('--no-log-prefix', 'omit container names')
        .option('--menu', 'show keys to watch files and to detach (default: COMPOSE_MENU)')
        .option('--no-menu', 'do not show them')
        .option('--timestamps', 'print the time of each line')
        .option('-t, --timeout <seconds>', 'time for containers to stop (default: 10)', wholeNumber)
        .option('--wait', 'wait until all are running and healthy; implies --detach')
        .option(
          '--wait-timeout <seconds>',
          'limit of each wait (default: 60, or what a health check needs)',
          wholeNumber,
        )
        .option('-w, --watch', 'apply file changes to containers (develop.watch)');
    },
    examples: ['compose up -d --build', 'compose up --exit-code-from tests'],
    run: runUp,
    remote: async () => (await import('../remote/project.js')).up,
  });
}

/** The parser would read it as the negation of `--attach`. */
function noAttach(): Option {
  const option = new Option('--no-attach <service>', 'do not show the output of this service; repeatable');
  option.negate = false;
  return option.argParser(collected);
}

export function createCommand(compose: Command, io: Io): void {
  define<CreateFlags>(compose, io, {
    usage: 'create [services...]',
    stops: true,
    description: 'create containers without starting them',
    options: createOptions,
    run: async (session, services, flags) => {
      const loaded = await session.load(services);
      await up(quieter(await session.orchestration(), flags), loaded, { ...upOptions(flags), start: false });
      return 0;
    },
  });
}

function createOptions(command: Command): Command {
  return command
    .option('--build', 'build images before starting')
    .option('--no-build', 'do not build images, even if they are missing')
    .addOption(new Option('--pull <policy>', 'when to pull images').choices(['always', 'missing', 'never']))
    .option('--force-recreate', 'replace containers that have not changed')
    .option('--no-recreate', 'keep containers that have changed')
    .option('--no-replace', 'fail if a container needs to be replaced')
    .option('--quiet-pull', 'do not print the progress of pulls')
    .option('--remove-orphans', 'remove containers of services not in the compose file')
    .addOption(keepOrphans())
    .option('--scale <service=number>', 'number of containers of a service; repeatable', scaleOf)
    .option('-y, --yes', 'accepted for scripts: nothing is asked');
}

function upOptions(flags: CreateFlags): UpOptions {
  if (flags.forceRecreate === true && flags.recreate === false) {
    throw new UsageError('--force-recreate and --no-recreate cannot be combined.');
  }
  return {
    ...(flags.build === true && { build: 'always' as const }),
    ...(flags.build === false && { build: 'never' as const }),
    ...(flags.pull && { pull: flags.pull }),
    recreate: flags.forceRecreate === true ? 'always' : flags.recreate === false ? 'never' : 'changed',
    replace: flags.replace !== false,
    removeOrphans: flags.removeOrphans === true,
    ...(flags.scale && { scale: flags.scale }),
  };
}

async function runUp(session: Session, services: readonly string[], flags: UpFlags): Promise<number> {
  requireSense(flags);
  const loaded = await loadFor(session, services, flags);
  const { project } = loaded;
  for (const service of [flags.exitCodeFrom ?? [], flags.attach ?? [], flags.noAttach ?? []].flat()) {
    if (Object.hasOwn(project.services, service)) continue;
    throw new OrchestratorError({ case: 'serviceNotFound', project: project.name, service });
  }
  const orchestration = quieter(await session.orchestration(), flags);
  const options: UpOptions = {
    ...upOptions(flags),
    ...orphanPolicy(flags, session.variables),
    start: flags.start !== false,
    recreateDependants: flags.alwaysRecreateDeps === true,
    renewAnonymousVolumes: flags.renewAnonVolumes === true,
    stopTimeoutSeconds: flags.timeout,
    waitSeconds: flags.waitTimeout,
    ...(services.length > 0 && { targets: services }),
  };
  return session.explaining(async () => {
    if (orchestration.backend.cluster !== undefined) {
      requireNoAttachment(flags, orchestration.backend.conformer);
      // A terminal that closes must not stop what runs on a cluster, so output is not followed.
      await up(orchestration, loaded, { ...options, detach: flags.detach === true && flags.wait !== true });
      return 0;
    }
    // A dry run has no output to follow.
    if (flags.start !== false && flags.wait !== true && flags.detach !== true && !session.isDryRun) {
      return runAttached(session, loaded, options, services, flags);
    }
    const observer = { planned: () => undefined, running: keptReporter(orchestration) };
    const { containers } = await up(orchestration, loaded, { ...options, observer });
    if (flags.wait === true && flags.start !== false) {
      const members = [...containers].flatMap(([service, own]) => own.map((container) => ({ service, container })));
      await awaitReady(orchestration, members, { project, seconds: flags.waitTimeout });
    }
    return 0;
  }, project);
}

/** @throws RuntimeError.notSupported for options that follow containers */
function requireNoAttachment(flags: UpFlags, conformer: Conformer): void {
  const refused: readonly (readonly [option: string, value: unknown])[] = [
    ['--watch', flags.watch],
    ['--menu', flags.menu],
    ['--attach', flags.attach],
    ['--no-attach', flags.noAttach],
    ['--exit-code-from', flags.exitCodeFrom],
    ['--abort-on-container-exit', flags.abortOnContainerExit],
    ['--abort-on-container-failure', flags.abortOnContainerFailure],
  ];
  for (const [option, value] of refused) {
    if (value !== undefined && value !== false) throw notSupported(`up ${option}`, conformer);
  }
}

function requireSense(flags: UpFlags): void {
  if (flags.renewAnonVolumes === true && flags.recreate === false) {
    throw new UsageError('--renew-anon-volumes and --no-recreate cannot be combined.');
  }
  const attached = [
    flags.abortOnContainerExit,
    flags.abortOnContainerFailure,
    flags.exitCodeFrom !== undefined,
    flags.watch,
    flags.attach !== undefined,
    flags.noAttach !== undefined,
  ];
  if ((flags.detach === true || flags.wait === true) && attached.includes(true)) {
    const excluded = '--exit-code-from, --abort-on-container-..., --attach, --no-attach and --watch';
    throw new UsageError(`--detach and --wait cannot be combined with ${excluded}.`);
  }
}

async function loadFor(session: Session, services: readonly string[], { deps }: UpFlags): Promise<Loaded> {
  if (deps !== false) return session.load(services);
  const { project, contents } = await session.load();
  return { project: selectServices(project, services, 'ignore'), contents };
}
