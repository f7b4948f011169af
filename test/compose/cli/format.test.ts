import { describe, expect, it } from 'vitest';
import { listingText, type Listing } from '../../../src/compose/cli/format/listing.js';
import { parseTemplate } from '../../../src/compose/cli/format/template.js';
import { binarySize, ellipsis, humanSize } from '../../../src/compose/cli/format/units.js';
import { humanDuration } from '../../../src/compose/runtime/human-duration.js';

const VALUE = {
  Name: 'web-1',
  State: 'running',
  Health: '',
  Count: 3,
  Publishers: [{ PublishedPort: 8080 }, { PublishedPort: 8443 }],
  Label: (name: string) => `label ${name}`,
};

describe('templates', () => {
  it.each([
    ['{{.Name}}', 'web-1'],
    ['{{ .Name }}: {{.State}}', 'web-1: running'],
    ['{{json .Publishers}}', '[{"PublishedPort":8080},{"PublishedPort":8443}]'],
    ['{{.Name | upper}}', 'WEB-1'],
    ['{{upper (lower .Name)}}', 'WEB-1'],
    ['{{.Label "a.b"}}', 'label a.b'],
    ['{{if .Health}}{{.Health}}{{else}}none{{end}}', 'none'],
    ['{{if eq .State "exited"}}a{{else if eq .State "running"}}b{{else}}c{{end}}', 'b'],
    ['{{range .Publishers}}{{.PublishedPort}};{{end}}', '8080;8443;'],
    ['{{range .Health}}x{{else}}nothing{{end}}', 'nothing'],
    ['{{join (split .Name "-") "+"}}', 'web+1'],
    ['{{truncate .State 3}}{{pad .Name 1 1}}|', 'run web-1 |'],
    ['a {{- .Name -}} b', 'aweb-1b'],
    ['{{/* a comment */}}{{.Count}}', '3'],
    ['{{"}}"}}', '}}'],
  ])('%s gives %s', (source, text) => {
    expect(parseTemplate(source).render(VALUE)).toBe(text);
  });

  it.each([
    ['{{.Nope}}', "there is no field '.Nope'. Fields: Name, State"],
    ['{{nope .Name}}', "there is no function 'nope'"],
    ['{{.Name', 'an action is not closed'],
    ['{{if .Name}}', '{{if}} without {{end}}'],
    ['{{end}}', '{{end}} or {{else}} without'],
    ['{{(upper .Name}}', 'lacks a parenthesis'],
    ['{{upper .Name)}}', 'a parenthesis too many'],
  ])('%s is refused: %s', (source, text) => {
    expect(() => parseTemplate(source).render(VALUE)).toThrow(text);
  });

  it('remove control characters from the values of a container', () => {
    expect(parseTemplate('{{.Name}}').render({ Name: 'a\u001b[31mb' })).toBe('a[31mb');
  });
});

describe('listings', () => {
  const listing: Listing = {
    titles: { ID: 'CONTAINER ID' },
    columns: ['ID', 'Name'],
    json: 'lines',
    rows: [
      { Name: 'web', ID: '1' },
      { Name: 'db', ID: '2' },
    ],
  };

  it.each([
    [undefined, 'CONTAINER ID   NAME\n1              web\n2              db\n'],
    ['table {{.Name}}\\t{{upper .ID}}', 'NAME   CONTAINER ID\nweb    1\ndb     2\n'],
    ['json', '{"ID":"1","Name":"web"}\n{"ID":"2","Name":"db"}\n'],
    ['{{.ID}}={{.Name}}', '1=web\n2=db\n'],
  ])('with the format %s', (format, text) => {
    expect(listingText(listing, format)).toBe(text);
  });
});

it.each([
  [0, 'Less than a second'],
  [1500, '1 second'],
  [59_000, '59 seconds'],
  [60_000, 'About a minute'],
  [3_599_000, '59 minutes'],
  [3_600_000, 'About an hour'],
  [47 * 3_600_000, '47 hours'],
  [13 * 86_400_000, '13 days'],
  [30 * 86_400_000, '4 weeks'],
  [90 * 86_400_000, '3 months'],
  [800 * 86_400_000, '2 years'],
])('%i ms are "%s"', (milliseconds, text) => {
  expect(humanDuration(milliseconds)).toBe(text);
});

it('sizes have the units of the Docker CLI', () => {
  expect([
    humanSize(0),
    humanSize(1_982_333),
    humanSize(1040),
    binarySize(589_824),
    binarySize(25_276_000_000),
  ]).toEqual(['0B', '1.98MB', '1.04kB', '576KiB', '23.54GiB']);
});

it('the ellipsis counts towards the length', () => {
  expect([ellipsis('abcdef', 4), ellipsis('abcd', 4)]).toEqual(['abc…', 'abcd']);
});
