import type { Schemas } from '../../../generated/compose/operations.js';
import type { RequestContext } from '@plumbline/contract/contract-types';
import { failureOf } from './failure-replies.js';

/** The last line of a stream that has failed. The status has been sent, so the line carries the problem. */
export function failedFrame(error: unknown, { log, requestId }: RequestContext): Schemas['FailedFrame'] {
  const failure = failureOf(error);
  if (failure !== null) return { type: 'error', error: failure.error, case: failure.case, message: failure.message };
  log.error({ err: error }, 'unexpected failure in a stream');
  const message = `An internal error occurred. Report it with the request id ${requestId}.`;
  return { type: 'error', error: 'InternalError', case: 'unexpected', message };
}
