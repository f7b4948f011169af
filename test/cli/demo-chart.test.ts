import { describe, expect, it } from 'vitest';
import { chartStyle, drawChart, type ChartStyle } from '../../src/cli/demo-chart.js';

const rows = [
  { label: 'feature_delivery', value: 1200 },
  { label: 'quality', value: 600 },
  { label: 'risk', value: 25 },
];
const plain: ChartStyle = { width: 60, isColoured: false, isUnicode: false };
const draw = (style: Partial<ChartStyle> = {}): string[] => drawChart(['theme', 'units'], rows, { ...plain, ...style });

describe('the chart of the demo', () => {
  it('has a row for each value, with its share and a bar in proportion', () => {
    expect(draw()).toEqual([
      'theme             units  share',
      'feature_delivery  1,200    66%  ############################',
      'quality             600    33%  ##############',
      'risk                 25     1%  #',
    ]);
  });

  it('draws bars finer than a character where the terminal can show them', () => {
    expect(draw({ isUnicode: true })).toEqual([
      'theme             units  share',
      `feature_delivery  1,200    66%  ${'█'.repeat(28)}`,
      `quality             600    33%  ${'█'.repeat(14)}`,
      'risk                 25     1%  ▋',
    ]);
  });

  it.each([20, 24, 30, 36, 44, 80, 200])('is never wider than %i columns', (width) => {
    for (const isUnicode of [true, false]) {
      const lines = draw({ width, isUnicode });
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(width);
      expect(lines).toHaveLength(4);
    }
  });

  it('omits bars that do not fit, and shortens labels that do not fit', () => {
    expect(draw({ width: 26, isUnicode: true })[1]).toBe('feature_del…  1,200    66%');
  });

  it('uses colours only where they are allowed', () => {
    expect(draw().join('')).not.toContain('\u001b');
    const coloured = draw({ isColoured: true });
    expect(coloured.join('')).toContain('\u001b[36m');
    expect(coloured.map((line) => line.replace(/\u001b\[\d+m/g, ''))).toEqual(draw());
  });

  it('draws nothing but the header for no values, and no bars for zeros', () => {
    expect(drawChart(['theme', 'units'], [], plain)).toEqual(['theme  units  share']);
    expect(drawChart(['theme', 'units'], [{ label: 'risk', value: 0 }], plain)).toEqual([
      'theme  units  share',
      'risk       0',
    ]);
  });
});

describe('the width of the chart', () => {
  it.each([
    ['a terminal', true, 120, 120],
    ['a pseudo-terminal without a size', true, 0, 80],
    ['a file', false, 120, 80],
  ])('for %s', (_name, isTTY, columns, width) => {
    expect(chartStyle({ isTTY, columns, hasColors: () => false }, {})).toMatchObject({ width });
  });
});
