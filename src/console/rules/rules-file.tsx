import { importRules } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { platform } from '../session/session.js';
import { count } from '../ui/count.js';
import { FileForm } from '../ui/file-form.js';
import { announce } from '../ui/toasts.js';
import { refreshRules } from './queries.js';

const example = `production: ['eu-*', 'tier:production', '!*-test']
incidents: ['sev*', 'type:incident']
failures: [hotfix, 'title:revert *', 'deployment:rollback']
rules:
  - { name: partners, labels: [partner], gives: feature_delivery.customer }`;

export interface RulesFileProps {
  readonly orgId: string;
  readonly rules: number;
  /** The stored text; empty: there is none. */
  readonly file: string;
  readonly mayWrite: boolean;
}

/** The rules of the organization as a file. Those who may change it store another text. */
export function RulesFile({ orgId, rules, file, mayWrite }: RulesFileProps): JSX.Element {
  const state =
    file === ''
      ? 'The organization has no rules. Those of the server apply.'
      : `The organization has ${count(rules, 'rule', 'rules')}, which come before those of the server.`;
  if (!mayWrite) {
    return (
      <>
        <p>{state}</p>
        {file !== '' && <pre class="small">{file}</pre>}
      </>
    );
  }
  return (
    <>
      <p>{state}</p>
      <FileForm
        button="Store the rules"
        value={file}
        example={example}
        send={(text) => importRules(platform, { params: { org_id: orgId }, body: { file: text } })}
        done={() => {
          announce('The rules are stored. Work units are classified again in the background.');
          void refreshRules();
        }}
      >
        <p class="small muted">
          The file replaces all rules. It has the form that <code>plumbline rules import</code> reads;{' '}
          <code>rules: []</code> removes them.
        </p>
      </FileForm>
    </>
  );
}
