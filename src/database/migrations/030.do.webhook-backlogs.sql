-- compatibility: expand
-- The deliveries of a webhook in the order in which they became due, so that a poll reads few rows of a large backlog.

CREATE INDEX webhook_deliveries_due_of_webhook_idx ON webhook_deliveries (webhook_id, available_at, position)
  WHERE failed_at IS NULL;
