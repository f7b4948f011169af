/** `up` and `down` on a server. The project is loaded here and sent; the server does the rest. */
import { downProject, ingestProject, upProject, type Schemas } from '@plumbline/sdk/compose';
import { withoutUnusedResources } from '../../model/project/listings.js';
import type { Project } from '../../model/project/project.js';
import { mapValues } from '../../model/project/records.js';
import { renderConfig } from '../../model/project/render.js';
import { OrchestratorError } from '../../orchestrator/errors.js';
import { notSupported } from '../../runtime/errors.js';
import type { Handler } from '../command.js';
import type { DownFlags, UpFlags } from '../flags.js';
import { UsageError } from '../failures.js';
import type { Session } from '../session.js';
import { removesOrphans } from '../settings.js';
import { connect, type Remote } from './connection.js';
import { RemoteFailure } from './failures.js';
import { filesOf, sendFiles, withoutFiles } from './files.js';
import { stopAll } from './lifecycle.js';
import { chosenMembers } from './members.js';
import { logs } from './output.js';
import { refuseOptions } from './refused.js';

export const up: Handler<UpFlags> = async (session, services, flags) => {
  refuseOptions('up', flags, {
    deps: '--no-deps',
    start: '--no-start',
    replace: '--no-replace',
    alwaysRecreateDeps: '--always-recreate-deps',
    renewAnonVolumes: '--renew-anon-volumes',
    abortOnContainerExit: '--abort-on-container-exit',
    abortOnContainerFailure: '--abort-on-container-failure',
    exitCodeFrom: '--exit-code-from',
    attach: '--attach',
    attachDependencies: '--attach-dependencies',
    noAttach: '--no-attach',
    wait: '--wait',
    waitTimeout: '--wait-timeout',
    watch: '--watch',
  });
  if (flags.build === false) throw notSupported('up --no-build', 'remote');
  const body = upRequest(services, flags, removesOrphans(flags, session.variables));
  const remote = await connect(session);
  const begun = session.io.clock.now();
  const name = await sendProject(session, remote, createsContainers);
  const { client, signal, ask } = remote;
  const result = await ask(upProject(client, { params: { name }, body, signal }));
  for (const message of result.warnings) session.progress.report({ kind: 'warning', message });
  for (const { name: container, status } of result.services) {
    const text = status.charAt(0).toUpperCase() + status.slice(1);
    session.progress.report({ kind: 'status', resource: 'Container', name: container, status: text, done: true });
  }
  if (flags.detach === true) return 0;
  await session.progress.close();
  return attached(session, services, flags, begun);
};

function upRequest(services: readonly string[], flags: UpFlags, removeOrphans: boolean): Schemas['UpRequest'] {
  if (flags.forceRecreate === true && flags.recreate === false) {
    throw new UsageError('--force-recreate and --no-recreate cannot be combined.');
  }
  for (const replicas of flags.scale?.values() ?? []) {
    if (replicas < 0) throw new OrchestratorError({ case: 'invalidReplicaCount', replicas });
  }
  return {
    services: [...services],
    recreate: flags.forceRecreate === true ? 'always' : flags.recreate === false ? 'never' : 'changed',
    remove_orphans: removeOrphans,
    ...(flags.build === true && { build: 'always' as const }),
    ...(flags.pull && { pull: flags.pull }),
    ...(flags.scale && { scale: Object.fromEntries(flags.scale) }),
    ...(flags.timeout !== undefined && { timeout_seconds: flags.timeout }),
  };
}

/** Shows the containers' output until they end, or until Ctrl-C stops them. */
async function attached(
  session: Session,
  services: readonly string[],
  { color, logPrefix, timestamps, timeout }: UpFlags,
  since: Date,
): Promise<number> {
  const shown = {
    ...(color !== undefined && { color }),
    ...(logPrefix !== undefined && { logPrefix }),
    ...(timestamps !== undefined && { timestamps }),
  };
  const code = await logs(session, services, { ...shown, since, follow: true, format: 'text' });
  if (!session.signal.aborted) return code ?? 0;
  const remote = { ...(await connect(session)), signal: session.impatient };
  await stopAll(session, remote, await chosenMembers(remote, await session.select(services)), timeout);
  return 0;
}

/** For a command whose containers get the content of secrets and configs. */
export const createsContainers = (): boolean => true;

/**
 * Sends what the enabled services use, fully resolved: variables, profiles, merged and included files.
 *
 * @param needsContent whether the command needs the content of secrets and configs. Without it, the server keeps what it
 *   has, and no file is read
 * @returns its name
 * @throws UsageError for a file that cannot be read, before anything is sent
 */
export async function sendProject(
  session: Session,
  remote: Remote,
  needsContent: (project: Project) => boolean,
): Promise<string> {
  const { client, signal, ask } = remote;
  const loaded = await session.load();
  const used = withoutUnusedResources(loaded.project);
  const files = needsContent(used) ? await filesOf({ project: used, contents: loaded.contents }) : null;
  const project = withoutFiles(used);
  // Services of disabled profiles have been removed; the server must not filter again.
  const services = mapValues(project.services, ({ profiles: _, ...service }) => service);
  const request = {
    params: { name: project.name },
    query: { replace: true },
    body: renderConfig({ ...project, services }, 'yaml'),
  };
  const { warnings } = await ask(ingestProject(client, { ...request, signal }));
  for (const message of warnings) session.progress.report({ kind: 'warning', message });
  if (files !== null) await sendFiles(remote, project.name, files);
  return project.name;
}

export const down: Handler<DownFlags> = async (session, services, flags) => {
  refuseOptions('down', flags, { rmi: '--rmi' });
  if (services.length > 0) throw notSupported('down <services>', 'remote');
  const { name } = await session.select();
  const { client, signal, ask } = await connect(session);
  const body = {
    remove_volumes: flags.volumes === true,
    remove_orphans: removesOrphans(flags, session.variables),
    // The next `up` sends them again.
    remove_files: true,
    ...(flags.timeout !== undefined && { timeout_seconds: flags.timeout }),
  };
  try {
    const { removed } = await ask(downProject(client, { params: { name }, body, signal }));
    for (const container of removed) {
      session.progress.report({
        kind: 'status',
        resource: 'Container',
        name: container,
        status: 'Removed',
        done: true,
      });
    }
  } catch (error) {
    // Succeeds if there is nothing to take down.
    if (!(error instanceof RemoteFailure) || error.entry !== 'OrchestratorError.projectNotFound') throw error;
  }
  return 0;
};
