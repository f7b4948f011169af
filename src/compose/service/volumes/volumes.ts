/** Named volumes. */
import type {
  CreateVolumeHandler,
  InspectVolumeHandler,
  ListVolumesHandler,
  RemoveVolumeHandler,
  Schemas,
} from '../../../../generated/compose/operations.js';
import type { VolumeRecord } from '../../runtime/records.js';
import type { ComposeDependencies } from '../dependencies.js';
import { answering } from '../failure-replies.js';
import { listMatching } from '../label-filter.js';
import { replyWithPage } from '../paging.js';
import { NOT_ALLOWED, requireAllowance, requireOwnLabels } from '../trust/trust.js';

export const listVolumes: ListVolumesHandler<ComposeDependencies> = async ({ query, context }, { backend }) => {
  const volumes = await listMatching(query.label, (filter) =>
    backend.volumes.list({ signal: context.signal, ...filter }),
  );
  return replyWithPage(query, volumes, {
    positionOf: ({ name }) => name,
    itemOf: volumeBody,
  });
};

export const createVolume: CreateVolumeHandler<ComposeDependencies> = ({ body, context }, { backend, allowances }) =>
  answering([...NOT_ALLOWED, 'RuntimeError.alreadyExists'], async () => {
    requireOwnLabels(body.labels);
    if (body.driver !== 'local') requireAllowance('plugins', ['driver'], allowances);
    const volume = await backend.volumes.create(body, { signal: context.signal });
    return { status: 201, body: volumeBody(volume) };
  });

export const inspectVolume: InspectVolumeHandler<ComposeDependencies> = ({ params, context }, { backend }) =>
  answering(['RuntimeError.notFound'], async () => {
    const volume = await backend.volumes.inspect(params.name, { signal: context.signal });
    return { status: 200, body: volumeBody(volume) };
  });

export const removeVolume: RemoveVolumeHandler<ComposeDependencies> = ({ params, context }, { backend }) =>
  answering(['RuntimeError.notFound'], async () => {
    await backend.volumes.remove(params.name, { signal: context.signal });
    return { status: 204 };
  });

function volumeBody({ name, driver, labels, createdAt }: VolumeRecord): Schemas['Volume'] {
  return { name, driver, labels: { ...labels }, created_at: createdAt ?? null };
}
