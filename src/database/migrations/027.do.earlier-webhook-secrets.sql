-- compatibility: expand
-- Secrets of webhooks that were replaced before the previous one, and still sign.

CREATE TABLE webhook_earlier_secrets (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  webhook_id uuid NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  sealed_secret bytea NOT NULL,
  signs_until timestamptz(3) NOT NULL
);
COMMENT ON TABLE webhook_earlier_secrets IS
  'Secrets that were replaced before webhooks.previous_sealed_secret, and whose overlap has not ended.';
CREATE INDEX webhook_earlier_secrets_of_webhook_idx ON webhook_earlier_secrets (webhook_id);
