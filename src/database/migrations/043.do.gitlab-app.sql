-- compatibility: expand
-- GitLab is connected by an application for OAuth 2.0: its tokens are renewed with a refresh token, which is used once.
-- GitLab knows no installations. A server of the release before this one uses such an integration until its token ends.

ALTER TABLE integrations
  ADD COLUMN refresh_sealed bytea,
  DROP CONSTRAINT integrations_app_columns,
  ADD CONSTRAINT integrations_app_columns CHECK (
    num_nonnulls(account, token_expires_at) = CASE kind WHEN 'app' THEN 2 ELSE 0 END
    AND (installation_id IS NOT NULL) = (kind = 'app' AND provider = 'host_a')
    AND (refresh_sealed IS NOT NULL) = (kind = 'app' AND provider = 'host_b')
  );
COMMENT ON COLUMN integrations.refresh_sealed IS 'The refresh token of an application for OAuth 2.0, encrypted.';
COMMENT ON COLUMN integrations.account IS 'Who has installed or authorized the app at the code host.';

ALTER TABLE app_installation_starts
  ADD COLUMN provider text NOT NULL DEFAULT 'host_a',
  ADD COLUMN verifier_sealed bytea;
COMMENT ON COLUMN app_installation_starts.verifier_sealed IS 'The PKCE code verifier, encrypted. Null: begun by an older server.';
