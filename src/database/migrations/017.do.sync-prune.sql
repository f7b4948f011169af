-- compatibility: expand
-- Whether runs of a sync configuration remove commits that a rewritten history no longer has.

ALTER TABLE sync_configs ADD COLUMN prune boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN sync_configs.prune IS 'Whether runs of the target git remove commits that their source no longer reaches.';
