/** What an operator registers at a code host, so that organizations connect without an access token. */
import type { Schemas } from '../../../../generated/platform/operations.js';
import { codeHostFailed, type installationRefused } from '../../../../generated/problems.js';

/** A token that reads from the code host until it ends. */
export interface HostAccess {
  readonly token: string;
  readonly expiresAt: Date;
  /** What the next token is exchanged for; null: the app itself asks for the next one. */
  readonly refreshToken: string | null;
}

/** What a user may connect, with the first token. */
export interface ConnectableAccount {
  /** Null: the host has no installations. */
  readonly installationId: string | null;
  readonly account: string;
  readonly access: HostAccess;
}

/** A user's way to the host and back. */
export interface HostVisit {
  readonly state: string;
  /** The PKCE code verifier (RFC 7636), which never leaves the server before the code is exchanged. */
  readonly verifier: string;
  /** Whose existing installation to connect; null: a new one. */
  readonly account: string | null;
}

/** What the browser brings back from the host. */
export interface HostCallback extends HostVisit {
  readonly code: string | undefined;
  readonly installationId: string | undefined;
}

/** Why the host does not give what it was asked for. */
export type HostRefusal = 'suspended' | 'removed' | 'refused' | 'unreachable';

export type HostAnswer<Value> = { readonly value: Value } | { readonly refusal: HostRefusal };

export type ConnectProblem = ReturnType<typeof codeHostFailed> | ReturnType<typeof installationRefused>;

/** An app at a code host. Answers never contain what the host wrote about a failure: it may repeat a token. */
export interface HostApp {
  readonly provider: Schemas['AppHost'];
  /** The base URL of its integrations; null: the public one. */
  readonly baseUrl: string | null;
  /** Whether a renewal uses up what is stored. Then one renewal runs at a time, and is stored before its token is used. */
  readonly isRenewedOnce: boolean;
  /** The messages for users when there is no next token. */
  readonly failures: Readonly<Record<HostRefusal, string>>;
  /** The page of the host that a browser is sent to. */
  startUrl(visit: HostVisit): Promise<string>;
  /** Checks at the host who has come back, and what that user may connect. */
  connect(
    callback: HostCallback,
  ): Promise<{ readonly account: ConnectableAccount } | { readonly problem: ConnectProblem }>;
  /** The next token of what is connected. */
  renew(
    stored: Pick<ConnectableAccount, 'installationId'> & Pick<HostAccess, 'refreshToken'>,
  ): Promise<HostAnswer<HostAccess>>;
  /** Ends the tokens of something that is disconnected. @returns false: the host has not confirmed it */
  revoke(access: Pick<HostAccess, 'refreshToken'>): Promise<boolean>;
}

/** The message for users when the host gives no answer. */
export const unreachableMessage = 'The code host cannot be reached, or does not answer as expected. Try again later.';

export function unreachableHost(): ReturnType<typeof codeHostFailed> {
  return codeHostFailed({ message: unreachableMessage });
}
