import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { atOnce } from '../../../src/contract/system/slices.js';
import { appendRule, type WrittenRule } from '../../../src/sync/work-units/classify/append-rule.js';
import { parseOrganizationRules } from '../../../src/sync/work-units/classify/organization-rules.js';

const rule: WrittenRule = { name: 'label a "b"', labels: ['a "b" # c'], gives: 'risk.compliance', weight: 2 };
const append = (text: string): string => atOnce(appendRule(text, rule));

const first = { name: 'first', labels: ['x'], gives: 'quality.bugfix' };

describe('A rule that is appended to a file', () => {
  it.each([
    ['an empty file', ''],
    ['an empty list', 'rules: []\n'],
    ['a list in brackets', 'rules: [{ name: first, labels: [x], gives: quality.bugfix }] # end\n'],
    ['a comma at the end', 'rules: [\n  { name: first, labels: [x], gives: quality.bugfix }, # one\n]\n'],
    ['JSON', `{"rules": [${JSON.stringify(first)}], "production": ["eu-*"]}`],
    ['blocks', 'rules:\n  - name: first\n    labels: [x]\n    gives: quality.bugfix\n'],
    [
      'blocks without indentation',
      'rules:\n- name: first\n  labels:\n  - x\n  gives: quality.bugfix\nproduction: [a]\n',
    ],
    ['no line break at the end', 'rules:\n  - { name: first, labels: [x], gives: quality.bugfix }'],
    ['Windows lines', 'rules:\r\n  - { name: first, labels: [x], gives: quality.bugfix }\r\nproduction: [a]\r\n'],
    ['a comment at the end', 'rules:\n  - { name: first, labels: [x], gives: quality.bugfix } # why\n\n# Production\n'],
    [
      'an alias',
      `production: &a [x]\nincidents: *a\nrules: &rules\n  - { name: first, labels: *a, gives: quality.bugfix }\n`,
    ],
    ['a key with a question mark', '? rules\n: - { name: first, labels: [x], gives: quality.bugfix }\n'],
  ])('comes last in a file with %s, and leaves the rest', (_name, text) => {
    const result = append(text);
    const former = (text === '' ? { rules: [] } : parse(text)) as { rules: unknown[] };
    expect(parse(result)).toEqual({ ...former, rules: [...former.rules, rule] });
    parseOrganizationRules(result, 'The file');
  });

  it('keeps comments and the style of the file', () => {
    const text = `# Ours\nrules:\n  # Partners pay.\n  - name: first\n    labels: [x] # their label\n    gives: quality.bugfix\n\n# Where\nproduction: ['eu-*']\n`;
    const result = append(text);
    const added = `  - name: "label a \\"b\\""\n    labels: ["a \\"b\\" # c"]\n    gives: "risk.compliance"\n    weight: 2\n`;
    expect(result).toBe(text.replace('quality.bugfix\n', `quality.bugfix\n${added}`));
  });

  it('does not change another list that is the same by an alias', () => {
    const text = 'production: &list [a]\nrules: []\nincidents: *list\n';
    expect(parse(append(text))).toEqual({ production: ['a'], rules: [rule], incidents: ['a'] });
  });
});
