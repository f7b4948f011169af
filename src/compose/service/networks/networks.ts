/** Networks: both production backends refuse them. */
import type {
  CreateNetworkHandler,
  InspectNetworkHandler,
  ListNetworksHandler,
  RemoveNetworkHandler,
  Schemas,
} from '../../../../generated/compose/operations.js';
import type { NetworkRecord } from '../../runtime/records.js';
import type { ComposeDependencies } from '../dependencies.js';
import { answering } from '../failure-replies.js';
import { listMatching } from '../label-filter.js';
import { replyWithPage } from '../paging.js';
import { NOT_ALLOWED, requireAllowance, requireOwnLabels } from '../trust/trust.js';

const ofOne = ['RuntimeError.notFound', 'RuntimeError.notSupported'] as const;

export const listNetworks: ListNetworksHandler<ComposeDependencies> = ({ query, context }, { backend }) =>
  answering(['RuntimeError.notSupported'], async () => {
    const networks = await listMatching(query.label, (filter) =>
      backend.networks.list({ signal: context.signal, ...filter }),
    );
    return replyWithPage(query, networks, {
      positionOf: ({ id }) => id,
      itemOf: networkBody,
    });
  });

export const createNetwork: CreateNetworkHandler<ComposeDependencies> = ({ body, context }, { backend, allowances }) =>
  answering([...NOT_ALLOWED, 'RuntimeError.alreadyExists', 'RuntimeError.notSupported'], async () => {
    requireOwnLabels(body.labels);
    if (body.driver !== 'bridge') requireAllowance('networks', ['driver'], allowances);
    const network = await backend.networks.create(body, { signal: context.signal });
    return { status: 201, body: networkBody(network) };
  });

export const inspectNetwork: InspectNetworkHandler<ComposeDependencies> = ({ params, context }, { backend }) =>
  answering(ofOne, async () => {
    const network = await backend.networks.inspect(params.id, { signal: context.signal });
    return { status: 200, body: networkBody(network) };
  });

export const removeNetwork: RemoveNetworkHandler<ComposeDependencies> = ({ params, context }, { backend }) =>
  answering(ofOne, async () => {
    await backend.networks.remove(params.id, { signal: context.signal });
    return { status: 204 };
  });

function networkBody({ id, name, driver, internal, labels }: NetworkRecord): Schemas['Network'] {
  return { id, name, driver, internal, labels: { ...labels } };
}
