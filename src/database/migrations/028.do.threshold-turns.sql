-- compatibility: expand
-- When thresholds had their turn, so that organizations take turns.

ALTER TABLE analytics_thresholds ADD COLUMN taken_at timestamptz(3);
COMMENT ON COLUMN analytics_thresholds.taken_at IS
  'When its latest evaluation began. The organization whose latest one began first comes next.';
