/** The claims of a verified access token. The database determines whether they still apply. */
export interface AccessClaims {
  readonly userId: string;
  readonly orgId: string | null;
  readonly tokenVersion: number;
  /** Null in tokens that release 0.1.0 issued, which did not name their session. */
  readonly sessionId: string | null;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** The claims of a refresh token. */
export interface RefreshClaims {
  readonly userId: string;
  readonly orgId: string | null;
  readonly familyId: string;
  readonly jti: string;
}
