ALTER TABLE sync_runs ADD COLUMN notes text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN sync_runs.notes IS 'What people should know of a run although nothing failed. Their number and length are limited.';
