/** `plumbline rules import`: stores the rules of an organization, and classifies its work units by them. */
import type { Command } from 'commander';
import { registerImportCommand } from './import-command.js';

const HELP = `
The file is YAML, with rules in the form of a rules file of syncs:
  rules:
    - name: partners                       shown in explanations
      titles: ['settle *']                 also types, scopes, labels, starts, keywords, paths, work_types
      labels: [partner]
      gives: feature_delivery.customer     or several with parts
      weight: 1                            optional; multiplies the points
  production: ['eu-*', www, '!*-test']     optional: the environments that are production; ! excepts.
                                           Also tier:production, branch:main, job:deploy-*
  incidents: ['sev*', 'type:incident']     optional: labels of the issues that are incidents.
                                           Also type:, title:*outage*, severity:critical
  failures: [hotfix, 'title:revert *']     optional: labels of requests that show that the deployment
                                           before failed. Also title:, branch:hotfix/*, and
                                           deployment:rollback for deployments of older code

Without these lists, words in names of environments decide, incidents are what the host calls so, and nothing else
shows a failure.

A work unit that these rules give enough points to is divided by them alone; else their points are added to those of
the rules file. Explanations call them "organization: NAME". Rules of an earlier import are replaced, and "rules: []"
removes all of them. Servers and later syncs of the organization use them, too. An organization has at most 200 rules
with 1,000 patterns of 100 characters in total, in a file of at most 262,144 characters. Where syncs use a rules file, give the same one here.`;

export function registerRulesCommand(program: Command): void {
  registerImportCommand(program, {
    name: 'rules',
    description: 'manage the rules of an organization that classify its work units',
    purpose: 'store the rules of a file, and classify work units by them',
    help: HELP,
    progress: 'classifying the work units of',
    load: async (file) =>
      (await import('../sync/work-units/classify/organization-rules.js')).loadOrganizationRules(file),
    store: async (resources, { text }, report) => {
      const { importRules } = await import('../sync/work-units/classify/import-rules.js');
      return importRules(resources, text, report);
    },
    listed: ({ rules }) => rules,
    count: ({ rules }) => rules,
  });
}
