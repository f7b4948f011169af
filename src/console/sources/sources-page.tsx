import { paginate } from '@plumbline/sdk';
import { listIntegrations } from '@plumbline/sdk/platform';
import { useQuery, type UseQueryResult } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { DemoData } from '../organization/demo-data.js';
import { useMay } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Page } from '../shell/page.js';
import { Integrations, type Integration } from './integrations.js';
import { Syncs } from './syncs.js';

/** Where the data come from: code hosts, and what is read from them. */
export default function SourcesPage(): JSX.Element {
  const integrations = useIntegrations();
  const mayFill = useMay('demo:write');
  return (
    <Page title="Sources" intro="Connect code hosts, and choose what to read from them.">
      <Syncs integrations={integrations} />
      <Integrations query={integrations} />
      {mayFill && <DemoData />}
    </Page>
  );
}

function useIntegrations(): UseQueryResult<readonly Integration[]> {
  return useQuery({
    queryKey: ['integrations'],
    queryFn: async ({ signal }) => {
      const all: Integration[] = [];
      for await (const each of paginate(listIntegrations, platform, { query: { limit: 200 }, signal })) all.push(each);
      return all;
    },
  });
}
