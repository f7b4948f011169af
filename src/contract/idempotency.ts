/** The header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07). */
import { createHash } from 'node:crypto';
import { idempotencyKeyInUse, idempotencyKeyReused } from '../../generated/contract/problems.js';
import { isUuid } from './system/uuid.js';
import type { Exchange } from './exchange.js';
import type { AnyReply } from './reply-check.js';
import type { ValidParts } from './validation.js';

/** A request that its caller may repeat. */
export interface KeyedRequest {
  /** The key that the caller chose; unique for the caller and the operation. */
  readonly key: string;
  readonly operationId: string;
  readonly principal: unknown;
  /** Equal for equal requests: a hash of path, query and body. */
  readonly fingerprint: string;
}

/**
 * The outcome of a keyed request. `in use`: another request with the key is being handled. `reused`: the key belongs to
 * another request.
 */
export type KeyedOutcome = { readonly reply: AnyReply; readonly isReplayed: boolean } | 'in use' | 'reused';

/** Stores the replies of requests with their effects. */
export interface Idempotency<Dependencies> {
  /**
   * Handles a request, or returns the stored reply of an earlier one with the same key.
   *
   * @param handle runs the handler; what it does with the dependencies takes effect together with the stored reply
   */
  once(request: KeyedRequest, handle: (dependencies: Dependencies) => Promise<AnyReply>): Promise<KeyedOutcome>;
}

const retryAfterSeconds = 1;

/** The key of a request, without the quotes of a structured field; null: it has none, or the operation takes none. */
export function idempotencyKeyOf({ request, route }: Exchange): string | null {
  const field = route.isIdempotent ? request.headers['idempotency-key'] : undefined;
  if (typeof field !== 'string') return null;
  return field.startsWith('"') ? field.slice(1, -1).replaceAll(/\\(.)/g, '$1') : field;
}

/** Handles a valid request with a key once, and marks the reply of a repetition. */
export async function replyOnce<Dependencies>(
  exchange: Exchange,
  request: { readonly key: string; readonly parts: ValidParts; readonly principal: unknown },
  idempotency: Idempotency<Dependencies>,
  handle: (dependencies: Dependencies) => Promise<AnyReply>,
): Promise<AnyReply> {
  const { key, parts, principal } = request;
  const { operationId } = exchange.route;
  const outcome = await idempotency.once({ key, operationId, principal, fingerprint: fingerprintOf(parts) }, handle);
  if (outcome === 'in use') {
    const message = 'A request with this idempotency key is being handled. Repeat this one when it has ended.';
    return idempotencyKeyInUse({ message, retry_after_seconds: retryAfterSeconds });
  }
  if (outcome === 'reused') {
    const message = 'Another request had this idempotency key. Use a new key for each request.';
    return idempotencyKeyReused({ message });
  }
  if (outcome.isReplayed) exchange.replyHeaders['Idempotency-Replayed'] = 'true';
  return outcome.reply;
}

/**
 * The operation is part of the key, so path parameters identify the path. Neither the order of properties nor the case
 * of UUIDs in the path matters (RFC 9562, section 4).
 */
function fingerprintOf({ params, query, body }: ValidParts): string {
  const path = Object.entries(params).map(([name, value]) => {
    const lower = typeof value === 'string' ? value.toLowerCase() : value;
    return [name, isUuid(lower) ? lower : value];
  });
  const text = JSON.stringify([Object.fromEntries(path), query, body], (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(text).digest('base64url');
}
