import { checkBody, checkHead } from '../gate/check-reply.js';
import type { Contract } from '../gate/contract.js';
import { matchOperation } from '../gate/match-operation.js';
import type { PlannedRequest } from './draft.js';
import type { Outcome } from './send.js';

/** What is wrong with a reply. */
export interface Fault {
  /** Equal for replies that are wrong in one way. */
  readonly rule: string;
  /** For people; without values, which may be secrets. */
  readonly text: string;
}

/** Server errors that a contract may promise: not implemented, and busy. */
const promisedErrors = new Set([501, 503]);

/** Judges the reply to a request by the contract; null: it is as documented. */
export function judgeReply(contract: Contract, request: PlannedRequest, outcome: Outcome): Fault | null {
  const { violation } = request;
  if (outcome.status === null) return { rule: 'no reply', text: `no reply: ${outcome.reason}` };
  const { status, headers, body } = outcome;
  const { operation } = matchOperation(contract, request.method, request.path);
  const isPromised = promisedErrors.has(status) && operation?.replies.has(String(status)) === true;
  if (status >= 500 && !isPromised) {
    const cause = violation === null ? '' : ` (${violation.text})`;
    return { rule: `server error ${status} ${violation?.rule ?? ''}`, text: `server error ${status}${cause}` };
  }
  if (violation !== null && status < 400) {
    return { rule: `accepted ${violation.rule}`, text: `accepted with ${status}, though ${violation.text}` };
  }
  // Many contracts say nothing about requests that match no operation.
  if (operation === null && contract.unrouted.size === 0) return null;
  const head = { method: request.method, url: request.path, status, headers };
  const ofHead = checkHead(contract, head).faults;
  const faults = ofHead.length > 0 || body === null ? ofHead : checkBody(contract, head, body).faults;
  if (faults.length === 0) return null;
  // One fault often breaks several keywords.
  const [first = ''] = faults.join('; ').split(';');
  return { rule: first.replaceAll(/\/\d+/g, '/*'), text: `not as documented: ${faults.join('; ')}` };
}
