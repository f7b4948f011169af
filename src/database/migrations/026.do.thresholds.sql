-- compatibility: expand
-- Figures that an organization watches, and whether they are beyond what it has set.

CREATE TABLE analytics_thresholds (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name text NOT NULL,
  definition text NOT NULL,
  is_crossed boolean NOT NULL DEFAULT false,
  last_value double precision,
  evaluated_at timestamptz(3),
  evaluate_at timestamptz(3),
  attempts integer NOT NULL DEFAULT 0,
  created_by uuid REFERENCES users (id) ON DELETE SET NULL,
  created_at timestamptz(3) NOT NULL
);
COMMENT ON TABLE analytics_thresholds IS 'Figures whose crossing of a value is sent to webhooks.';
COMMENT ON COLUMN analytics_thresholds.definition IS 'JSON: measure, direction, value, window and filters.';
COMMENT ON COLUMN analytics_thresholds.evaluate_at IS
  'When to evaluate it; the worker that takes it moves the time to the end of its lease. Null: after the next sync run.';
CREATE INDEX analytics_thresholds_of_org_idx ON analytics_thresholds (org_id, created_at DESC, id DESC);
CREATE INDEX analytics_thresholds_due_idx ON analytics_thresholds (evaluate_at) WHERE evaluate_at IS NOT NULL;
CREATE INDEX analytics_thresholds_created_by_idx ON analytics_thresholds (created_by);
