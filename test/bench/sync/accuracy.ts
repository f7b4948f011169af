/** How often the rules that come with Plumbline are right about the held-out half of the labelled set, and how fast. */
import { createClassifier } from '../../../src/sync/work-units/classify/classifier.js';
import { loadRules } from '../../../src/sync/work-units/classify/rules.js';
import { accuracyByRepository } from '../../sync/classify/accuracy.js';
import { evidenceOf, isHeldOut, readLabelled } from '../../sync/classify/labelled.js';
import { printTable, unlessBrief } from '../measure.js';

const ROUNDS = unlessBrief(100, 1);

export async function benchAccuracy(): Promise<void> {
  const classifier = createClassifier(await loadRules());
  const units = readLabelled();
  const rows = [...accuracyByRepository(units.filter(isHeldOut), classifier)].map(([repository, accuracy]) => ({
    repository,
    units: accuracy.units,
    'theme %': Math.round(accuracy.theme * 100),
    'subcategory %': Math.round(accuracy.subcategory * 100),
    'unclassified %': Math.round(accuracy.unclassified * 100),
  }));
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
