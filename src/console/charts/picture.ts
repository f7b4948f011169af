/** Pictures of charts: with their title and their legend, since they are shown where there is no page around them. */
import { colorOf } from '../ui/colors.js';
import { element, textStyle } from './drawing.js';

/** The properties of style that a drawing has from style sheets, which do not apply outside of the page. */
const copied = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'font-family',
  'font-size',
] as const;

/** In pixels. */
const margin = 16;
const titleHeight = 44;
const lineHeight = 20;
const lineSize = 13;

/** A chart of the page as a drawing that needs no style sheet, with its legend below. */
export function drawingOf(figure: Element): SVGSVGElement | null {
  const svg = figure.querySelector('svg');
  if (svg === null) return null;
  const { width, height } = svg.getBoundingClientRect();
  const legend = figure.querySelector('.legend');
  const bottom = legend === null ? height : legend.getBoundingClientRect().bottom - svg.getBoundingClientRect().top;
  const drawing = element('svg', { width, height: bottom });
  drawing.append(sized(copyOf(svg), width, height), ...(legend === null ? [] : legendOf(legend, svg)));
  return drawing;
}

/** The names of the series and their marks, where they stand on the page. */
function legendOf(legend: Element, svg: SVGSVGElement): SVGElement[] {
  const origin = svg.getBoundingClientRect();
  return [...legend.querySelectorAll('li')].flatMap((item) => {
    const swatch = item.querySelector('svg');
    if (swatch === null) return [];
    const { left, top, width, height } = swatch.getBoundingClientRect();
    const [x, y] = [left - origin.left, top - origin.top];
    const mark = sized(copyOf(swatch), width, height);
    for (const [name, value] of Object.entries({ x, y })) mark.setAttribute(name, String(value));
    const name = item.querySelector('a')?.textContent ?? item.textContent;
    return [mark, element('text', { ...textStyle(13), x: x + width + 8, y: y + height / 2 + 4 }, name)];
  });
}

function copyOf(svg: SVGSVGElement): SVGSVGElement {
  const copy = svg.cloneNode(true) as SVGSVGElement; // a clone is of the same type
  const [from, to] = [svg.querySelectorAll('*'), copy.querySelectorAll('*')];
  from.forEach((element, at) => {
    const style = getComputedStyle(element);
    for (const name of copied) to[at]?.setAttribute(name, style.getPropertyValue(name));
    to[at]?.removeAttribute('style'); // its tokens have no value outside of the page
  });
  return copy;
}

function sized(svg: SVGSVGElement, width: number, height: number): SVGSVGElement {
  svg.setAttribute('width', String(width));
  svg.setAttribute('height', String(height));
  return svg;
}

/**
 * Draws a drawing that needs no style sheet, with its width and height as attributes, into a picture: below a title,
 * twice as large as on the page.
 *
 * @param texts below the title; each is broken into lines where it is too long
 * @throws Error when the browser cannot draw it
 */
export async function pngOf(title: string, drawing: SVGSVGElement, texts: readonly string[]): Promise<Blob> {
  const width = drawing.width.baseVal.value + 2 * margin;
  const lines = texts.flatMap((text) => linesOf(text, drawing.width.baseVal.value));
  const top = titleHeight + lines.length * lineHeight;
  const height = drawing.height.baseVal.value + top + margin;
  const svg = element('svg', { width, height });
  drawing.setAttribute('x', String(margin));
  drawing.setAttribute('y', String(top));
  svg.append(element('text', { ...textStyle(16), 'font-weight': 600, x: margin, y: 28 }, title), drawing);
  svg.append(
    ...lines.map((line, at) =>
      element('text', { ...textStyle(lineSize), x: margin, y: titleHeight + 4 + at * lineHeight }, line),
    ),
  );
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width * 2, height * 2];
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The browser has no canvas');
  context.fillStyle = colorOf('--surface');
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error('The browser made no picture'));
      else resolve(blob);
    }, 'image/png');
  });
}

/** Breaks a text between words, so that each line is at most as wide as given, in pixels. */
function linesOf(text: string, width: number): string[] {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return [text];
  context.font = `${lineSize}px ${getComputedStyle(document.body).fontFamily}`;
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trimStart();
    if (lines.length > 0 && context.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
