/** Somebody else's accounts with which people can log in here. */
export interface IdentityProvider {
  readonly id: string;
  readonly name: string;
}

/** The identity providers of this server, as it has written them into the page. */
export function identityProviders(): readonly IdentityProvider[] {
  return [...document.querySelectorAll<HTMLMetaElement>('meta[name="plumbline-provider"]')].map(
    ({ content, dataset }) => ({ id: content, name: dataset['name'] ?? content }),
  );
}

/** The name of a provider for people. */
export function providerName(id: string): string {
  return identityProviders().find((each) => each.id === id)?.name ?? id;
}

/** The page of this address, to come back to; null: a page for people who are not logged in. */
export function pageToReturnTo(): string | null {
  const page = location.pathname.replace(/^\/console/, '') + location.search + location.hash;
  const isEntrance = /^\/?(login|register)?$/.test(page);
  return isEntrance || page.length > longestPage ? null : page;
}

/** The limit of the contract. */
const longestPage = 512;
