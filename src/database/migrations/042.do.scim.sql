-- compatibility: expand
-- Users and groups that an identity provider manages by SCIM 2.0. Releases before this one do not show them; the invites
-- of identity providers cannot be accepted there, because they have no inviter.

CREATE TABLE scim_users (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  org_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  user_id uuid REFERENCES users (id) ON DELETE CASCADE,
  user_name text NOT NULL CHECK (user_name <> ''),
  email text NOT NULL CHECK (email <> '' AND octet_length(email) <= 320),
  external_id text,
  formatted_name text,
  given_name text,
  family_name text,
  display_name text,
  active boolean NOT NULL,
  former_role text CHECK (former_role IN ('admin', 'member', 'viewer')),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (org_id, id),
  CONSTRAINT scim_users_email_key UNIQUE (org_id, email)
);
COMMENT ON TABLE scim_users IS
  'What an identity provider has said about members, former members and invited people of an organization.';
COMMENT ON COLUMN scim_users.user_id IS
  'The account of the member or former member. Null: nobody has joined, or the provider has changed nothing since.';
COMMENT ON COLUMN scim_users.active IS 'False: the provider has ended the membership or the invite.';
COMMENT ON COLUMN scim_users.former_role IS 'The role that a membership had which the provider has ended.';
CREATE UNIQUE INDEX scim_users_user_name_idx ON scim_users (org_id, lower(user_name));
CREATE UNIQUE INDEX scim_users_account_idx ON scim_users (org_id, user_id);
CREATE INDEX scim_users_user_id_idx ON scim_users (user_id);

ALTER TABLE invites ADD COLUMN by_scim boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN invites.by_scim IS 'The identity provider of the organization invites, which needs no inviter.';

CREATE VIEW scim_people AS
  SELECT s.org_id, s.id, true AS is_stored, s.user_id AS account_id, m.user_id AS member_id, m.role, s.user_name, s.email,
    s.external_id, s.formatted_name, s.given_name, s.family_name, s.display_name,
    s.active OR m.user_id IS NOT NULL AS active, s.former_role, s.created_at, s.updated_at
  FROM scim_users s
  LEFT JOIN users u ON s.user_id IS NULL AND u.email = s.email
  LEFT JOIN memberships m ON m.org_id = s.org_id AND m.user_id = coalesce(s.user_id, u.id)
  WHERE s.user_id IS NULL OR NOT s.active OR m.user_id IS NOT NULL
  UNION ALL
  SELECT m.org_id, m.user_id, false, m.user_id, m.user_id, m.role, u.email, u.email,
    NULL, u.full_name, NULL, NULL, u.full_name, true, NULL, m.joined_at, m.updated_at
  FROM memberships m JOIN users u ON u.id = m.user_id
  WHERE NOT EXISTS (SELECT FROM scim_users s WHERE s.org_id = m.org_id AND s.user_id = m.user_id)
    AND NOT EXISTS (SELECT FROM scim_users s WHERE s.org_id = m.org_id AND s.user_id IS NULL AND s.email = u.email);
COMMENT ON VIEW scim_people IS
  'The SCIM users of organizations: what is stored, and all other members, who have the ids of their accounts. A member '
  'who has left, or was removed by an admin, is none.';

CREATE TABLE scim_groups (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  org_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  display_name text NOT NULL CHECK (display_name <> ''),
  external_id text,
  role text CHECK (role IN ('admin', 'member', 'viewer')),
  team_id text,
  team_members text[] NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  CONSTRAINT scim_groups_org_key UNIQUE (org_id, id)
);
COMMENT ON TABLE scim_groups IS 'The groups of identity providers.';
COMMENT ON COLUMN scim_groups.role IS 'The role that an admin lets the group give. Null: none.';
COMMENT ON COLUMN scim_groups.team_id IS 'The team whose list has the members of the group. Null: none.';
COMMENT ON COLUMN scim_groups.team_members IS 'The addresses that are in the list of the team because of the group.';
CREATE UNIQUE INDEX scim_groups_name_idx ON scim_groups (org_id, lower(display_name));
CREATE INDEX scim_groups_of_org_idx ON scim_groups (org_id, created_at DESC, id DESC);

CREATE TABLE scim_group_members (
  org_id uuid NOT NULL,
  group_id uuid NOT NULL,
  person_id uuid NOT NULL,
  PRIMARY KEY (group_id, person_id),
  FOREIGN KEY (org_id, group_id) REFERENCES scim_groups (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, person_id) REFERENCES scim_users (org_id, id) ON DELETE CASCADE
);
COMMENT ON TABLE scim_group_members IS 'The users of the groups of identity providers.';
CREATE INDEX scim_group_members_of_group_idx ON scim_group_members (org_id, group_id);
CREATE INDEX scim_group_members_of_person_idx ON scim_group_members (org_id, person_id);
