-- Work on an organization's records and work units that no sync run does, and the demo data.

CREATE TABLE store_tasks (
  org_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('remove_demo_data', 'assign_teams')),
  revision bigint NOT NULL DEFAULT 1,
  requested_at timestamptz(3) NOT NULL,
  available_at timestamptz(3) NOT NULL,
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  worker uuid,
  heartbeat_at timestamptz(3),
  error text,
  PRIMARY KEY (org_id, kind),
  CONSTRAINT store_tasks_worker_is_alive CHECK ((worker IS NULL) = (heartbeat_at IS NULL))
);
COMMENT ON TABLE store_tasks IS
  'A queue: a worker takes a row, does the task, and deletes the row. A task that is repeatable needs no more than one '
  'row: to ask again while it is under way raises the revision, and the worker then does it once more.';
CREATE INDEX store_tasks_due_idx ON store_tasks (available_at);

ALTER TABLE sync_configs ADD COLUMN is_demo boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN sync_configs.is_demo IS 'Fills the organization with demo data, which can be removed again in one call.';
CREATE UNIQUE INDEX sync_configs_one_demo_idx ON sync_configs (org_id) WHERE is_demo;
-- What earlier releases of `plumbline demo` made.
UPDATE sync_configs SET is_demo = true WHERE provider = 'synthetic' AND name = 'Made-up data';
