-- compatibility: expand
-- Tokens with which programs act for an organization.

CREATE TABLE service_tokens (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  org_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name text NOT NULL CHECK (btrim(name) <> '' AND char_length(name) <= 100),
  scopes text[] NOT NULL CHECK (cardinality(scopes) > 0),
  created_by uuid REFERENCES users (id) ON DELETE SET NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  last_used_at timestamptz(3),
  rotated_at timestamptz(3),
  revoked_at timestamptz(3)
);
COMMENT ON TABLE service_tokens IS
  'Service tokens of organizations. A revoked token keeps its row, because audit records name its id, and has no secrets.';
COMMENT ON COLUMN service_tokens.last_used_at IS 'Written at most once a minute.';
CREATE UNIQUE INDEX service_tokens_name_key ON service_tokens (org_id, lower(name)) WHERE revoked_at IS NULL;
CREATE INDEX service_tokens_of_org_idx ON service_tokens (org_id, created_at DESC, id DESC);
CREATE INDEX service_tokens_created_by_idx ON service_tokens (created_by);

CREATE TABLE service_token_secrets (
  secret_hash bytea PRIMARY KEY CHECK (octet_length(secret_hash) = 32),
  token_id uuid NOT NULL REFERENCES service_tokens (id) ON DELETE CASCADE,
  valid_until timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
COMMENT ON TABLE service_token_secrets IS
  'What callers send, by SHA-256. A rotation adds a secret, and ends the earlier ones after an overlap.';
COMMENT ON COLUMN service_token_secrets.valid_until IS 'Null for the current secret, which ends with its token.';
CREATE UNIQUE INDEX service_token_secrets_one_current_idx ON service_token_secrets (token_id) WHERE valid_until IS NULL;
CREATE INDEX service_token_secrets_token_idx ON service_token_secrets (token_id);

ALTER TABLE audit_log ADD COLUMN service_token_id uuid;
COMMENT ON COLUMN audit_log.service_token_id IS 'The acting service token; then user_id is null.';
CREATE INDEX audit_log_of_service_token_idx ON audit_log (org_id, service_token_id, at DESC, id DESC)
  WHERE service_token_id IS NOT NULL;
