-- compatibility: expand
-- Records that programs have pushed, until they are stored among the records that syncs read. Servers of the release before
-- this one cannot do their task, which is repeated until one of this release takes it.

CREATE TABLE pushed_records (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  content jsonb NOT NULL,
  records integer NOT NULL CHECK (records > 0),
  bytes integer NOT NULL CHECK (bytes > 0),
  pushed_at timestamptz(3) NOT NULL,
  refusal text
);
COMMENT ON TABLE pushed_records IS
  'One row for each push. A store task stores its records in the order of the ids, and deletes the row.';
COMMENT ON COLUMN pushed_records.content IS 'The body of the request.';
COMMENT ON COLUMN pushed_records.refusal IS 'Why the records cannot be stored, although later ones are.';
CREATE INDEX pushed_records_org_idx ON pushed_records (org_id, id);

ALTER TABLE store_tasks DROP CONSTRAINT store_tasks_kind_check,
  ADD CONSTRAINT store_tasks_kind_check CHECK (
    kind IN ('remove_demo_data', 'assign_teams', 'remove_organization', 'store_pushed_records')
  );
