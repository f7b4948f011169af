-- compatibility: expand
-- A log-in that names no organization takes the one that its user worked in last.

ALTER TABLE users ADD COLUMN last_org_id uuid;
COMMENT ON COLUMN users.last_org_id IS
  'The organization of the last log-in or switch; it counts only while the user is a member. Null: none yet.';
