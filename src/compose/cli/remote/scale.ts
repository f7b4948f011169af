/** `scale` on a server. */
import { scaleService } from '@plumbline/sdk/compose';
import type { Handler } from '../command.js';
import { replicasIn } from '../arguments.js';
import type { ScaleFlags } from '../flags.js';
import { connect } from './connection.js';
import { createsContainers, sendProject } from './project.js';
import { refuseOptions } from './refused.js';

export const scale: Handler<ScaleFlags> = async (session, words, flags) => {
  refuseOptions('scale', flags, { deps: '--no-deps' });
  const wanted = replicasIn(words);
  const remote = await connect(session);
  const name = await sendProject(session, remote, createsContainers);
  const { client, signal, ask } = remote;
  for (const [service, replicas] of wanted) {
    const request = { params: { name, service }, body: { replicas }, signal };
    for (const container of (await ask(scaleService(client, request))).containers) {
      session.progress.report({
        kind: 'status',
        resource: 'Container',
        name: container.name,
        status: container.status.charAt(0).toUpperCase() + container.status.slice(1),
        done: true,
      });
    }
  }
  return 0;
};
