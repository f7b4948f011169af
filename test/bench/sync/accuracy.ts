/** How often the rules that come with Plumbline are right about the held-out half of the labelled set, and how fast. */
import { createClassifier } from '../../../src/sync/work-units/classify/classifier.js';
import { loadRules } from '../../../src/sync/work-units/classify/rules.js';
import { accuracyByRepository } from '../../sync/classify/accuracy.js';
import { evidenceOf, isHeldOut, messageAlone, readLabelled } from '../../sync/classify/labelled.js';
import { printTable, unlessBrief } from '../measure.js';

const ROUNDS = unlessBrief(100, 1);

export async function benchAccuracy(): Promise<void> {
  const classifier = createClassifier(await loadRules());
  const units = readLabelled();
  const heldOut = units.filter(isHeldOut);
  const ofMessages = accuracyByRepository(heldOut.map(messageAlone), classifier);
  const percent = (part: number): number => Math.round(part * 100);
  const rows = [...accuracyByRepository(heldOut, classifier)].map(([repository, accuracy]) => {
    const alone = ofMessages.get(repository);
    return {
      repository,
      units: accuracy.units,
      'theme %': percent(accuracy.theme),
      'subcategory %': percent(accuracy.subcategory),
      'unclassified %': percent(accuracy.unclassified),
      'message alone: theme %': alone === undefined ? '' : percent(alone.theme),
      'message alone: unclassified %': alone === undefined ? '' : percent(alone.unclassified),
    };
  });
  printTable('Classification of the held-out half of the labelled set', rows);
  const classifyAll = (): void => {
    for (const unit of units) classifier.classify(evidenceOf(unit, classifier));
  };
  classifyAll();
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round += 1) classifyAll();
  const { user, system } = process.cpuUsage(before);
  const perSecond = Math.round((units.length * ROUNDS) / ((user + system) / 1e6));
  printTable('Classification', [{ 'units per CPU second': perSecond }]);
}
