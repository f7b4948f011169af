import { createHash } from 'node:crypto';
import type { PlatformHandlers } from '../../../../generated/platform/operations.js';
import type { Idempotency, KeyedOutcome, KeyedRequest } from '@plumbline/contract/idempotency';
import type { AnyReply } from '@plumbline/contract/reply-check';
import type { Transaction } from '../../../database/connection.js';
import { after } from '../../clock.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { keyedAttempt } from './keyed-attempt.js';
import { findReply, storeReply, tryLockKey } from './idempotency-keys.store.js';
import { unitOfWork } from './unit-of-work.js';

/**
 * They move the caller to another organization, and their replies have the tokens for it. A repetition may come with the
 * old access token or with the new one, so these keys belong to no organization.
 */
const movesCaller: ReadonlySet<string> = new Set<keyof PlatformHandlers<unknown>>([
  'acceptInvite',
  'acceptMyInvite',
  'onboard',
]);

/** For how long a repeated request receives the stored reply. */
const keptSeconds = 86_400;

/**
 * Stores the replies of keyed requests in the transaction of their effects. Only successes are stored: a refusal has
 * changed nothing, and its reason may pass.
 */
export function createIdempotency(dependencies: PlatformDependencies): Idempotency<PlatformDependencies> {
  const { sql, clock, secrets } = dependencies;
  return {
    once: async (request, handle) => {
      const hash = hashOf(request);
      const context = replyContext(hash);
      const attemptOnce = async (transaction: Transaction): Promise<Ended> => {
        if (!(await tryLockKey(transaction, hash))) return { outcome: 'in use' };
        // A statement after the lock, so that it sees what the last holder of the lock has committed.
        const sealed = await findReply(transaction, hash, clock.now());
        if (sealed !== null) return { outcome: replay(secrets.open(sealed, context), request) };
        const unit = unitOfWork(dependencies, transaction);
        const attempt = keyedAttempt(dependencies, { hash, fingerprint: request.fingerprint, keptSeconds });
        const reply = await handle({ ...unit.dependencies, attempt });
        if (reply.status < 400) {
          const stored = secrets.seal(JSON.stringify(storedOf(request, reply)), context);
          await storeReply(transaction, hash, stored, after(clock.now(), keptSeconds));
        }
        return { outcome: { reply, isReplayed: false }, wake: unit.wake };
      };
      const { outcome, wake } = await sql.beginFor(groupOf(request), attemptOnce);
      wake?.();
      return outcome;
    },
  };
}

/** The context to which a sealed reply is bound. */
export function replyContext(keyHash: Buffer): string {
  return `idempotency:${keyHash.toString('hex')}`;
}

interface Ended {
  readonly outcome: KeyedOutcome;
  /** Absent when nothing was changed. */
  readonly wake?: () => void;
}

interface StoredReply {
  readonly fingerprint: string;
  readonly reply: AnyReply;
}

function storedOf({ fingerprint }: KeyedRequest, { status, headers, body }: AnyReply): StoredReply {
  return { fingerprint, reply: { status, ...(headers && { headers }), body } };
}

function replay(text: string, { fingerprint }: KeyedRequest): KeyedOutcome {
  const stored = JSON.parse(text) as StoredReply; // sealed by this server or another one with its key
  return stored.fingerprint === fingerprint ? { reply: stored.reply, isReplayed: true } : 'reused';
}

/** The caller's organization, or a caller without one. */
function groupOf({ principal }: KeyedRequest): string {
  const { organization, user } = idsOf(principal);
  return String(organization ?? user);
}

/** Keys of different users, service tokens, operations or (as a rule) organizations are different ones. */
function hashOf({ key, operationId, principal }: KeyedRequest): Buffer {
  const { user, serviceToken, organization } = idsOf(principal);
  if (user === undefined && serviceToken === undefined) throw new Error(`${operationId} has a caller without an id`);
  const scope = [user, serviceToken, movesCaller.has(operationId) ? null : organization, operationId, key];
  return createHash('sha256').update(JSON.stringify(scope)).digest();
}

/** Principals of different schemes have different ids. */
function idsOf(principal: unknown): Readonly<Record<'user' | 'serviceToken' | 'organization', unknown>> {
  const id = (name: string): unknown =>
    typeof principal === 'object' && principal !== null ? Reflect.get(principal, name) : undefined;
  return { user: id('user_id'), serviceToken: id('service_token_id'), organization: id('org_id') };
}
