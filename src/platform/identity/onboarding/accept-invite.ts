import type { AcceptInviteHandler } from '../../../../generated/platform/operations.js';
import { alreadyMember, invalidInvite } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { hashToken } from '../tokens/token-hash.js';
import { joinByInvite } from './join-by-invite.js';

export const acceptInvite: AcceptInviteHandler<PlatformDependencies> = async (
  { body, principal, context },
  dependencies,
) => {
  const joined = await joinByInvite({ tokenHash: hashToken(body.token) }, principal, context, dependencies);
  if (joined.kind === 'refused') return joined.refusal;
  if (joined.kind === 'invalid') return invalidInvite();
  if (joined.kind === 'already_member') return alreadyMember({ message: 'You already belong to this organization.' });
  return { status: 200, body: joined.membership };
};
