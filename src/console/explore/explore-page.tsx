import { explore } from '@plumbline/sdk/analytics';
import type { JSX } from 'preact';
import { Freshness } from '../analytics/freshness.js';
import { useToday } from '../analytics/calendar.js';
import { Picked } from '../analytics/picked.js';
import { partsOfPicks } from '../analytics/picks.js';
import { QueryDialog } from '../analytics/query-dialog.js';
import type { Calendar } from '../analytics/period.js';
import { useSearchParts } from '../analytics/search.js';
import { useMe } from '../session/queries.js';
import { Page } from '../shell/page.js';
import { View } from '../ui/view.js';
import { WithKnownHistory } from '../charts/known-history.js';
import { WithOrigin } from '../charts/origin.js';
import { choicesOf, faultOf, variablesOf, type Catalog, type Choices } from './choices.js';
import { ChoiceForm } from './choice-form.js';
import { ExploredCharts } from './explored-charts.js';
import { SavedViews } from './saved-views.js';
import { useCatalog, useExplored } from './figures.js';

/** Any measure by any dimension over time. Everything is in the address, so that a link shows the same. */
export default function ExplorePage(): JSX.Element {
  const orgId = useMe().data?.org_id ?? '';
  const [search, setParts] = useSearchParts();
  const choices = choicesOf(search, useToday());
  return (
    <Page
      title="Explore"
      intro="One measure, by one dimension, over time."
      actions={<QueryDialog query={explore} variables={variablesOf(orgId, choices)} />}
    >
      <Freshness orgId={orgId} />
      <View query={useCatalog(orgId)} what="what can be asked for">
        {(catalog) => (
          <>
            <ChoiceForm choices={choices} catalog={catalog} onChange={setParts} />
            <Picked
              orgId={orgId}
              picks={choices.picks}
              onChange={(changed) => {
                setParts(partsOfPicks(changed));
              }}
            />
            <SavedViews orgId={orgId} choices={choices} openedId={search.get('view')} onChange={setParts} />
            <Answer orgId={orgId} choices={choices} catalog={catalog} />
          </>
        )}
      </View>
    </Page>
  );
}

/** The charts, or why the server would refuse to compute them. */
function Answer({ orgId, choices, catalog }: { orgId: string; choices: Choices; catalog: Catalog }): JSX.Element {
  const fault = faultOf(choices, catalog);
  if (fault === null) return <Charts orgId={orgId} choices={choices} calendar={catalog.calendar} />;
  return (
    <div class="banner warn" role="status">
      <p>{fault}</p>
    </div>
  );
}

interface ChartsProps {
  readonly orgId: string;
  readonly choices: Choices;
  readonly calendar: Calendar;
}

function Charts({ orgId, choices, calendar }: ChartsProps): JSX.Element {
  const variables = variablesOf(orgId, choices);
  return (
    <View
      query={useExplored(variables)}
      what="the charts"
      empty={({ breakdowns }) =>
        breakdowns.some(({ items }) => items.length > 0)
          ? null
          : { title: 'No work in this period', text: 'Choose a longer period, or remove a filter.' }
      }
    >
      {(data) => (
        <WithKnownHistory days={data} range={variables.dateRange}>
          <WithOrigin range={variables.dateRange} picks={choices.picks}>
            <ExploredCharts choices={choices} variables={variables} data={data} calendar={calendar} />
          </WithOrigin>
        </WithKnownHistory>
      )}
    </View>
  );
}
