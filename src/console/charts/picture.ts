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

/**
 * Draws an SVG element into a picture, twice as large as on the page.
 *
 * @throws Error when the browser cannot draw it
 */
export async function pngOf(svg: SVGSVGElement): Promise<Blob> {
  const { width, height } = svg.getBoundingClientRect();
  const copy = svg.cloneNode(true);
  if (!(copy instanceof SVGSVGElement)) throw new Error('The chart cannot be copied');
  const [from, to] = [svg.querySelectorAll('*'), copy.querySelectorAll('*')];
  from.forEach((element, at) => {
    const style = getComputedStyle(element);
    for (const name of copied) to[at]?.setAttribute(name, style.getPropertyValue(name));
  });
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  return pngOfDrawing(copy);
}

/**
 * Draws an SVG element that needs no style sheet, with its width and height as attributes.
 *
 * @throws Error when the browser cannot draw it
 */
export async function pngOfDrawing(svg: SVGSVGElement): Promise<Blob> {
  const [width, height] = [svg.width.baseVal.value, svg.height.baseVal.value];
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width * 2, height * 2];
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The browser has no canvas');
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error('The browser made no picture'));
      else resolve(blob);
    }, 'image/png');
  });
}
