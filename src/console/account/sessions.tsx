import { paginate, unwrap } from '@plumbline/sdk';
import { listSessions, revokeSession, type Schemas } from '@plumbline/sdk/platform';
import { useMutation, useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { queries } from '../session/queries.js';
import { currentSessionId, platform } from '../session/session.js';
import { Confirm } from '../ui/dialog.js';
import { Failed } from '../ui/failed.js';
import { Moment } from '../ui/moment.js';
import { announce } from '../ui/toasts.js';
import { View } from '../ui/view.js';
import { deviceOf } from './device.js';

type Session = Schemas['Session'];

/** Where the account is logged in. Each session can be ended, and all but this one at once. */
export function Sessions(): JSX.Element {
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: async () => {
      const all: Session[] = [];
      for await (const each of paginate(listSessions, platform, { query: { limit: 100 } })) all.push(each);
      return all;
    },
  });
  const here = currentSessionId();
  const end = useMutation({
    mutationFn: async (ids: readonly string[]) => {
      for (const id of ids) {
        const reply = await revokeSession(platform, { params: { session_id: id } });
        if (reply.status !== 404) unwrap(reply); // gone already is as good
      }
    },
    onSuccess: (_nothing, ids) => {
      announce(ids.length === 1 ? 'The session has ended.' : `${ids.length} sessions have ended.`);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['sessions'] }),
  });
  const [asking, setAsking] = useState(false);
  const others = (sessions.data ?? []).filter(({ id }) => id !== here).map(({ id }) => id);
  return (
    <section class="card">
      <div class="card-head">
        <h2>Sessions</h2>
        {others.length > 0 && (
          <button
            type="button"
            class="danger"
            onClick={() => {
              setAsking(true);
            }}
          >
            End all others
          </button>
        )}
      </div>
      <p>
        <Link href="/account/activity">Show what was done with your account</Link>
      </p>
      <Failed mutation={end} />
      <View query={sessions} what="your sessions">
        {(items) => (
          <SessionTable
            items={items}
            here={here}
            end={(id) => {
              end.mutate([id]);
            }}
          />
        )}
      </View>
      <Confirm
        title="End all other sessions?"
        text="Every other browser and device has to log in again. This session stays."
        button={`End ${others.length} ${others.length === 1 ? 'session' : 'sessions'}`}
        open={asking}
        onClose={() => {
          setAsking(false);
        }}
        onConfirm={() => {
          end.mutate(others);
        }}
      />
    </section>
  );
}

interface SessionTableProps {
  readonly items: readonly Session[];
  readonly here: string | null;
  readonly end: (id: string) => void;
}

function SessionTable({ items, here, end }: SessionTableProps): JSX.Element {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Sessions">
      <table class="stacked">
        <thead>
          <tr>
            <th scope="col">Device</th>
            <th scope="col">Address</th>
            <th scope="col">Last used</th>
            <th scope="col">Began</th>
            <th scope="col">
              <span class="visually-hidden">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ id, user_agent, ip, last_used_at, created_at }) => (
            <tr key={id}>
              <td data-label="Device">{deviceOf(user_agent)}</td>
              <td data-label="Address">{ip ?? '–'}</td>
              <td data-label="Last used">
                <Moment at={last_used_at} />
              </td>
              <td data-label="Began">
                <Moment at={created_at} />
              </td>
              <td>
                {id === here ? (
                  <span class="tag good">✓ this session</span>
                ) : (
                  <button
                    type="button"
                    onClick={() => {
                      end(id);
                    }}
                  >
                    End
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
