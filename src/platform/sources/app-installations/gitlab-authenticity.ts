import { Webhook } from 'standardwebhooks';
import { isSameSecret } from '../../server/secrets/same-secret.js';

/** How old or far in the future a signed delivery may be. */
const toleranceMs = 5 * 60_000;

export interface GitlabProof {
  readonly 'x-gitlab-token'?: string | undefined;
  readonly 'webhook-id'?: string | undefined;
  readonly 'webhook-timestamp'?: string | undefined;
  readonly 'webhook-signature'?: string | undefined;
}

/**
 * Whether a webhook comes from GitLab: it has the secret token, or is signed with the signing token, which begins with
 * `whsec_` (https://docs.gitlab.com/user/project/integrations/webhooks/).
 */
export function isFromGitlab(body: string, proof: GitlabProof, secret: string, now: Date): boolean {
  if (!secret.startsWith('whsec_')) return isSameSecret(proof['x-gitlab-token'] ?? '', secret);
  const { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures = '' } = proof;
  if (id === undefined || seconds === undefined) return false;
  const sentAt = new Date(Number(seconds) * 1000);
  if (!(Math.abs(now.getTime() - sentAt.getTime()) <= toleranceMs)) return false;
  const expected = new Webhook(secret).sign(id, sentAt, body);
  return signatures.split(' ').some((signature) => isSameSecret(signature, expected));
}
