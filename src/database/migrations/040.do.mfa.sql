-- compatibility: expand
-- Second factors of accounts. Servers of the release before this one do not ask for them: a rolling upgrade must end before
-- anybody relies on one. A session that such a server renews loses the proof of its second factor, and asks for it again.

CREATE TABLE totp_secrets (
  user_id uuid PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  secret_sealed bytea NOT NULL,
  started_at timestamptz(3) NOT NULL,
  enabled_at timestamptz(3),
  last_step bigint NOT NULL DEFAULT 0
);
COMMENT ON TABLE totp_secrets IS
  'The authenticator app of an account. It counts once a code of it was seen. Rows are changed under the lock of the user.';
COMMENT ON COLUMN totp_secrets.last_step IS 'The 30 seconds of the last code that was accepted: none of them or before is again.';

CREATE TABLE recovery_codes (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  code_hash bytea NOT NULL CHECK (octet_length(code_hash) = 32),
  PRIMARY KEY (user_id, code_hash)
);
COMMENT ON TABLE recovery_codes IS 'The SHA-256 of the recovery codes that have not been used. A row is deleted by its only use.';

CREATE TABLE mfa_attempts (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  token_version integer NOT NULL,
  org_id uuid,
  note text,
  session_id uuid,
  expires_at timestamptz(3) NOT NULL
);
COMMENT ON TABLE mfa_attempts IS
  'Log-ins whose first proof is done and whose second factor is awaited. A row is deleted by its only success.';
COMMENT ON COLUMN mfa_attempts.org_id IS 'The organization that the log-in asked for.';
COMMENT ON COLUMN mfa_attempts.note IS 'How the account was proved, for the audit log.';
COMMENT ON COLUMN mfa_attempts.session_id IS 'The id that the session will have, if the log-in has chosen one.';
CREATE INDEX mfa_attempts_expires_at_idx ON mfa_attempts (expires_at);
CREATE INDEX mfa_attempts_user_idx ON mfa_attempts (user_id);

CREATE TABLE passkeys (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  credential_id text NOT NULL UNIQUE,
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  created_at timestamptz(3) NOT NULL,
  last_used_at timestamptz(3)
);
COMMENT ON TABLE passkeys IS 'Passkeys of accounts (WebAuthn). Rows are changed under the lock of the user.';
COMMENT ON COLUMN passkeys.counter IS 'The counter of the last proof. A device that counts must exceed it; 0: it does not count.';
CREATE INDEX passkeys_of_user_idx ON passkeys (user_id);

CREATE TABLE passkey_challenges (
  challenge_hash bytea PRIMARY KEY CHECK (octet_length(challenge_hash) = 32),
  session_id uuid,
  expires_at timestamptz(3) NOT NULL
);
COMMENT ON TABLE passkey_challenges IS 'Challenges that passkeys sign. A row is deleted by its only use.';
COMMENT ON COLUMN passkey_challenges.session_id IS 'The session in which a passkey is added; null: a proof by any passkey.';
CREATE INDEX passkey_challenges_expires_at_idx ON passkey_challenges (expires_at);

ALTER TABLE organizations ADD COLUMN mfa_required boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN organizations.mfa_required IS 'Whether members work in it only in sessions that a second factor has proved.';

ALTER TABLE refresh_tokens ADD COLUMN second_factor_at timestamptz(3), ADD COLUMN proved_at timestamptz(3);
COMMENT ON COLUMN refresh_tokens.proved_at IS 'When the session was last proved by the password, after its log-in. Null: never.';
COMMENT ON COLUMN refresh_tokens.second_factor_at IS 'When the session was last proved by a second factor. Null: never.';
