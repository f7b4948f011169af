import type { ProblemReply } from '@plumbline/contract/contract-types';
import { serviceUnavailable } from '../../../generated/problems.js';

/** A limit on the work in progress is reached. The operations that throw it document 503. */
export class ServerBusy extends Error {
  override readonly name = 'ServerBusy';
}

/** The problem for the caller. */
export function problemOfBusy({ message }: ServerBusy): ProblemReply {
  return serviceUnavailable({ message, retry_after_seconds: 5 });
}
