-- compatibility: expand
-- Which attempt of a webhook delivery is running.

ALTER TABLE webhook_deliveries ADD COLUMN attempt_id uuid;
COMMENT ON COLUMN webhook_deliveries.attempt_id IS
  'The attempt that is running; its lease ends at available_at. Null: none runs. An attempt stores its outcome only while it is this one.';
