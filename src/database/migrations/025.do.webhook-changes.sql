-- compatibility: expand
-- Webhooks that can be changed, whose secrets overlap when they are rotated, and the state of integrations in syncs.

ALTER TABLE webhooks ADD COLUMN description text;
ALTER TABLE webhooks ADD COLUMN is_active boolean NOT NULL DEFAULT true;
ALTER TABLE webhooks ADD COLUMN previous_sealed_secret bytea;
ALTER TABLE webhooks ADD COLUMN previous_secret_until timestamptz(3);
COMMENT ON COLUMN webhooks.is_active IS 'While false, no events are stored for it, and none are sent.';
COMMENT ON COLUMN webhooks.previous_secret_until IS 'Until when previous_sealed_secret signs as well.';

ALTER TABLE integrations ADD COLUMN sync_failure text
  CHECK (sync_failure IN ('credential_refused', 'host_unreachable'));
COMMENT ON COLUMN integrations.sync_failure IS 'Why the latest sync run read nothing. Null: it read something, or failed for another reason.';
