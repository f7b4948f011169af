/** Lists and removes containers. */
import type {
  CreateContainerHandler,
  InspectContainerHandler,
  ListContainersHandler,
  RemoveContainerHandler,
} from '../../../../generated/compose/operations.js';
import { runtimeNotSupported } from '../../../../generated/problems.js';
import type { ComposeDependencies } from '../dependencies.js';
import { answering } from '../failure-replies.js';
import { listMatching } from '../label-filter.js';
import { byTime, replyWithPage } from '../paging.js';
import { containerBody } from './container-body.js';

export const listContainers: ListContainersHandler<ComposeDependencies> = async ({ query, context }, { backend }) => {
  const { status: statuses = [], name: prefix = '', label } = query;
  const matching = await listMatching(label, (filter) =>
    backend.containers.list({ signal: context.signal, ...filter }),
  );
  const wanted = matching.filter(
    ({ status, name }) => (statuses.length === 0 || statuses.includes(status)) && name.startsWith(prefix),
  );
  return replyWithPage(query, wanted, { positionOf: byTime, itemOf: containerBody });
};

export const inspectContainer: InspectContainerHandler<ComposeDependencies> = ({ params, context }, { backend }) =>
  answering(['RuntimeError.notFound'], async () => ({
    status: 200,
    body: containerBody(await backend.containers.inspect(params.id, { signal: context.signal })),
  }));

/** Containers are only created with their project; the contract documents 501 here. */
export const createContainer: CreateContainerHandler<ComposeDependencies> = (_request, { backend }) =>
  runtimeNotSupported({
    operation: 'createContainer',
    conformer: backend.conformer,
    message:
      'Containers cannot be created over this API. Use `compose up`, or send a compose file to /projects/{name} and bring the project up.',
  });

export const removeContainer: RemoveContainerHandler<ComposeDependencies> = ({ params, query, context }, { backend }) =>
  answering(['RuntimeError.notFound', 'RuntimeError.invalidState'], async () => {
    const { force, volumes } = query;
    await backend.containers.remove(params.id, { signal: context.signal, force, volumes });
    return { status: 204 };
  });
