-- Charts that members have saved under a name.

CREATE TABLE saved_views (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  org_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name text NOT NULL CHECK (btrim(name) <> '' AND char_length(name) <= 100),
  definition text NOT NULL CHECK (octet_length(definition) <= 262144),
  created_by uuid REFERENCES users (id) ON DELETE SET NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
COMMENT ON TABLE saved_views IS 'What charts show, saved by members of an organization.';
COMMENT ON COLUMN saved_views.definition IS
  'JSON, as the contract defines it. It is text because jsonb refuses some texts that JSON can hold.';
CREATE UNIQUE INDEX saved_views_name_key ON saved_views (org_id, lower(name));
CREATE INDEX saved_views_of_org_idx ON saved_views (org_id, created_at, id);
CREATE INDEX saved_views_created_by_idx ON saved_views (created_by);
