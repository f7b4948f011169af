-- Connections to code hosts, and the jobs that fill the analytics from them.
--
-- Keys that cross tables carry the org_id, so that a row can never refer to another organization's.

CREATE TABLE integrations (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  org_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  provider text NOT NULL,
  name text NOT NULL CHECK (btrim(name) <> '' AND char_length(name) <= 100),
  base_url text,
  secret_sealed bytea NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  created_by uuid REFERENCES users (id) ON DELETE SET NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  last_tested_at timestamptz(3),
  last_test_ok boolean,
  last_test_error text,
  CONSTRAINT integrations_name_key UNIQUE (org_id, provider, name),
  CONSTRAINT integrations_org_id_key UNIQUE (org_id, id)
);
COMMENT ON TABLE integrations IS 'Credentials of an organization. It is connected while one of them is active.';
COMMENT ON COLUMN integrations.base_url IS 'Of a self-hosted code host; null for the public one.';
COMMENT ON COLUMN integrations.secret_sealed IS 'AES-256-GCM under SECRETS_KEY; no reply ever holds it.';
CREATE INDEX integrations_created_by_idx ON integrations (created_by);

CREATE TABLE sync_configs (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  org_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  integration_id uuid,
  name text NOT NULL CHECK (btrim(name) <> '' AND char_length(name) <= 100),
  provider text NOT NULL,
  targets text[] NOT NULL CHECK (cardinality(targets) > 0),
  repositories text[] NOT NULL DEFAULT '{}',
  options jsonb NOT NULL DEFAULT '{}',
  is_active boolean NOT NULL DEFAULT true,
  created_by uuid REFERENCES users (id) ON DELETE SET NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT sync_configs_name_key UNIQUE (org_id, name),
  CONSTRAINT sync_configs_org_id_key UNIQUE (org_id, id),
  -- The service refuses to disconnect a credential that a configuration uses.
  CONSTRAINT sync_configs_integration_fkey FOREIGN KEY (org_id, integration_id)
    REFERENCES integrations (org_id, id) ON DELETE SET NULL (integration_id)
);
COMMENT ON TABLE sync_configs IS 'What an organization synchronizes: provider, targets, repositories.';
COMMENT ON COLUMN sync_configs.integration_id IS 'Null for providers that need no credential, or after it is gone.';
COMMENT ON COLUMN sync_configs.repositories IS 'Names, ids or patterns of what to synchronize.';
CREATE INDEX sync_configs_of_org_idx ON sync_configs (org_id, created_at DESC, id DESC);
CREATE INDEX sync_configs_integration_idx ON sync_configs (org_id, integration_id);
CREATE INDEX sync_configs_created_by_idx ON sync_configs (created_by);

CREATE TABLE sync_runs (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  org_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  sync_config_id uuid NOT NULL,
  status text NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'running', 'partial', 'complete', 'failed', 'cancelled')),
  requested_by uuid REFERENCES users (id) ON DELETE SET NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  started_at timestamptz(3),
  heartbeat_at timestamptz(3),
  finished_at timestamptz(3),
  progress jsonb NOT NULL DEFAULT '{}',
  result jsonb,
  error text,
  CONSTRAINT sync_runs_config_fkey FOREIGN KEY (org_id, sync_config_id)
    REFERENCES sync_configs (org_id, id) ON DELETE CASCADE,
  CONSTRAINT sync_runs_finished_when CHECK ((status IN ('pending', 'running')) = (finished_at IS NULL))
);
COMMENT ON TABLE sync_runs IS 'Runs of sync configurations. heartbeat_at tells a run at work from one whose worker died.';
-- Of simultaneous requests to run one configuration, one starts it.
CREATE UNIQUE INDEX sync_runs_one_active_idx ON sync_runs (sync_config_id) WHERE status IN ('pending', 'running');
CREATE INDEX sync_runs_of_config_idx ON sync_runs (org_id, sync_config_id, created_at DESC, id DESC);
CREATE INDEX sync_runs_of_org_idx ON sync_runs (org_id, created_at DESC, id DESC);
CREATE INDEX sync_runs_requested_by_idx ON sync_runs (requested_by);
