-- compatibility: expand
-- Accounts of identity providers that can log in, and log-ins with them that have begun. Servers of the release before
-- this one neither read nor write these tables. They treat accounts without a password as before: no password fits.

CREATE TABLE user_identities (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  provider text NOT NULL CHECK (char_length(provider) <= 32),
  issuer text NOT NULL CHECK (octet_length(issuer) <= 1024),
  subject text NOT NULL CHECK (octet_length(subject) <= 1024),
  email text NOT NULL CHECK (email <> '' AND octet_length(email) <= 320),
  linked_at timestamptz(3) NOT NULL,
  last_used_at timestamptz(3),
  CONSTRAINT user_identities_identity_key UNIQUE (issuer, subject),
  CONSTRAINT user_identities_of_issuer_key UNIQUE (user_id, issuer)
);
COMMENT ON TABLE user_identities IS
  'Accounts of identity providers that can log in to an account. They are known by issuer and subject alone, because '
  'people change their addresses. Rows are inserted and deleted under the lock of the user.';
COMMENT ON COLUMN user_identities.email IS 'The verified address that the provider last reported, normalized.';

CREATE TABLE login_attempts (
  state_hash bytea PRIMARY KEY CHECK (octet_length(state_hash) = 32),
  browser_hash bytea NOT NULL CHECK (octet_length(browser_hash) = 32),
  provider text NOT NULL,
  user_id uuid REFERENCES users (id) ON DELETE CASCADE,
  session_id uuid,
  return_to text,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT login_attempts_link CHECK ((user_id IS NULL) = (session_id IS NULL))
);
COMMENT ON TABLE login_attempts IS
  'Log-ins with an identity provider that have begun. A row is deleted by its only use. The SHA-256 of the state and of '
  'the cookie of the browser identify it; nonce and PKCE verifier are derived from both, and are not stored.';
COMMENT ON COLUMN login_attempts.user_id IS 'The account that the identity will be linked to; null for a log-in.';
CREATE INDEX login_attempts_expires_at_idx ON login_attempts (expires_at);
CREATE INDEX login_attempts_user_idx ON login_attempts (user_id);
