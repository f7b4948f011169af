-- compatibility: expand
-- Since when webhooks are inactive, so that only a long pause gives up deliveries. Releases before this one do not store it.

ALTER TABLE webhooks ADD COLUMN inactive_since timestamptz(3);
COMMENT ON COLUMN webhooks.inactive_since IS
  'When it was deactivated. Null: it is active, or an older release deactivated it.';
