-- compatibility: expand
-- What an identity provider has said about an address belongs to the account of the member who has joined with it, whatever
-- address that account gets. Servers of the release before this one do not link them.

WITH joined AS (
  UPDATE scim_users s SET user_id = m.user_id, active = true, former_role = null
  FROM scim_users former, users u, memberships m
  WHERE former.org_id = s.org_id AND former.id = s.id AND s.user_id IS NULL
    AND u.email = s.email AND m.org_id = s.org_id AND m.user_id = u.id
    AND NOT EXISTS (SELECT FROM scim_users o WHERE o.org_id = s.org_id AND o.user_id = u.id)
  RETURNING s.org_id, s.user_id, former.active AS was_active
)
INSERT INTO scim_departures (org_id, user_id)
  SELECT org_id, user_id FROM joined WHERE NOT was_active ON CONFLICT DO NOTHING;

COMMENT ON COLUMN scim_users.user_id IS 'The account of the member or former member. Null: nobody has joined.';

-- A member is one user, although another one can have the address that the account has now.
CREATE OR REPLACE VIEW scim_people AS
  SELECT s.org_id, s.id, true AS is_stored, s.user_id AS account_id, m.user_id AS member_id, m.role, s.user_name, s.email,
    s.external_id, s.formatted_name, s.given_name, s.family_name, s.display_name,
    s.active OR m.user_id IS NOT NULL AS active, s.former_role, s.created_at, s.updated_at
  FROM scim_users s
  LEFT JOIN users u ON s.user_id IS NULL AND u.email = s.email
    AND NOT EXISTS (SELECT FROM scim_users o WHERE o.org_id = s.org_id AND o.user_id = u.id)
  LEFT JOIN memberships m ON m.org_id = s.org_id AND m.user_id = coalesce(s.user_id, u.id)
  WHERE s.user_id IS NULL OR NOT s.active OR m.user_id IS NOT NULL
  UNION ALL
  SELECT m.org_id, m.user_id, false, m.user_id, m.user_id, m.role, u.email, u.email,
    NULL, u.full_name, NULL, NULL, u.full_name, true, NULL, m.joined_at, m.updated_at
  FROM memberships m JOIN users u ON u.id = m.user_id
  WHERE NOT EXISTS (SELECT FROM scim_users s WHERE s.org_id = m.org_id AND s.user_id = m.user_id)
    AND NOT EXISTS (SELECT FROM scim_users s WHERE s.org_id = m.org_id AND s.user_id IS NULL AND s.email = u.email);
