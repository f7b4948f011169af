-- Requests for verification and reset mails.

CREATE TABLE token_requests (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  kind text NOT NULL CHECK (kind IN ('verification', 'reset')),
  email text NOT NULL,
  requested_at timestamptz(3) NOT NULL,
  ip inet,
  user_agent text,
  request_id text
);
COMMENT ON TABLE token_requests IS
  'Requests for one-time tokens by mail, for any address. A request is answered when its row is committed; whether an '
  'account has the address is looked up later, so that the time of the reply does not depend on it.';
CREATE INDEX token_requests_by_time_idx ON token_requests (requested_at, id);
