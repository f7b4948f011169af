/** `sync incidents` from host_a: issues with the label `incident`. */
import type { Row } from '../../records.js';
import type { TimeWindow } from '../../time-window.js';
import { mostEvents } from '../limits.js';
import type { Listing } from '../newest-first.js';
import {
  readId,
  readInstant,
  readInstantOrNull,
  readList,
  readObject,
  readObjectOrNull,
  readTextOrNull,
  type JsonObject,
} from '../read.js';
import type { HostARepository } from './repository.js';
import { restPages } from './rest-pages.js';

export function incidentListing(repository: HostARepository, window: TimeWindow): Listing<JsonObject> {
  const { client, owner, repo } = repository;
  return {
    most: mostEvents(window),
    window,
    fetch: restPages(repository, async (page) => {
      const { data, hasNext } = await client.rest('GET /repos/{owner}/{repo}/issues', {
        owner,
        repo,
        labels: 'incident',
        state: 'all',
        sort: 'updated',
        direction: 'desc',
        ...page,
      });
      return { items: readList(data, 'issues'), hasNext };
    }),
    sortedBy: (issue) => readInstant(issue['updated_at'], 'updated_at'),
    // In this API a pull request is an issue, too.
    records: (issues) => ({
      incidents: issues.filter((issue) => issue['pull_request'] === undefined).map(incidentRow),
    }),
  };
}

function incidentRow(issue: JsonObject): Row<'incidents'> {
  return {
    incident_id: readId(issue['number'], 'number'),
    title: readTextOrNull(issue['title'], 'title'),
    status: readTextOrNull(issue['state'], 'state'),
    author_name: readTextOrNull(readObjectOrNull(issue['user'], 'user')?.['login'], 'user.login'),
    labels: readList(issue['labels'], 'labels')
      .map(labelName)
      .filter((name) => name !== null),
    severity: null,
    started_at: readInstant(issue['created_at'], 'created_at'),
    resolved_at: readInstantOrNull(issue['closed_at'], 'closed_at'),
  };
}

function labelName(label: unknown): string | null {
  return readTextOrNull(typeof label === 'string' ? label : readObject(label, 'label')['name'], 'label.name');
}
