import { getInfo } from '@plumbline/sdk/compose';
import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Page } from '../shell/page.js';
import { Moment } from '../ui/moment.js';
import { View } from '../ui/view.js';
import { AddProject } from './add-project.js';
import { useProjects, type Project } from './queries.js';
import { ask, compose, withKey } from './session.js';

/** All projects of the server. */
export function ProjectsPage(): JSX.Element {
  const [adding, setAdding] = useState(false);
  const open = (): void => {
    setAdding(true);
  };
  return (
    <Page
      title="Projects"
      intro={<Engine />}
      actions={
        <button type="button" class="primary" onClick={open}>
          Add a project
        </button>
      }
    >
      <View
        query={useProjects()}
        what="the projects"
        empty={(projects) =>
          projects.length > 0
            ? null
            : {
                title: 'There are no projects',
                text: 'Send a compose file, or run "plumbline compose up" in a folder that has one.',
                action: (
                  <button type="button" onClick={open}>
                    Send a compose file
                  </button>
                ),
              }
        }
      >
        {(projects) => (
          <div class="card">
            <ul class="rows">
              {projects.map((project) => (
                <ProjectRow key={project.name} project={project} />
              ))}
            </ul>
          </div>
        )}
      </View>
      <AddProject
        open={adding}
        onClose={() => {
          setAdding(false);
        }}
      />
    </Page>
  );
}

/** Which engine the server works with. */
function Engine(): JSX.Element {
  const { data } = useQuery({
    queryKey: ['info'],
    queryFn: ({ signal }) => ask(getInfo(compose, { ...withKey(), signal })),
  });
  if (data === undefined) return <>Compose projects on this server.</>;
  return (
    <>
      {data.engine} {data.engine_version} on {data.name}, by the {data.runtime_backend} backend
    </>
  );
}

function ProjectRow({ project }: { project: Project }): JSX.Element {
  const { name, services, running_count: running, created_at: createdAt } = project;
  return (
    <li>
      <div class="grow">
        <Link href={`/projects/${encodeURIComponent(name)}`}>
          <strong class="break">{name}</strong>
        </Link>
        <p class="small muted break">{services.join(', ')}</p>
      </div>
      {createdAt !== null && (
        <span class="small muted">
          Created <Moment at={createdAt} />
        </span>
      )}
      <span class={running > 0 ? 'tag good' : 'tag'}>{running === 0 ? 'not running' : `${running} running`}</span>
    </li>
  );
}
