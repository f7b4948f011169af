-- compatibility: expand
-- When sync configurations run by themselves. Releases before this one neither store nor read it, and start no such runs.

ALTER TABLE sync_configs
  ADD COLUMN schedule text CHECK (octet_length(schedule) <= 100),
  ADD COLUMN next_run_at timestamptz(3),
  ADD COLUMN scheduled_at timestamptz(3),
  ADD CONSTRAINT sync_configs_scheduled_when
    CHECK ((schedule IS NULL) = (next_run_at IS NULL) AND (schedule IS NULL) = (scheduled_at IS NULL));
COMMENT ON COLUMN sync_configs.schedule IS 'hourly, daily, or a cron expression of five fields, in UTC. Null: by hand.';
COMMENT ON COLUMN sync_configs.next_run_at IS
  'When the schedule starts the next run. The server that starts it moves this ahead in the same transaction.';
COMMENT ON COLUMN sync_configs.scheduled_at IS
  'When next_run_at was computed. A time in the future shows that a clock has been set back.';
