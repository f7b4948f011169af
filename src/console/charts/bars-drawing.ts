import { colorOf } from '../ui/colors.js';
import type { BarsProps } from './bars.js';
import { element, textStyle } from './drawing.js';
import { colorTokenOf, numberOf, wordsOf } from './words.js';

const box = { width: 640, row: 44, margin: 16, bar: 10 };

/** Bars as a drawing that needs no style sheet: on the page they are a list, which cannot be saved as a picture. */
export function drawBars({ dimension, bars, format = numberOf }: BarsProps): SVGSVGElement {
  const largest = Math.max(...bars.map(({ value }) => value), 0);
  const text = textStyle(14);
  const rows = bars.flatMap(({ key, value }, at) => {
    const top = box.margin + at * box.row;
    const width = largest > 0 ? (value / largest) * (box.width - 2 * box.margin) : 0;
    const fill = colorOf(colorTokenOf(dimension, key, at));
    return [
      element('text', { ...text, x: box.margin, y: top + 14 }, wordsOf(dimension, key)),
      element('text', { ...text, x: box.width - box.margin, y: top + 14, 'text-anchor': 'end' }, format(value)),
      element('rect', { x: box.margin, y: top + 20, width: Math.max(2, width), height: box.bar, rx: 4, fill }),
    ];
  });
  const drawing = element('svg', { width: box.width, height: bars.length * box.row + 2 * box.margin });
  drawing.append(...rows);
  return drawing;
}
