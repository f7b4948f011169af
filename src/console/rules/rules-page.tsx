import type { JSX } from 'preact';
import { useMay, useMe } from '../session/queries.js';
import { Page } from '../shell/page.js';
import { View } from '../ui/view.js';
import { Environments } from './environments.js';
import { useRules } from './queries.js';
import { RulesFile } from './rules-file.js';

/** What counts as which kind of work, and as production. */
export default function RulesPage(): JSX.Element {
  return (
    <Page title="Rules" intro="What counts as which kind of work, and which environments are production.">
      <View query={useMe()} what="your account">
        {({ org_id }) => org_id !== null && <Rules orgId={org_id} />}
      </View>
    </Page>
  );
}

function Rules({ orgId }: { readonly orgId: string }): JSX.Element {
  const mayWrite = useMay('classification:write');
  return (
    <>
      <Environments orgId={orgId} mayWrite={mayWrite} />
      <section class="card">
        <h2>Rules file</h2>
        <View query={useRules(orgId)} what="the rules">
          {({ rules, file }) => <RulesFile key={file} orgId={orgId} rules={rules} file={file} mayWrite={mayWrite} />}
        </View>
      </section>
    </>
  );
}
