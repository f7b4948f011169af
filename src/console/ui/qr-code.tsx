import { generate } from 'lean-qr';
import { toSvgPath } from 'lean-qr/extras/svg';
import type { JSX } from 'preact';

/** A QR code. Readers need dark on light and a margin of four modules, in every theme. */
export function QrCode({ text, label }: { text: string; label: string }): JSX.Element {
  const code = generate(text);
  const size = code.size + 8;
  return (
    <svg class="qr-code" role="img" aria-label={label} viewBox={`-4 -4 ${size} ${size}`} shape-rendering="crispEdges">
      <rect x="-4" y="-4" width={size} height={size} fill="#fff" />
      <path d={toSvgPath(code)} fill="#000" />
    </svg>
  );
}
