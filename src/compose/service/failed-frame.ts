import type { Schemas } from '../../../generated/compose/operations.js';
import type { RequestContext } from '../../../generated/contract.js';
import { failureOf } from './failure-replies.js';

/** The last line of a stream whose work has failed: the status is out, so this says what a problem would. */
export function failedFrame(error: unknown, { log, requestId }: RequestContext): Schemas['FailedFrame'] {
  const failure = failureOf(error);
  if (failure !== null) return { type: 'error', error: failure.error, case: failure.case, message: failure.message };
  log.error({ err: error }, 'unexpected failure in a stream');
  const message = `Something went wrong here. Report it with the request id ${requestId}.`;
  return { type: 'error', error: 'InternalError', case: 'unexpected', message };
}
