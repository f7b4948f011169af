/** How the server asks a code host about a token, besides a sync. */

/** Whom a token belongs to: a user, or an installation of an app, where the host has such tokens. */
export type TokenKind = 'token' | 'app';

export interface CodeHost<Option extends string = string> {
  /** The variable with the token for `plumbline sync`. */
  readonly tokenVariable: string;
  /** The option for the address of a self-hosted installation. */
  readonly urlOption: Option;
  /** The address of the public installation; null: there is none. */
  readonly publicUrl: string | null;
  /** The path of its API. Users may have included it in the address. */
  readonly apiPath: string;
  /** The header for a token; absent: it is a bearer token. */
  readonly authorization?: (token: string) => string;
  /** The form of its tokens, if users cannot guess it, as a sentence. */
  readonly tokenForm?: string;
  /** Requests that succeed with every token that is accepted. */
  readonly tests: Readonly<Record<TokenKind, TokenTest>>;
  readonly lists: Readonly<Record<TokenKind, RepositoryList>>;
}

export interface TokenTest {
  /** Relative to the API. */
  readonly path: string;
  /** A property of the reply with a text or a list. */
  readonly property: string;
}

export interface RepositoryList {
  /** Relative to the API. Repositories that the token can read, in a stable order. */
  path(page: number, text: string): string;
  hasNext(headers: Headers): boolean;
  /** The property of the reply with the list; absent: the reply is the list. */
  readonly property?: string;
  /** The property of a repository with its full name. */
  readonly name: string;
  isPrivate(repository: object): unknown;
}

/** Asks for the owner of a token. @param property the one with the name of the account */
export const ownerTest = (property: string): TokenTest => ({ path: '/user', property });

/** Whether a Link header (RFC 8288) names a next page. */
export const hasNextLink = (headers: Headers): boolean => headers.get('link')?.includes('rel="next"') === true;
