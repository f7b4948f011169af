-- compatibility: expand
-- What the URLs of webhooks have accepted, and since when they accept nothing. Releases before this one store neither.

ALTER TABLE webhooks ADD COLUMN failing_since timestamptz(3);
COMMENT ON COLUMN webhooks.failing_since IS
  'The first attempt that failed since the last one that was accepted. Null: none has failed since.';
ALTER TABLE webhooks ADD COLUMN inactive_reason text CHECK (inactive_reason IN ('gone', 'failing'));
COMMENT ON COLUMN webhooks.inactive_reason IS
  'Why the server has deactivated it: its URL answered 410, or accepted nothing for days. Null: an admin did, or it is active.';

CREATE TABLE accepted_webhook_deliveries (
  id uuid PRIMARY KEY,
  webhook_id uuid NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event_id uuid NOT NULL,
  event text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  attempts integer NOT NULL,
  accepted_at timestamptz(3) NOT NULL
);
COMMENT ON TABLE accepted_webhook_deliveries IS
  'Events that the URLs of webhooks have accepted, without their data. They are deleted after some days.';
CREATE INDEX accepted_webhook_deliveries_of_webhook_idx
  ON accepted_webhook_deliveries (webhook_id, accepted_at DESC, id DESC);
CREATE INDEX accepted_webhook_deliveries_accepted_at_idx ON accepted_webhook_deliveries (accepted_at);
