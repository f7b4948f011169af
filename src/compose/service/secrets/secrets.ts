/** Secrets of the backend. Both production backends reject them. Values are never returned. */
import type {
  CreateSecretHandler,
  InspectSecretHandler,
  ListSecretsHandler,
  RemoveSecretHandler,
  Schemas,
} from '../../../../generated/compose/operations.js';
import type { SecretRecord } from '../../runtime/records.js';
import type { ComposeDependencies } from '../dependencies.js';
import { answering } from '../failure-replies.js';
import { replyWithPage } from '../paging.js';

const ofOne = ['RuntimeError.notFound', 'RuntimeError.notSupported'] as const;

export const listSecrets: ListSecretsHandler<ComposeDependencies> = ({ query, context }, { backend }) =>
  answering(['RuntimeError.notSupported'], async () => {
    const secrets = await backend.secrets.list({ signal: context.signal });
    return replyWithPage(query, secrets, { positionOf: ({ id }) => id, itemOf: secretBody });
  });

export const createSecret: CreateSecretHandler<ComposeDependencies> = ({ body, context }, { backend }) =>
  answering(['RuntimeError.alreadyExists', 'RuntimeError.notSupported'], async () => {
    const { value, ...spec } = body;
    const secret = await backend.secrets.create({ ...spec, value: Buffer.from(value) }, { signal: context.signal });
    return { status: 201, body: secretBody(secret) };
  });

export const inspectSecret: InspectSecretHandler<ComposeDependencies> = ({ params, context }, { backend }) =>
  answering(ofOne, async () => {
    const secret = await backend.secrets.inspect(params.id, { signal: context.signal });
    return { status: 200, body: secretBody(secret) };
  });

export const removeSecret: RemoveSecretHandler<ComposeDependencies> = ({ params, context }, { backend }) =>
  answering(ofOne, async () => {
    await backend.secrets.remove(params.id, { signal: context.signal });
    return { status: 204 };
  });

function secretBody({ id, name, labels, createdAt }: SecretRecord): Schemas['Secret'] {
  return { id, name, labels: { ...labels }, created_at: createdAt };
}
