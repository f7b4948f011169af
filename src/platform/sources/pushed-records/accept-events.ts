import type {
  AcceptCdeventHandler,
  AcceptCdeventReply,
  AcceptCloudeventHandler,
} from '../../../../generated/platform/operations.js';
import { validationProblem } from '@plumbline/contract/violations';
import type { PlatformDependencies } from '../../dependencies.js';
import { propertyOf } from '../../server/json-values.js';
import { cleanAddress } from './clean-address.js';
import { readCdEvent } from './cdevents.js';
import { keepPush } from './keep-push.js';

type EventRequest = Pick<Parameters<AcceptCdeventHandler<PlatformDependencies>>[0], 'principal' | 'context' | 'query'>;

export const acceptCdevent: AcceptCdeventHandler<PlatformDependencies> = (request, dependencies) =>
  accept(request.body, '/body', request, dependencies);

export const acceptCloudevent: AcceptCloudeventHandler<PlatformDependencies> = (request, dependencies) =>
  accept(propertyOf(request.body, 'data'), '/body/data', request, dependencies);

async function accept(
  value: unknown,
  path: string,
  request: EventRequest,
  dependencies: PlatformDependencies,
): Promise<AcceptCdeventReply> {
  const read = readCdEvent(value, path, request.query.repository, dependencies.clock.now());
  if ('violations' in read) return validationProblem(read.violations);
  if ('ignored' in read) return { status: 202, body: { outcome: 'ignored' } };
  const { event } = read;
  const content = { events: [{ ...event, repository: cleanAddress(event.repository) }] };
  const refusal = await keepPush(dependencies, request, { content, records: 1, note: `event: ${event.kind}` });
  return refusal ?? { status: 202, body: { outcome: 'accepted' } };
}
