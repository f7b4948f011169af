/** build and pull on a server. */
import { buildProject, pullProject, type BuildProjectResult } from '@plumbline/sdk/compose';
import type { Handler } from '../command.js';
import type { Project } from '../../model/project/project.js';
import type { BuildFlags, PullFlags } from '../flags.js';
import { notSupported } from '../../runtime/errors.js';
import type { Session } from '../session.js';
import { connect } from './connection.js';
import { RemoteFailure } from './failures.js';
import { sendProject } from './project.js';
import { refuseOptions } from './refused.js';

export const build: Handler<BuildFlags> = async (session, services, flags) => {
  refuseOptions('build', flags, {
    builder: '--builder',
    buildArg: '--build-arg',
    check: '--check',
    memory: '--memory',
    print: '--print',
    provenance: '--provenance',
    push: '--push',
    sbom: '--sbom',
    ssh: '--ssh',
    withDependencies: '--with-dependencies',
  });
  const remote = await connect(session);
  const name = await sendProject(session, remote, buildsWithSecrets);
  const body = { services: [...services], no_cache: flags.cache === false, pull: flags.pull === true };
  const { client, signal, follow } = remote;
  await show(session, follow(buildProject(client, { params: { name }, body, signal })), flags.quiet === true);
  return 0;
};

export const pull: Handler<PullFlags> = async (session, services, flags) => {
  refuseOptions('pull', flags, { ignoreBuildable: '--ignore-buildable', includeDeps: '--include-deps' });
  if (flags.policy !== 'always') throw notSupported(`pull --policy ${flags.policy}`, 'remote');
  const remote = await connect(session);
  const name = await sendProject(session, remote, () => false);
  const body = { services: [...services], ignore_failures: flags.ignorePullFailures === true };
  const { client, signal, follow } = remote;
  await show(session, follow(pullProject(client, { params: { name }, body, signal })));
  return 0;
};

function buildsWithSecrets({ services }: Project): boolean {
  return Object.values(services).some(({ build: step }) => (step?.secrets ?? []).length > 0);
}

type Frame = BuildProjectResult extends infer Result
  ? Result extends { readonly ok: true; readonly data: AsyncIterable<infer Item> }
    ? Item
    : never
  : never;

/** @throws RemoteFailure for a failure in the last line, or if the last line is missing */
async function show({ progress }: Session, frames: AsyncIterable<Frame>, quiet = false): Promise<void> {
  for await (const frame of frames) {
    if (quiet && (frame.type === 'status' || frame.type === 'log')) continue;
    switch (frame.type) {
      case 'status':
        progress.report({
          kind: 'status',
          resource: 'Image',
          name: frame.name,
          status: frame.status,
          done: frame.done,
        });
        break;
      case 'log':
        progress.report({ kind: 'line', name: frame.name, text: frame.line });
        break;
      case 'warning':
        progress.report({ kind: 'warning', message: frame.message });
        break;
      case 'error':
        throw new RemoteFailure(frame.message, `${frame.error}.${frame.case}`);
      case 'done':
        return;
    }
  }
  throw new RemoteFailure("The server's reply is incomplete.");
}
