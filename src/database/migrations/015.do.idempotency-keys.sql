-- compatibility: expand
-- Replies that repeated requests receive again.

CREATE TABLE idempotency_keys (
  key_hash bytea PRIMARY KEY CHECK (octet_length(key_hash) = 32),
  sealed_reply bytea NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
COMMENT ON TABLE idempotency_keys IS
  'Replies of requests with an Idempotency-Key, each stored in the transaction of its effect.';
COMMENT ON COLUMN idempotency_keys.key_hash IS 'SHA-256 of caller, organization, operation and key.';
COMMENT ON COLUMN idempotency_keys.sealed_reply IS
  'Hash of the request, and the reply, encrypted: replies may contain secrets that are shown once.';
CREATE INDEX idempotency_keys_expires_idx ON idempotency_keys (expires_at);
