/** Parts of drawings that need no style sheet, so that they can be saved as pictures. */
import { colorOf } from '../ui/colors.js';

/** @param size in pixels */
export function textStyle(size: number): Readonly<Record<string, string | number>> {
  return { fill: colorOf('--text'), 'font-family': getComputedStyle(document.body).fontFamily, 'font-size': size };
}

export function element<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | number>>,
  text = '',
): SVGElementTagNameMap[Name] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, String(value));
  made.textContent = text;
  return made;
}
