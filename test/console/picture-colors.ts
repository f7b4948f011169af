import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

/**
 * The colours of a PNG file, as the browser draws it, each as `rgb(1, 2, 3)`.
 *
 * @param last how many rows of pixels at the bottom are read; absent: all
 * @returns the colours of the file, that of its top left corner first
 */
export async function colorsOf(page: Page, file: string, last = Infinity): Promise<readonly string[]> {
  const content = (await readFile(file)).toString('base64');
  const found: unknown = await page.evaluate(
    `(async () => {
      const image = new Image();
      image.src = 'data:image/png;base64,${content}';
      await image.decode();
      const { naturalWidth: width, naturalHeight: height } = image;
      const canvas = Object.assign(document.createElement('canvas'), { width, height });
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      const top = Math.max(0, height - ${last});
      const { data } = context.getImageData(0, top, width, height - top);
      const colors = new Set();
      for (let at = 0; at < data.length; at += 4)
        colors.add((data[at + 3] === 255 ? '' : 'transparent ') + 'rgb(' + [...data.slice(at, at + 3)].join(', ') + ')');
      return [...colors];
    })()`,
  );
  if (!Array.isArray(found)) throw new Error('the browser gave no colours');
  return found.map(String);
}

/** A property of all elements that a selector matches, as the browser computes it. */
export async function stylesOf(page: Page, selector: string, property: string): Promise<readonly string[]> {
  const found: unknown = await page.evaluate(
    `[...document.querySelectorAll(${JSON.stringify(selector)})]
      .map((each) => getComputedStyle(each).getPropertyValue(${JSON.stringify(property)}))`,
  );
  if (!Array.isArray(found) || found.length === 0) throw new Error(`nothing matches ${selector}`);
  return found.map(String);
}
