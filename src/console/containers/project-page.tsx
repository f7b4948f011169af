import { downProject, restartProject, stopProject, upProject } from '@plumbline/sdk/compose';
import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useParams } from 'wouter-preact';
import { Page } from '../shell/page.js';
import { announce } from '../ui/toasts.js';
import { View, type EmptyState } from '../ui/view.js';
import { ActionFailed } from './action-failed.js';
import { Commands } from './commands.js';
import { DownDialog } from './down-dialog.js';
import { Events } from './event-list.js';
import { Output } from './output.js';
import { refresh, useServices, type Container, type Service } from './queries.js';
import { ServiceRow } from './service-row.js';
import { ask, compose, withKey } from './session.js';
import { Usage } from './usage.js';

const acts = {
  up: { button: 'Up', doing: 'Starting…', done: 'The project is up.' },
  restart: { button: 'Restart', doing: 'Restarting…', done: 'The project has restarted.' },
  stop: { button: 'Stop', doing: 'Stopping…', done: 'The project has stopped.' },
} as const;
type Act = keyof typeof acts | 'down' | 'down-with-volumes';

const gone: EmptyState = {
  title: 'There is no such project any more',
  text: 'It has no containers, and its compose file was not sent to this server.',
  action: <Link href="/">All projects</Link>,
};

/** A project: its services, and what they print, use and do. */
export default function ProjectPage(): JSX.Element {
  const { name = '' } = useParams();
  const services = useServices(name);
  const [asksDown, setAsksDown] = useState(false);
  const acting = useMutation({
    mutationFn: (act: Act) => perform(act, name),
    onSuccess: (_done, act) => {
      announce(act in acts ? acts[act as keyof typeof acts].done : 'The project is down.');
    },
    onSettled: refresh,
  });
  const current = acting.isPending ? acting.variables : null;
  const start = (act: Act): void => {
    if (!acting.isPending) acting.mutate(act);
  };
  return (
    <Page
      title={name}
      intro={<Link href="/">All projects</Link>}
      actions={
        services.data !== null && (
          <>
            {(Object.keys(acts) as (keyof typeof acts)[]).map((act) => (
              <button
                key={act}
                type="button"
                class={act === 'up' ? 'primary' : undefined}
                aria-disabled={acting.isPending}
                onClick={() => {
                  start(act);
                }}
              >
                {current === act ? acts[act].doing : acts[act].button}
              </button>
            ))}
            <button
              type="button"
              class="danger"
              aria-disabled={acting.isPending}
              onClick={() => {
                if (!acting.isPending) setAsksDown(true);
              }}
            >
              {current?.startsWith('down') === true ? 'Taking down…' : 'Down'}
            </button>
          </>
        )
      }
    >
      <ActionFailed mutation={acting} />
      <View query={services} what="the services" empty={(items) => (items === null ? gone : null)}>
        {(items) =>
          items !== null && (
            <>
              <section class="card" aria-labelledby="services">
                <h2 id="services">Services</h2>
                <ul class="rows">
                  {items.map((service) => (
                    <ServiceRow key={service.name} service={service} />
                  ))}
                </ul>
              </section>
              <Output project={name} services={items.map((service) => service.name)} />
              <Usage project={name} containers={runningOf(items)} />
              <Commands containers={runningOf(items)} />
            </>
          )
        }
      </View>
      <Events project={name} />
      <DownDialog
        project={name}
        open={asksDown}
        onClose={() => {
          setAsksDown(false);
        }}
        onConfirm={(withVolumes) => {
          start(withVolumes ? 'down-with-volumes' : 'down');
        }}
      />
    </Page>
  );
}

async function perform(act: Act, name: string): Promise<unknown> {
  const request = { ...withKey(), params: { name } };
  switch (act) {
    case 'up':
      return ask(upProject(compose, { ...request, body: {} }));
    case 'restart':
      return ask(restartProject(compose, { ...request, body: {} }));
    case 'stop':
      return ask(stopProject(compose, { ...request, body: {} }));
    case 'down':
    case 'down-with-volumes':
      return ask(downProject(compose, { ...request, body: { remove_volumes: act === 'down-with-volumes' } }));
  }
}

function runningOf(services: readonly Service[]): Container[] {
  return services.flatMap(({ containers }) => containers).filter(({ status }) => status === 'running');
}
