-- compatibility: expand
-- Who has made the secrets of service tokens. The links "this was not me" end those of a taken-over account; servers of the
-- release before this one leave them, and do not note who makes a secret. They also let people join again by SSO whom an
-- admin removes.

ALTER TABLE service_token_secrets ADD COLUMN created_by uuid REFERENCES users (id) ON DELETE SET NULL;
COMMENT ON COLUMN service_token_secrets.created_by IS
  'Who has created or rotated the token. Null: the operator, a deleted account, or a server of an earlier release.';
CREATE INDEX service_token_secrets_created_by_idx ON service_token_secrets (created_by);

COMMENT ON TABLE scim_departures IS
  'Accounts that an admin, or an identity provider by SCIM, has removed from an organization: SSO does not let them join by '
  'itself.';
