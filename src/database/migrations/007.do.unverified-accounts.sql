-- Unverified accounts: who made them, and how the holder of the address gets rid of them.

ALTER TABLE users ADD COLUMN registered_ip inet;
COMMENT ON COLUMN users.registered_ip IS 'Named in verification mails; null when unknown.';
-- The accounts that are removed when they stay unverified for too long.
CREATE INDEX users_unverified_idx ON users (created_at) WHERE NOT is_verified;

CREATE TABLE disown_tokens (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
COMMENT ON TABLE disown_tokens IS
  'Tokens of the "this was not me" links, by SHA-256: one per verification mail. Each is good while the account is '
  'unverified, and goes with the account.';
CREATE INDEX disown_tokens_user_idx ON disown_tokens (user_id);
