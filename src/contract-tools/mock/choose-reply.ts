import type { Pointer } from '../gate/pointers.js';
import type { RefusalKind } from '../requests/check-request.js';

/** A documented reply, and the status to send it with. */
export interface ChosenReply {
  readonly status: number;
  readonly pointer: Pointer;
}

/** The replies of an operation: by status as documented (`200`, `4XX`, `default`), where each stands. */
export type Replies = ReadonlyMap<string, Pointer>;

/** The statuses that say why a request is refused, the usual first. */
export const refusalStatuses: Readonly<Record<RefusalKind, readonly [number, ...number[]]>> = {
  'not acceptable': [406],
  'media type': [415, 400, 422],
  'too long': [413, 400, 422],
  credentials: [401, 403],
  unreadable: [400, 422],
  invalid: [422, 400],
};

/** The reply that is documented for a status: its own, that of its class, or `default`. */
export function replyFor(replies: Replies, status: number): ChosenReply | null {
  const key = [String(status), `${String(status).charAt(0)}XX`, 'default'].find((each) => replies.has(each));
  const pointer = key === undefined ? undefined : replies.get(key);
  return pointer === undefined ? null : { status, pointer };
}

/** The documented reply that refuses a request; null: the contract has none. */
export function refusalFor(replies: Replies, kind: RefusalKind): ChosenReply | null {
  const statuses = refusalStatuses[kind];
  const exact = statuses.find((status) => replies.has(String(status)));
  return replyFor(replies, exact ?? statuses[0]);
}

/** The reply when nothing is wrong: the first success, else `default`, else what the contract has. */
export function usualReply(replies: Replies): ChosenReply | null {
  const all = [...replies].flatMap(([key, pointer]) => (key === 'default' ? [] : [{ status: statusOf(key), pointer }]));
  const sorted = all.sort((one, other) => one.status - other.status);
  const pointer = replies.get('default');
  const unspecific = pointer === undefined ? null : { status: 200, pointer };
  return (
    sorted.find(({ status }) => status >= 200 && status < 300) ??
    unspecific ??
    sorted.find(({ status }) => status >= 300) ??
    sorted[0] ??
    null
  );
}

/** A status that a key stands for. */
export function statusOf(key: string): number {
  return key === 'default' ? 500 : Number(key.replaceAll(/X/gi, '0'));
}
