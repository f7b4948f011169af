import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const css = readFileSync('src/console/styles/tokens.css', 'utf8');

type Rgb = readonly [number, number, number];

/** The colours of a token in linear light, for the light and the dark theme. */
function token(name: string): Readonly<Record<'light' | 'dark', Rgb>> {
  const found = new RegExp(`--${name}: light-dark\\(#(\\w{6}), #(\\w{6})\\);`).exec(css);
  if (found === null) throw new Error(`there is no token --${name}`);
  const [light, dark] = [found[1] ?? '', found[2] ?? ''].map(linear);
  if (light === undefined || dark === undefined) throw new Error(`--${name} is not a pair of colours`);
  return { light, dark };
}

function linear(hex: string): Rgb {
  const channel = (at: number): number => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(0), channel(2), channel(4)];
}

/** WCAG 2.2, "contrast ratio". */
function contrast(one: Rgb, other: Rgb): number {
  const luminance = ([r, g, b]: Rgb): number => 0.2126 * r + 0.7152 * g + 0.0722 * b;
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** Machado, Oliveira and Fernandes, 2009: simulation of complete dichromacy, in linear light. */
const visions: Readonly<Record<string, readonly [Rgb, Rgb, Rgb]>> = {
  'full colour vision': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function seen(color: Rgb, vision: readonly [Rgb, Rgb, Rgb]): Rgb {
  const [r, g, b] = vision.map((row) =>
    Math.min(
      1,
      Math.max(
        0,
        row.reduce((sum, each, i) => sum + each * (color[i] ?? 0), 0),
      ),
    ),
  );
  return lab([r ?? 0, g ?? 0, b ?? 0]);
}

/** CIE L*a*b*, in which distances are roughly what the eye sees. */
function lab([r, g, b]: Rgb): Rgb {
  const f = (t: number): number => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const series = [1, 2, 3, 4, 5, 6].map((each) => `series-${each}`);

describe.each(['light', 'dark'] as const)('In the %s theme', (theme) => {
  test.each(series)('--%s has a contrast of at least 3:1 on the surface of charts', (name) => {
    expect(contrast(token(name)[theme], token('surface')[theme])).toBeGreaterThanOrEqual(3);
  });

  test.each(Object.entries(visions))('any two series differ clearly with %s', (_name, vision) => {
    const colors = series.map((name) => seen(token(name)[theme], vision));
    const distances = colors.flatMap((one, i) =>
      colors.slice(i + 1).map((other) => Math.hypot(...one.map((value, at) => value - (other[at] ?? 0)))),
    );
    expect(Math.min(...distances)).toBeGreaterThanOrEqual(20);
  });

  test.each(['page', 'surface', 'raised', 'sunken'])(
    'text, muted text and links have enough contrast on --%s',
    (ground) => {
      for (const name of ['text', 'muted', 'accent', 'accent-strong']) {
        expect(contrast(token(name)[theme], token(ground)[theme])).toBeGreaterThanOrEqual(4.5);
      }
    },
  );

  test.each(['good', 'warn', 'bad'])('--%s has enough contrast on its background and on the surface', (name) => {
    for (const ground of [`${name}-soft`, 'surface']) {
      expect(contrast(token(name)[theme], token(ground)[theme])).toBeGreaterThanOrEqual(4.5);
    }
  });

  test('the text of buttons and the border of fields have enough contrast', () => {
    expect(contrast(token('on-accent')[theme], token('accent')[theme])).toBeGreaterThanOrEqual(4.5);
    expect(contrast(token('line-strong')[theme], token('surface')[theme])).toBeGreaterThanOrEqual(3);
  });
});
