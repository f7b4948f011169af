-- compatibility: expand
-- Where events of organizations are sent, and the events that were not accepted yet.

CREATE TABLE webhooks (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  url text NOT NULL,
  events text[] NOT NULL CHECK (cardinality(events) > 0),
  sealed_secret bytea NOT NULL,
  created_by uuid REFERENCES users (id) ON DELETE SET NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
COMMENT ON TABLE webhooks IS 'Where events of organizations are sent. A webhook gets the events from its creation on.';
CREATE INDEX webhooks_of_org_idx ON webhooks (org_id, created_at DESC, id DESC);
CREATE INDEX webhooks_created_by_idx ON webhooks (created_by);

CREATE TABLE webhook_deliveries (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  webhook_id uuid NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  position bigint GENERATED ALWAYS AS IDENTITY,
  event_id uuid NOT NULL,
  event text NOT NULL,
  subject text NOT NULL,
  data text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  available_at timestamptz(3) NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  failed_at timestamptz(3)
);
COMMENT ON TABLE webhook_deliveries IS
  'Events to send, each stored in the transaction that causes it, and deleted when the URL has accepted it.';
COMMENT ON COLUMN webhook_deliveries.subject IS 'What the event concerns. Events of one subject are sent in their order.';
COMMENT ON COLUMN webhook_deliveries.failed_at IS 'When the last attempt failed; no other one follows.';
CREATE INDEX webhook_deliveries_due_idx ON webhook_deliveries (available_at) WHERE failed_at IS NULL;
CREATE INDEX webhook_deliveries_of_subject_idx ON webhook_deliveries (webhook_id, subject, position)
  WHERE failed_at IS NULL;
CREATE INDEX webhook_deliveries_of_webhook_idx ON webhook_deliveries (webhook_id, created_at DESC, id DESC);
