-- compatibility: expand
-- Records that are removed by their age. Servers of the release before this one cannot do the task, which is repeated until
-- one of this release takes it.

CREATE TABLE record_prunes (
  org_id uuid PRIMARY KEY REFERENCES organizations (id) ON DELETE CASCADE,
  pruned_at timestamptz(3) NOT NULL
);
COMMENT ON TABLE record_prunes IS 'When the old records of an organization were last removed, so that it is done once a day.';

ALTER TABLE store_tasks DROP CONSTRAINT store_tasks_kind_check,
  ADD CONSTRAINT store_tasks_kind_check CHECK (
    kind IN ('remove_demo_data', 'assign_teams', 'remove_organization', 'store_pushed_records', 'prune_records')
  );
