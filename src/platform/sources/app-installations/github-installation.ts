import { installationRefused } from '../../../../generated/problems.js';
import type { GithubClient, HostInstallation } from './github-client.js';
import { unreachableHost, type ConnectProblem, type ConnectableAccount, type HostRefusal } from './host-app.js';

/**
 * Finds an installation, and checks that the user may connect it. Its id comes from the address to which the host has
 * sent the browser, where anybody can write another one. So the host is asked who the user is, and what the user may use
 * (https://docs.github.com/en/apps/creating-github-apps/registering-a-github-app/about-the-setup-url).
 *
 * The host lists an installation to each user who can read one of its repositories. To connect it gives the organization
 * all of them, so the user must be able to read all.
 *
 * @param code what the host has added to the address; undefined: nothing
 */
export async function usableInstallation(
  host: GithubClient,
  code: string | undefined,
  wanted: { readonly id: string | undefined } | { readonly account: string },
): Promise<{ readonly account: ConnectableAccount } | { readonly problem: ConnectProblem }> {
  const user = code === undefined ? { refusal: 'refused' as const } : await host.signIn(code);
  if ('refusal' in user) return { problem: problemOf(user.refusal) };
  const userToken = user.value;
  const all = await host.installationsOfUser(userToken);
  if ('refusal' in all) return { problem: problemOf(all.refusal) };
  const isWanted =
    'account' in wanted
      ? ({ account }: HostInstallation) => account.toLowerCase() === wanted.account.toLowerCase()
      : ({ id }: HostInstallation) => id === wanted.id;
  const installation = all.value.find(isWanted);
  if (installation === undefined) return { problem: problemOf('refused') };
  const token = await host.createToken(installation.id);
  if ('refusal' in token) return { problem: problemOf(token.refusal === 'refused' ? 'unreachable' : token.refusal) };
  const [readable, whole] = [
    await host.countRepositories({ userToken, installationId: installation.id }),
    await host.countRepositories(token.value),
  ];
  if ('refusal' in readable) return { problem: problemOf(readable.refusal) };
  if ('refusal' in whole) return { problem: problemOf(whole.refusal) };
  if (readable.value < whole.value) {
    const message = `The installation can read ${whole.value} repositories, and you ${readable.value} of them. Ask somebody who can read all to connect it.`;
    return { problem: installationRefused({ message }) };
  }
  const { id: installationId, account } = installation;
  return { account: { installationId, account, access: { ...token.value, refreshToken: null } } };
}

function problemOf(refusal: HostRefusal): ConnectProblem {
  switch (refusal) {
    case 'unreachable':
      return unreachableHost();
    case 'suspended':
      return installationRefused({
        message: 'The installation is suspended at the code host. Resume it there, and begin again.',
      });
    case 'removed':
    case 'refused':
      return installationRefused({ message: 'The code host does not let you use this installation.' });
  }
}
