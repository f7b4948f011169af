-- Tokens, and what guards the ways to get one.

CREATE TABLE refresh_tokens (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  family_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  org_id uuid REFERENCES organizations (id) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  family_created_at timestamptz(3) NOT NULL DEFAULT now(),
  family_expires_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  revocation_reason text CHECK (
    revocation_reason IN (
      'rotated', 'logout', 'reuse', 'password_changed', 'session_ended', 'membership_ended', 'account_disabled'
    )
  ),
  replaced_by bytea CHECK (octet_length(replaced_by) = 32),
  successor_sealed bytea,
  ip inet,
  user_agent text,
  CONSTRAINT refresh_tokens_revoked_why CHECK ((revoked_at IS NULL) = (revocation_reason IS NULL)),
  CONSTRAINT refresh_tokens_successor_of_rotated CHECK (
    (replaced_by IS NULL AND successor_sealed IS NULL) OR revocation_reason IS NOT NULL
  )
);
COMMENT ON TABLE refresh_tokens IS
  'Refresh tokens: one family per login, in which each token is used once and replaced by its successor. Rotation is '
  'one UPDATE ... WHERE revoked_at IS NULL, so that of simultaneous uses exactly one succeeds.';
COMMENT ON COLUMN refresh_tokens.token_hash IS 'SHA-256 of the jti claim.';
COMMENT ON COLUMN refresh_tokens.org_id IS 'Null for sessions without an organization.';
COMMENT ON COLUMN refresh_tokens.family_created_at IS 'When the person logged in: the start of the session.';
COMMENT ON COLUMN refresh_tokens.family_expires_at IS 'Copied to each successor: no rotation outlives it.';
COMMENT ON COLUMN refresh_tokens.successor_sealed IS
  'The successor, sealed with SECRETS_KEY, for AUTH_REFRESH_REUSE_GRACE to issue the same one again.';
-- A session has one usable token. Rotation revokes the old row before it inserts the new one.
CREATE UNIQUE INDEX refresh_tokens_one_active_idx ON refresh_tokens (family_id) WHERE revoked_at IS NULL;
CREATE INDEX refresh_tokens_of_family_idx ON refresh_tokens (family_id);
CREATE INDEX refresh_tokens_of_user_idx ON refresh_tokens (user_id, created_at DESC) WHERE revoked_at IS NULL;
CREATE INDEX refresh_tokens_user_idx ON refresh_tokens (user_id);
CREATE INDEX refresh_tokens_org_idx ON refresh_tokens (org_id);
CREATE INDEX refresh_tokens_expired_idx ON refresh_tokens (expires_at);

CREATE TABLE one_time_tokens (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  kind text NOT NULL CHECK (kind IN ('verification', 'reset')),
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3)
);
COMMENT ON TABLE one_time_tokens IS
  'Tokens of verification and reset mails, by SHA-256. Using one is one UPDATE ... WHERE used_at IS NULL.';
-- A new token replaces the older ones of its kind: they are deleted in the transaction that inserts it.
CREATE UNIQUE INDEX one_time_tokens_one_active_idx ON one_time_tokens (user_id, kind) WHERE used_at IS NULL;
CREATE INDEX one_time_tokens_user_idx ON one_time_tokens (user_id);
CREATE INDEX one_time_tokens_expired_idx ON one_time_tokens (expires_at);

CREATE TABLE login_failures (
  email text PRIMARY KEY,
  failed_at timestamptz(3)[] NOT NULL,
  last_failed_at timestamptz(3) NOT NULL,
  locked_until timestamptz(3)
);
COMMENT ON TABLE login_failures IS
  'Consecutive failed logins per normalized e-mail, whether or not an account has it; no reference to users, so that '
  'known and unknown e-mails take the same path.';
CREATE INDEX login_failures_stale_idx ON login_failures (last_failed_at);

CREATE TABLE rate_limits (
  key text PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
);
COMMENT ON TABLE rate_limits IS
  'Counters of rate-limiter-flexible, in the columns that it expects, in this order; expire is in ms since 1970.';
CREATE INDEX rate_limits_expire_idx ON rate_limits (expire);

CREATE TABLE signing_keys (
  kid text PRIMARY KEY,
  algorithm text NOT NULL DEFAULT 'ES256',
  public_jwk jsonb NOT NULL,
  private_jwk_sealed bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  retired_at timestamptz(3),
  expires_at timestamptz(3),
  CONSTRAINT signing_keys_retired_expire CHECK ((retired_at IS NULL) = (expires_at IS NULL))
);
COMMENT ON TABLE signing_keys IS
  'Generated keys that sign tokens. A retired key signs nothing more and verifies until expires_at.';
COMMENT ON COLUMN signing_keys.private_jwk_sealed IS 'Sealed with SECRETS_KEY.';
-- One key signs: of several servers at their first start, one inserts it and the others read it.
CREATE UNIQUE INDEX signing_keys_one_active_idx ON signing_keys ((true)) WHERE retired_at IS NULL;

CREATE TABLE server_settings (
  name text PRIMARY KEY,
  value text NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
COMMENT ON TABLE server_settings IS
  'Facts that all servers on this database must agree on, such as the fingerprint of the SECRETS_KEY that sealed its '
  'contents: a server with another key stops at its start instead of failing later.';
