import { useState } from 'preact/hooks';

/**
 * The token of a mail's link, out of the fragment of the address. It is taken away from there, so that neither the
 * history nor a shared address has it. Empty: there is none.
 */
export function useOneTimeToken(): string {
  const [token] = useState(() => {
    const found = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
    if (found !== '') history.replaceState(history.state, '', location.pathname);
    return found;
  });
  return token;
}

const invitationKey = 'plumbline.invitation';

/** An invitation that waits in this tab until its receiver has logged in or registered. */
export const waitingInvitation = {
  get: (): string => sessionStorage.getItem(invitationKey) ?? '',
  set: (token: string): void => {
    sessionStorage.setItem(invitationKey, token);
  },
  clear: (): void => {
    sessionStorage.removeItem(invitationKey);
  },
};
