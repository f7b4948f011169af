-- compatibility: expand
-- Organizations that are marked for deletion, and the task that removes what they have stored. Servers of the release
-- before this one do not know the task: they put it back, and a server of this release does it.

CREATE TABLE organization_deletions (
  org_id uuid PRIMARY KEY REFERENCES organizations (id) ON DELETE CASCADE,
  requested_by uuid REFERENCES users (id) ON DELETE SET NULL,
  requested_at timestamptz(3) NOT NULL,
  due_at timestamptz(3) NOT NULL,
  started_at timestamptz(3)
);
COMMENT ON TABLE organization_deletions IS
  'Organizations that will be deleted. A row is inserted, started and deleted under the lock of its organization.';
COMMENT ON COLUMN organization_deletions.started_at IS
  'When the removal began; it cannot be taken back any more. Null: every owner can take it back.';
CREATE INDEX organization_deletions_requested_by_idx ON organization_deletions (requested_by);

ALTER TABLE store_tasks
  DROP CONSTRAINT store_tasks_kind_check,
  ADD CONSTRAINT store_tasks_kind_check CHECK (kind IN ('remove_demo_data', 'assign_teams', 'remove_organization'));
