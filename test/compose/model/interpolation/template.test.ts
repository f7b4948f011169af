import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandTemplate, TemplateError } from '../../../../src/compose/model/interpolation/template.js';
import { load, loadFailure, loadWeb } from '../project-folder.js';

const VARIABLES: Readonly<Record<string, string>> = { SET: 'value', EMPTY: '', OTHER: 'o' };
const lookup = (name: string): string | undefined => (Object.hasOwn(VARIABLES, name) ? VARIABLES[name] : undefined);

describe('interpolation', () => {
  it.each([
    ['$SET', 'value'],
    ['${SET}', 'value'],
    ['a$SET.b', 'avalue.b'],
    ['$UNSET', ''],
    ['${UNSET:-d}', 'd'],
    ['${EMPTY:-d}', 'd'],
    ['${EMPTY-d}', ''],
    ['${UNSET-d}', 'd'],
    ['${SET:+alt}', 'alt'],
    ['${EMPTY:+alt}', ''],
    ['${EMPTY+alt}', 'alt'],
    ['${UNSET+alt}', ''],
    ['${SET:?message}', 'value'],
    ['${EMPTY?message}', ''],
    ['${UNSET:-${EMPTY:-${SET:?x}}}', 'value'],
    ['${SET:+${OTHER}${OTHER}}', 'oo'],
    ['${UNSET:-a:-b}', 'a:-b'],
    ['${UNSET:-{"a":{}}}', '{"a":{}}'],
    ['${UNSET:-two\nlines}', 'two\nlines'],
    ['$$SET', '$SET'],
    ['$$$SET', '$value'],
    ['${UNSET:-$$x}', '$x'],
    ['$', '$'],
    ['5$', '5$'],
    ['$5', '$5'],
    ['$-', '$-'],
    ['${_x1-ok}', 'ok'],
  ])('%j gives %j', (template, expected) => {
    expect(expandTemplate(template, lookup)).toBe(expected);
  });

  it.each(['${', '${}', '${ foo}', '${foo!}', '${foo:}', '${1}', '${foo', '${a:-${b}', '${foo bar}'])(
    'refuses %j',
    (template) => {
      expect(() => expandTemplate(template, lookup)).toThrow(TemplateError);
    },
  );

  it('expands nested expressions as the POSIX shell does', () => {
    const name = fc.constantFrom('SET', 'EMPTY', 'UNSET', 'OTHER');
    const { template } = fc.letrec<{ template: string; part: string }>((tie) => ({
      template: fc.array(tie('part'), { maxLength: 3 }).map((parts) => parts.join('')),
      part: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom('a', 'b c', '.', ':', '-'),
        name.map((variable) => `\${${variable}}`),
        fc
          .tuple(name, fc.constantFrom(':-', '-', ':+', '+'), tie('template'))
          .map(([variable, operator, word]) => `\${${variable}${operator}${word}}`),
      ),
    }));
    fc.assert(
      fc.property(template, (text) => {
        const shell = execFileSync('sh', ['-c', `printf %s "${text}"`], {
          env: { ...VARIABLES, PATH: process.env['PATH'] },
        });
        expect(expandTemplate(text, lookup)).toBe(shell.toString('utf8'));
      }),
      { numRuns: 200 },
    );
  });

  it('does not change text without a dollar sign, and reads doubled dollar signs as single ones', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(expandTemplate(text.replaceAll('$', '$$$$'), lookup)).toBe(text);
      }),
    );
  });

  it('never interpolates a value a second time', () => {
    expect(expandTemplate('$A', () => '${B:?never}')).toBe('${B:?never}');
  });

  it('warns of each unset variable once, and of none with a default', async () => {
    const { warnings } = await load('services: {web: {image: "a$NONE", labels: ["x=$NONE${OTHER-d}"]}}');
    expect(warnings.map(({ code, message }) => [code, message.includes('NONE')])).toEqual([['unsetVariable', true]]);
  });

  it('interpolates values, not keys', async () => {
    const web = await loadWeb('labels: {$KEY: $VALUE}', { environment: { KEY: 'k', VALUE: 'v' } });
    expect(web.labels).toEqual({ $KEY: 'v' });
  });

  it('converts text to the number or boolean that a key requires', async () => {
    const web = await loadWeb('scale: $N\ntty: $B\ncpus: ${C}', { environment: { N: '3', B: 'true', C: '0.5' } });
    expect([web.scale, web.tty, web.cpus]).toEqual([3, true, 0.5]);
  });

  it('fails for a required variable with its message and place', async () => {
    const failure = await loadFailure('services:\n  web:\n    image: ${IMAGE:?set it}\n');
    expect(failure).toMatchObject({
      error: 'InterpolationError',
      case: 'requiredVariable',
      fields: { variable: 'IMAGE', reason: 'set it' },
      location: { line: 3, column: 12 },
    });
  });
});
